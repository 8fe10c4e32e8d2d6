import type { ConversableAgent } from '@x/agent'
import { endConversation, generateReply, internalsOf, leadMembers, say, sayToAll } from '@x/agent/steps'
import type {
  Agent,
  ChatMessage,
  EventBody,
  Reply,
  ReplyOutcome,
  SpeakerReason,
  TerminationReason,
} from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { groupMessage } from '../group/group-messages.ts'
import { answerCalls, callerOf, stoppedCalls } from './calls.steps.ts'
import { nextSpeaker } from './next-speaker.steps.ts'
import { messageOnWay } from './policy.steps.ts'
import { EXECUTOR, callsIn, valuesIn, type PatternRun } from './pattern-run.ts'
import { replyOf } from './reply.steps.ts'
import { enterStandIn, type RunInnerGroup } from './stand-ins.ts'

/** Answers a message by a run of the pattern; the manager itself says nothing. */
export function* replyByPattern(
  run: PatternRun,
  sender: Agent,
  message: ChatMessage,
  runInner: RunInnerGroup,
): Steps<ReplyOutcome> {
  yield* leadMembers(run.manager, conduct(run, sender, message, runInner))
  return [true, null]
}

function* conduct(run: PatternRun, sender: Agent, message: ChatMessage, runInner: RunInnerGroup): Steps<void> {
  const reason = yield* talk(run, sender, message, runInner)
  yield* warnOfMissing(run)
  if (reason) yield* endConversation(run.manager, sender, reason)
}

/** The last message, and who said it: a member, or the answers to calls. */
interface Said {
  readonly name: string
  /** Who has spoken; for answers to calls, whose calls they were. */
  readonly speaker: Agent
  readonly message: ChatMessage
  readonly answersCalls: boolean
}

/** Carries the messages; gives why the talk ended. */
function* talk(
  run: PatternRun,
  sender: Agent,
  first: ChatMessage,
  runInner: RunInnerGroup,
): Steps<TerminationReason | null> {
  const { maxRounds } = run
  const { isTerminationMsg } = internalsOf(run.manager)
  let said: Said = { name: sender.name, speaker: sender, message: first, answersCalls: false }
  for (let round = 1; ; round++) {
    const { name, speaker, answersCalls } = said
    const message = yield* handOut(run, said)
    const calls = callsIn(message)
    if (calls.length > 0 && round >= maxRounds) {
      yield* handOut(run, stoppedAnswer(message, speaker))
      return 'max-rounds'
    }
    if (calls.length === 0) {
      if (isTerminationMsg(message, speaker)) return 'termination-message'
      if (round >= maxRounds) return 'max-rounds'
      if (isOver(run, name, round)) return 'until'
    }
    if (run.handoffsInRow > run.members.size) return 'handoff-loop'
    if (calls.length > 0) {
      const caller = callerOf(run, speaker.name)
      yield* announce(run, EXECUTOR, 'executor', round + 1)
      const answer = yield* answerCalls(run, caller, message, runInner)
      yield* show(run, EXECUTOR, answer)
      if (run.next && !hasContent(message)) run.handoffsInRow++
      said = { name: EXECUTOR, speaker: caller, message: answer, answersCalls: true }
      continue
    }
    const next = yield* nextSpeaker(run, { speaker, answersCalls }, runInner)
    if (!next) return 'no-next-speaker'
    yield* announce(run, next.agent.name, next.reason, round + 1)
    const reply = yield* speak(run, next.agent)
    if (reply === null) return internalsOf(next.agent).conversations.get(run.manager)?.ended ?? null
    noteReply(run, next.agent, reply)
    const heard = yield* say(next.agent, reply, run.manager, run.silent)
    said = { name: next.agent.name, speaker: next.agent, message: heard, answersCalls: false }
  }
}

const stoppedAnswer = (message: ChatMessage, speaker: Agent): Said => ({
  name: EXECUTOR,
  speaker,
  message: stoppedCalls(message),
  answersCalls: true,
})

/** Adds a message to the group, and hands it to all but who said it. */
function* handOut(run: PatternRun, { name, speaker, message: said, answersCalls }: Said): Steps<ChatMessage> {
  const { group, manager } = run
  const message = groupMessage(said, name)
  group.messages.push(message)
  const others = answersCalls ? group.settings.agents : group.settings.agents.filter((agent) => agent !== speaker)
  const { between } = run.policy
  const watched =
    between.length === 0
      ? []
      : others.filter(({ name: to }) => between.some((rule) => rule.to === '*' || rule.to === to))
  yield* sayToAll(
    manager,
    message,
    others.filter((agent) => !watched.includes(agent)),
  )
  for (const agent of watched) {
    const way = { from: speaker.name, to: agent.name }
    const left = yield* messageOnWay(run, between, way, message)
    yield* sayToAll(manager, left, [agent])
  }
  return message
}

function isOver(run: PatternRun, lastSpeaker: string, rounds: number): boolean {
  const { until } = run.pattern
  const words = until?.({ messages: run.group.messages, variables: valuesIn(run), lastSpeaker, rounds })
  if (words === undefined || words === false) return false
  run.detail = words
  return true
}

function* announce(run: PatternRun, speaker: string, reason: SpeakerReason, round: number): Steps<void> {
  if (!run.silent) yield { type: 'groupChatRunChat', agent: speaker, speaker, round, reason }
}

/** Shows the answers to calls as a message to the manager. */
function* show(run: PatternRun, sender: string, message: ChatMessage): Steps<void> {
  if (run.silent) return
  yield { type: 'receivedMessage', agent: sender, sender, recipient: run.manager.name, message } satisfies EventBody
}

function* speak(run: PatternRun, agent: ConversableAgent): Steps<Reply | null> {
  const standIn = run.standIns.get(agent)
  if (standIn) {
    enterStandIn(run, standIn)
    const reply = yield* generateReply(agent, { sender: run.manager, messages: run.group.messages })
    run.handoffNotice = false
    return reply
  }
  return yield* replyOf(run, run.members.get(agent)!)
}

/** Notes who has spoken, and whether anything was said. */
function noteReply(run: PatternRun, agent: ConversableAgent, reply: Reply): void {
  if (agent !== run.userAgent) run.lastAgent = agent
  if (run.handoffNotice) run.handoffsInRow++
  else if (typeof reply === 'string' ? reply !== '' : hasContent(reply)) run.handoffsInRow = 0
}

const hasContent = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) ? content.length > 0 : typeof content === 'string' && content !== ''

/** Warns of placeholders that had no variable, each once. */
function* warnOfMissing({ manager, missing }: PatternRun): Steps<void> {
  for (const name of missing) {
    const text = `a text of a handoff has the placeholder \`{${name}}\`, and there is no context variable of that name: it stays as it is`
    yield { type: 'warning', agent: manager.name, topic: 'handoff', text }
  }
}
