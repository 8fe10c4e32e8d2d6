import type { ConversableAgent } from '@x/agent'
import type { Agent, SpeakerReason } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import type { AfterWork } from '../handoff/handoff.ts'
import { isTargetObject, type Target } from '../handoff/target.ts'
import { askFunctionTarget, chooseByManager, chooseByPerson, drawAgent } from './choose.steps.ts'
import { memberOf, requireManagerModel } from './check-targets.ts'
import { valuesIn, type PatternRun } from './pattern-run.ts'
import { factsOf } from './reply.steps.ts'
import { isForStandIn, standInFor, type RunInnerGroup } from './stand-ins.ts'

/** The next speaker, and the reason. */
export interface NextSpeaker {
  readonly agent: ConversableAgent
  readonly reason: SpeakerReason
}

/** What a target has come to: an agent, or nobody; and the name to show, where it is another. */
interface Resolved {
  readonly agent: ConversableAgent | null
  readonly reason: SpeakerReason
}

/** Whose turn it was, for a choice. */
interface Turn {
  /** Who has spoken last. */
  readonly speaker: Agent
  /** Whether the last message answers calls. */
  readonly answersCalls: boolean
}

/** Decides who speaks next; null: nobody. */
export function* nextSpeaker(run: PatternRun, turn: Turn, runInner: RunInnerGroup): Steps<NextSpeaker | null> {
  const { next } = run
  if (run.isFirst && !next) {
    run.isFirst = false
    return { agent: run.initialAgent, reason: 'initial' }
  }
  run.isFirst = false
  if (next) {
    run.next = null
    const current = turn.answersCalls && run.lastAgent ? run.lastAgent : turn.speaker
    return spoken(yield* resolveTarget(run, next.target, current as ConversableAgent, runInner))
  }
  const last = run.lastAgent
  if (!last) throw noSpeaker(run)
  if (turn.answersCalls) return { agent: last, reason: 'answered' }
  const isUser = turn.speaker === run.userAgent
  if (isUser && !hasAfterWorks(run, turn.speaker)) return { agent: last, reason: 'answered' }
  const speaker = isUser ? run.userAgent : last
  const after = afterWorkOf(run, speaker)
  const target = after ?? run.pattern.groupAfterWork
  if (target === undefined) return null
  const by = after === undefined ? 'groupAfterWork' : 'afterWork'
  const isAsked = kindOf(target) === 'askUser' || kindOf(target) === 'groupManager'
  const facts = factsOf(run, speaker, target)
  if (isAsked) yield { type: 'handoff', agent: speaker.name, ...facts, by }
  const found = yield* resolveTarget(run, target, speaker, runInner)
  const drawn = kindOf(target) === 'randomAgent' && found.agent ? { to: found.agent.name } : {}
  if (!isAsked) yield { type: 'handoff', agent: speaker.name, ...facts, ...drawn, by }
  return spoken(found)
}

const kindOf = (target: Target): string | null => (isTargetObject(target) ? target['~target'] : null)

const spoken = ({ agent, reason }: Resolved): NextSpeaker | null => agent && { agent, reason }

const hasAfterWorks = ({ pattern, members }: PatternRun, agent: Agent): boolean =>
  pattern.next !== undefined || (members.get(agent)?.after.length ?? 0) > 0

/** The target of the first after-work that holds; undefined without one. */
function afterWorkOf(run: PatternRun, speaker: ConversableAgent): Target | undefined {
  const standIn = run.standIns.get(speaker)
  if (standIn) return standIn.parent
  const { pattern, agents, userAgent } = run
  if (pattern.next) return pattern.next({ speaker, agents, userAgent })
  const holds = ({ after, available }: AfterWork<never>): unknown =>
    (!available || available(valuesIn(run))) && (after === true || after(valuesIn(run)))
  return run.members.get(speaker)?.after.find(holds)?.to
}

/** Finds out whom a target means. */
function* resolveTarget(
  run: PatternRun,
  target: Target,
  current: ConversableAgent,
  runInner: RunInnerGroup,
): Steps<Resolved> {
  if (!isTargetObject(target)) {
    return { agent: memberOf(run, target, 'a target') as ConversableAgent, reason: 'handoff' }
  }
  if (isForStandIn(target)) {
    const parent = run.standIns.get(current)?.parent ?? current
    return { agent: standInFor(run, parent, target, runInner).agent, reason: 'handoff' }
  }
  switch (target['~target']) {
    case 'stay':
      return { agent: current, reason: 'handoff' }
    case 'terminate':
      run.detail = target.reason ?? null
      return { agent: null, reason: 'handoff' }
    case 'revertToUser':
      return { agent: userOf(run), reason: 'handoff' }
    case 'askUser':
      return yield* chooseByPerson(run, current)
    case 'groupManager':
      requireManagerModel(run, 'a target')
      return yield* chooseByManager(run, target, current)
    case 'randomAgent':
      return { agent: yield* drawAgent(run, target, current), reason: 'random' }
    default:
      return yield* resolveTarget(run, yield* askFunctionTarget(run, target, current), current, runInner)
  }
}

function userOf({ userAgent }: PatternRun): ConversableAgent {
  if (userAgent) return userAgent
  throw new XError(
    'invalid-argument',
    'the floor of a group cannot go to the user: the pattern has no `userAgent`; give it one, or end the chat by `terminate` and go on with its messages later',
  )
}

const noSpeaker = ({ manager }: PatternRun): XError =>
  new XError(
    'invalid-state',
    `nobody can be found to speak next in the group of \`${manager.name}\`: none of its agents has spoken; begin with the initial agent`,
  )
