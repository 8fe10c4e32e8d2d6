import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isTargetObject, type Target } from '../handoff/target.ts'
import type { PatternRun } from './pattern-run.ts'

/** Refuses targets that cannot be reached, before anything is said. */
export function checkTargets(run: PatternRun): void {
  for (const { agent, tests, words, after, inputGuardrails, outputGuardrails } of run.members.values()) {
    for (const { to } of [...tests, ...words, ...after]) checkTarget(run, to, `a handoff of \`${agent.name}\``)
    for (const { to, name } of [...inputGuardrails, ...outputGuardrails]) {
      checkTarget(run, to, `the guardrail \`${name}\` of \`${agent.name}\``)
    }
  }
  const { groupAfterWork } = run.pattern
  if (groupAfterWork !== undefined) checkTarget(run, groupAfterWork, 'the `groupAfterWork`')
}

function checkTarget(run: PatternRun, target: Target, what: string): void {
  if (!isTargetObject(target)) return void memberOf(run, target, what)
  const kind = target['~target']
  if (kind === 'randomAgent') {
    if (target.agents.length === 0) throw refused(`${what} leads to a random agent of an empty list; name some`)
    for (const each of target.agents) memberOf(run, each, what)
  }
  if (kind === 'groupManager') {
    for (const each of target.candidates ?? []) memberOf(run, each, what)
    requireManagerModel(run, what)
  }
}

/** Finds the member that an agent or a name means; a stranger is refused. */
export function memberOf(run: PatternRun, target: Agent | string, what: string): Agent {
  const all = [...run.agents, ...(run.userAgent ? [run.userAgent] : []), ...run.standIns.keys()]
  const found = all.find((agent) => agent === target || agent.name === target)
  if (found) return found
  const name = typeof target === 'string' ? target : target.name
  throw refused(
    `${what} leads to \`${name}\`, who is not in the group; the group has ${all.map((each) => `\`${each.name}\``).join(', ')}`,
  )
}

/** Refuses a choice by the manager's model where the manager has none. */
export function requireManagerModel({ manager }: PatternRun, what: string): void {
  if (manager.llmConfig) return
  throw refused(
    `${what} leaves the choice to the model of \`${manager.name}\`, which has none; give it an \`llmConfig\` in \`groupManagerArgs\``,
  )
}

const refused = (problem: string): XError =>
  new XError('invalid-argument', `the floor of a group cannot be handed over: ${problem}`)
