import type { ConversableAgent } from '@x/agent'
import { externalCall } from '@x/agent/steps'
import type { Agent, JsonSchema } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { RandomAgentTarget } from '../handoff/target.ts'
import { memberOf } from './check-targets.ts'
import type { PatternRun } from './pattern-run.ts'

const DRAWN: JsonSchema = { type: 'object', properties: { agent: { type: 'string' } }, required: ['agent'] }

/** Returns the agents that a random target may take: all of it but the current agent. */
export const othersIn = (run: PatternRun, { agents }: RandomAgentTarget, current: Agent): ConversableAgent[] =>
  agents.map((each) => memberOf(run, each, 'a random choice') as ConversableAgent).filter((each) => each !== current)

/** Draws one of some agents. */
export function drawnOf({ group: { settings } }: PatternRun, agents: readonly ConversableAgent[]): ConversableAgent {
  const index = Math.floor(settings.random(agents) * agents.length)
  return agents[Math.min(index, agents.length - 1)]!
}

/** Draws one agent of a random target, never the current one; null when nobody is left. A journal keeps who it is. */
export function* drawAgent(run: PatternRun, target: RandomAgentTarget, current: Agent): Steps<ConversableAgent | null> {
  const others = othersIn(run, target, current)
  if (others.length === 0) return null
  const call = { kind: 'speaker', label: 'the random choice of the next agent', shape: DRAWN } as const
  const { agent: name } = yield* externalCall(call, () => ({ agent: drawnOf(run, others).name }))
  return others.find((each) => each.name === name) ?? null
}
