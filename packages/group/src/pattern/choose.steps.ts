import type { ConversableAgent } from '@x/agent'
import { internalsOf } from '@x/agent/steps'
import type { SpeakerReason } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { GroupState } from '../group/group-state.ts'
import { nextAgent } from '../group/next-agent.ts'
import { filledText } from '../handoff/filled-text.ts'
import type { GroupManagerTarget } from '../handoff/target.ts'
import { askModelForSpeaker } from '../speaker/ask-model.steps.ts'
import { askPerson } from '../speaker/ask-person.steps.ts'
import { selectorModel } from '../speaker/selector-model.ts'
import { memberOf } from './check-targets.ts'
import { valuesIn, type PatternRun } from './pattern-run.ts'

/** An agent that was chosen, and how. */
interface Chosen {
  readonly agent: ConversableAgent | null
  readonly reason: SpeakerReason
}

/** All that may be chosen: the agents, those that stand for chats, and the user agent. */
const choosable = ({ agents, standIns, userAgent }: PatternRun): ConversableAgent[] => [
  ...agents,
  ...[...standIns.values()].map(({ agent }) => agent),
  ...(userAgent ? [userAgent] : []),
]

/** Lets a person choose; one that chooses nobody leaves it to the order. */
export function* chooseByPerson(run: PatternRun, current: ConversableAgent): Steps<Chosen> {
  const all = choosable(run)
  const { manager } = run
  const agent = yield* askPerson(all, { io: internalsOf(manager).io, manager })
  return agent ? { agent, reason: 'manual' } : { agent: nextAgent(all, current), reason: 'next-in-order' }
}

/** Lets the manager's model choose among the candidates of a target; one that names nobody leaves it to the order. */
export function* chooseByManager(
  run: PatternRun,
  { selectionMessage, candidates, allowRepeatSpeaker = true }: GroupManagerTarget,
  current: ConversableAgent,
): Steps<Chosen> {
  const all = choosable(run)
  const named = candidates?.map((each) => memberOf(run, each, 'a choice by the manager') as ConversableAgent) ?? all
  const eligible = allowRepeatSpeaker ? named : named.filter((each) => each !== current)
  const [first, second] = eligible
  if (!first) return { agent: null, reason: 'auto' }
  if (!second) return { agent: first, reason: 'only-one' }
  const { manager, group } = run
  const state = selectionMessage === undefined ? group : withPrompt(run, selectionMessage, eligible)
  const model = selectorModel(group, manager)
  const agent = yield* askModelForSpeaker(state, manager, { model, eligible })
  return agent ? { agent, reason: 'auto' } : { agent: nextAgent(all, current, eligible), reason: 'next-in-order' }
}

/** The group with another last message of the choice; those that stand for chats are not in its list. */
function withPrompt(run: PatternRun, template: string, eligible: readonly ConversableAgent[]): GroupState {
  const listed = eligible.filter((agent) => !run.standIns.has(agent))
  const agentlist = `[${listed.map(({ name }) => `'${name}'`).join(', ')}]`
  const prompt = filledText(template, { ...(valuesIn(run) as object), agentlist }, (name) => run.missing.add(name))
  return { ...run.group, settings: { ...run.group.settings, selectSpeakerPromptTemplate: prompt } }
}
