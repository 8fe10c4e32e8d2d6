import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isTargetObject, type Target } from '../handoff/target.ts'
import type { PatternRun } from './pattern-run.ts'

/** Refuses targets that cannot be reached, before the first message. */
export function checkTargets(run: PatternRun): void {
  for (const { agent, tests, byModel, after, inputGuardrails, outputGuardrails } of run.members.values()) {
    for (const { to } of [...tests, ...byModel, ...after]) checkTarget(run, to, `a handoff of \`${agent.name}\``)
    for (const { to, name } of [...inputGuardrails, ...outputGuardrails]) {
      checkTarget(run, to, `the guardrail \`${name}\` of \`${agent.name}\``)
    }
  }
  const { groupAfterWork } = run.pattern
  if (groupAfterWork !== undefined) checkTarget(run, groupAfterWork, 'the `groupAfterWork`')
}

function checkTarget(run: PatternRun, target: Target, what: string): void {
  if (!isTargetObject(target)) return void findMember(run, target, what)
  const kind = target['~target']
  if (kind === 'randomAgent') {
    if (target.agents.length === 0)
      throw handoverError(`${what} leads to a random agent of an empty list; list some agents`)
    for (const each of target.agents) findMember(run, each, what)
  }
  if (kind === 'groupManager') {
    for (const each of target.candidates ?? []) findMember(run, each, what)
    requireManagerModel(run, what)
  }
}

/** Finds the member that an agent or a name denotes; any other is refused. */
export function findMember(run: PatternRun, target: Agent | string, what: string): Agent {
  const all = [...run.agents, ...(run.userAgent ? [run.userAgent] : []), ...run.standIns.keys()]
  const member = all.find((agent) => agent === target || agent.name === target)
  if (member) return member
  const name = typeof target === 'string' ? target : target.name
  throw handoverError(
    `${what} leads to \`${name}\`, who is not in the group; the group has ${all.map((each) => `\`${each.name}\``).join(', ')}`,
  )
}

/** Refuses a choice by the model of the manager when the manager has no model. */
export function requireManagerModel({ manager }: PatternRun, what: string): void {
  if (manager.llmConfig) return
  throw handoverError(
    `${what} leaves the choice to the model of \`${manager.name}\`, which has none; give it an \`llmConfig\` in \`groupManagerArgs\``,
  )
}

const handoverError = (problem: string): XError =>
  new XError('invalid-argument', `cannot hand over in a group: ${problem}`)
