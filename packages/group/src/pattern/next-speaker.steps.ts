import type { ConversableAgent } from '@x/agent'
import type { Agent, SpeakerReason } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { passes, type AfterWork } from '../handoff/handoff.ts'
import { type FunctionTarget, isTargetObject, type Target } from '../handoff/target.ts'
import { askFunctionTarget, chooseByManager, chooseByPerson, pickAgent } from './choose.steps.ts'
import { findMember, requireManagerModel } from './check-targets.ts'
import { readVariables, type PatternRun } from './pattern-run.ts'
import { describeTargetIn } from './reply.steps.ts'
import { needsStandIn, getStandIn, type RunInnerGroup } from './stand-ins.ts'

/** The next speaker, and the reason. */
export interface NextSpeaker {
  readonly agent: ConversableAgent
  readonly reason: SpeakerReason
}

/** The agent that a target denotes, or null for nobody, and the reason. */
interface ResolvedTarget {
  readonly agent: ConversableAgent | null
  readonly reason: SpeakerReason
}

/** The last turn, after which a speaker is chosen. */
interface Turn {
  /** The last speaker. */
  readonly speaker: Agent
  /** True if the last message answers calls. */
  readonly answersCalls: boolean
}

/** Chooses who speaks next; null ends the chat. */
export function* chooseNextSpeaker(run: PatternRun, turn: Turn, runInner: RunInnerGroup): Steps<NextSpeaker | null> {
  const { next } = run
  if (run.isFirst && !next) {
    run.isFirst = false
    return { agent: run.initialAgent, reason: 'initial' }
  }
  run.isFirst = false
  if (next) {
    run.next = null
    const current = turn.answersCalls && run.lastAgent ? run.lastAgent : turn.speaker
    return toNextSpeaker(yield* resolveTarget(run, next.target, current as ConversableAgent, runInner))
  }
  const last = run.lastAgent
  if (!last) {
    throw new XError(
      'invalid-state',
      `cannot find the next speaker in the group of \`${run.manager.name}\`: none of its agents has spoken; begin with the initial agent`,
    )
  }
  if (turn.answersCalls) return { agent: last, reason: 'answered' }
  const isUser = turn.speaker === run.userAgent
  if (isUser && !hasAfterWorks(run, turn.speaker)) return { agent: last, reason: 'answered' }
  const speaker = isUser ? run.userAgent : last
  const after = findAfterWork(run, speaker)
  const target = after ?? run.pattern.groupAfterWork
  if (target === undefined) return null
  const by = after === undefined ? 'groupAfterWork' : 'afterWork'
  const isChosenLate = targetKind(target) === 'askUser' || targetKind(target) === 'groupManager'
  const description = describeTargetIn(run, speaker, target)
  if (isChosenLate) yield { type: 'handoff', agent: speaker.name, ...description, by }
  const resolved = yield* resolveTarget(run, target, speaker, runInner)
  const picked = targetKind(target) === 'randomAgent' && resolved.agent ? { to: resolved.agent.name } : {}
  if (!isChosenLate) yield { type: 'handoff', agent: speaker.name, ...description, ...picked, by }
  return toNextSpeaker(resolved)
}

const targetKind = (target: Target): string | null => (isTargetObject(target) ? target['~target'] : null)

const toNextSpeaker = ({ agent, reason }: ResolvedTarget): NextSpeaker | null => agent && { agent, reason }

const hasAfterWorks = ({ pattern, members }: PatternRun, agent: Agent): boolean =>
  pattern.next !== undefined || (members.get(agent)?.after.length ?? 0) > 0

/** Finds the target of the first after-work that applies; undefined without one. */
function findAfterWork(run: PatternRun, speaker: ConversableAgent): Target | undefined {
  const standIn = run.standIns.get(speaker)
  if (standIn) return standIn.parent
  const { pattern, agents, userAgent } = run
  if (pattern.next) return pattern.next({ speaker, agents, userAgent })
  const applies = ({ after, available }: AfterWork<never>): boolean =>
    (!available || passes(available, readVariables(run))) && (after === true || passes(after, readVariables(run)))
  return run.members.get(speaker)?.after.find(applies)?.to
}

/** Finds the agent that a target denotes. */
function* resolveTarget(
  run: PatternRun,
  target: Target,
  current: ConversableAgent,
  runInner: RunInnerGroup,
): Steps<ResolvedTarget> {
  if (!isTargetObject(target)) {
    return { agent: findMember(run, target, `a target of \`${current.name}\``) as ConversableAgent, reason: 'handoff' }
  }
  if (needsStandIn(target)) {
    const parent = run.standIns.get(current)?.parent ?? current
    return { agent: getStandIn(run, parent, target, runInner).agent, reason: 'handoff' }
  }
  switch (target['~target']) {
    case 'stay':
      return { agent: current, reason: 'handoff' }
    case 'terminate':
      run.terminationDetail = target.reason ?? null
      return { agent: null, reason: 'handoff' }
    case 'revertToUser':
      return { agent: requireUserAgent(run), reason: 'handoff' }
    case 'askUser':
      return yield* chooseByPerson(run, current)
    case 'groupManager':
      requireManagerModel(run, 'a target')
      return yield* chooseByManager(run, target, current)
    case 'randomAgent':
      return { agent: yield* pickAgent(run, target, current), reason: 'random' }
    default:
      return yield* resolveTarget(run, yield* askFunctions(run, target, current), current, runInner)
  }
}

/** Most functions in a row that each hand over to the next one. */
const MAX_FUNCTIONS_IN_ROW = 100

/** Asks a function, and the functions that it and they hand over to, for a target that is no function. */
function* askFunctions(run: PatternRun, first: FunctionTarget<never>, current: ConversableAgent): Steps<Target> {
  let asked = first
  for (let count = 0; count < MAX_FUNCTIONS_IN_ROW; count++) {
    const target = yield* askFunctionTarget(run, asked, current)
    if (!isTargetObject(target) || target['~target'] !== 'function') return target
    asked = target
  }
  throw new XError(
    'invalid-state',
    `cannot hand over by the function \`${asked.name}\`: ${MAX_FUNCTIONS_IN_ROW} functions in a row handed over to a function; return an agent or another target`,
  )
}

function requireUserAgent({ userAgent }: PatternRun): ConversableAgent {
  if (userAgent) return userAgent
  throw new XError(
    'invalid-argument',
    'cannot hand over to the user: the pattern has no `userAgent`; give one, or end the chat by `terminate` and go on with its messages later',
  )
}
