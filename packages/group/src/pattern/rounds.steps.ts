import type { ConversableAgent } from '@x/agent'
import {
  append,
  broadcast,
  endConversation,
  generateReply,
  internalsOf,
  leadMembers,
  withSilence,
} from '@x/agent/steps'
import type { Agent, ChatMessage, Reply, ReplyOutcome, SpeakerReason, TerminationReason } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { saysSomething, toGroupMessage } from '../group/group-messages.ts'
import { answerStoppedCalls } from '../group/open-calls.ts'
import { answerNow } from '../handoff/handoff.ts'
import { isTargetObject } from '../handoff/target.ts'
import { announcement } from '../run/run-chat.steps.ts'
import { answerCalls, findCaller } from './calls.steps.ts'
import { chooseNextSpeaker } from './next-speaker.steps.ts'
import { screenMessage } from './policy.steps.ts'
import { TOOL_EXECUTOR_NAME, toolCallsOf, readVariables, type PatternRun } from './pattern-run.ts'
import { replyOfMember } from './reply.steps.ts'
import { enterStandIn, shownTo, type RunInnerGroup } from './stand-ins.ts'

/** Runs a pattern from a message on; the manager itself replies nothing. */
export function* replyByPattern(
  run: PatternRun,
  sender: Agent,
  message: ChatMessage,
  runInner: RunInnerGroup,
): Steps<ReplyOutcome> {
  yield* leadMembers(run.manager, runToEnd(run, sender, message, runInner))
  return [true, null]
}

function* runToEnd(run: PatternRun, sender: Agent, message: ChatMessage, runInner: RunInnerGroup): Steps<void> {
  const reason = yield* runRounds(run, sender, message, runInner)
  yield* warnOfMissingVariables(run)
  if (reason) yield* endConversation(run.manager, sender, reason)
}

/** The last message with its speaker: the reply of a member, or the answers to its calls. */
interface SpokenMessage {
  readonly name: string
  /** The member that spoke, or whose calls were answered. */
  readonly speaker: Agent
  readonly message: ChatMessage
  readonly answersCalls: boolean
}

/** The rounds of a run: sends each message to the members, and answers its calls or asks the next speaker for a reply. */
function* runRounds(
  run: PatternRun,
  sender: Agent,
  first: ChatMessage,
  runInner: RunInnerGroup,
): Steps<TerminationReason | null> {
  const { maxRounds } = run
  const { isTerminationMsg } = internalsOf(run.manager)
  let spoken: SpokenMessage = { name: sender.name, speaker: sender, message: first, answersCalls: false }
  for (let round = 1; ; round++) {
    const { name, speaker, answersCalls } = spoken
    const message = yield* broadcastMessage(run, spoken)
    const calls = toolCallsOf(message)
    if (calls.length > 0 && round >= maxRounds) {
      yield* broadcastMessage(run, stoppedAnswer(message, speaker))
      return 'max-rounds'
    }
    if (calls.length === 0) {
      if (isTerminationMsg(message, speaker)) return 'termination-message'
      if (round >= maxRounds) return 'max-rounds'
      if (isEndedByUntil(run, name, round)) return 'until'
    }
    if (run.handoffsInRow > run.members.size + (isLeaving(run) ? 1 : 0)) return 'handoff-loop'
    if (calls.length > 0) {
      const caller = findCaller(run, speaker.name)
      yield* announce(run, TOOL_EXECUTOR_NAME, 'executor', round + 1)
      const answer = yield* answerCalls(run, caller, message, runInner)
      yield* withSilence(run.silent, showAnswer(run, answer))
      // Agents whose own tools name the next one are at work, however long they say nothing.
      if (calls.some((each) => !run.handoffNames.has(each.function.name))) run.handoffsInRow = 0
      else if (run.next && !saysSomething(message)) run.handoffsInRow++
      spoken = { name: TOOL_EXECUTOR_NAME, speaker: caller, message: answer, answersCalls: true }
      continue
    }
    const next = yield* chooseNextSpeaker(run, { speaker, answersCalls }, runInner)
    if (!next) return 'no-next-speaker'
    yield* announce(run, next.agent.name, next.reason, round + 1)
    const reply = yield* speak(run, next.agent)
    if (reply === null) return internalsOf(next.agent).conversations.get(run.manager)?.ended ?? null
    noteReply(run, next.agent, reply)
    const sent = yield* append(next.agent, reply, run.manager, run.silent)
    spoken = { name: next.agent.name, speaker: next.agent, message: sent, answersCalls: false }
  }
}

const LEAVING_KINDS: ReadonlySet<string> = new Set(['terminate', 'revertToUser', 'askUser', 'nestedChat', 'groupChat'])

/** Whether the next target leads out of a circle of members: to the end, to a person or to a chat inside. */
const isLeaving = ({ next }: PatternRun): boolean =>
  next !== null && isTargetObject(next.target) && LEAVING_KINDS.has(next.target['~target'])

const stoppedAnswer = (message: ChatMessage, speaker: Agent): SpokenMessage => ({
  name: TOOL_EXECUTOR_NAME,
  speaker,
  message: answerStoppedCalls(message, TOOL_EXECUTOR_NAME),
  answersCalls: true,
})

/** Adds a message to the group, and sends it to all members but its speaker, after the rules between agents. */
function* broadcastMessage(
  run: PatternRun,
  { name, speaker, message: original, answersCalls }: SpokenMessage,
): Steps<ChatMessage> {
  const { group } = run
  const message = toGroupMessage(original, name, true)
  group.messages.push(message)
  const others = answersCalls ? group.settings.agents : group.settings.agents.filter((agent) => agent !== speaker)
  yield* handOut(run, message, (run.standIns.get(speaker)?.parent ?? speaker).name, others)
  return message
}

/** Sends a message to agents, after the rules between its speaker and each of them. */
export function* handOut(
  run: PatternRun,
  message: ChatMessage,
  from: string,
  to: readonly ConversableAgent[],
): Steps<void> {
  const { manager, policy } = run
  const isWatched = ({ name }: Agent): boolean => policy.between.some((rule) => rule.to === '*' || rule.to === name)
  yield* broadcast(
    manager,
    message,
    to.filter((agent) => !isWatched(agent)),
  )
  for (const agent of to.filter(isWatched)) {
    const screened = yield* screenMessage(run, policy.between, { from, to: agent.name }, message)
    yield* broadcast(manager, screened, [agent])
  }
}

function isEndedByUntil(run: PatternRun, lastSpeaker: string, rounds: number): boolean {
  const { until } = run.pattern
  if (!until) return false
  const standing = { messages: run.group.messages, variables: readVariables(run), lastSpeaker, rounds }
  const detail: unknown = answerNow(until(standing), '`until` of a pattern')
  if (typeof detail !== 'string' && !detail) return false
  run.terminationDetail = typeof detail === 'string' ? detail : null
  return true
}

const announce = (run: PatternRun, speaker: string, reason: SpeakerReason, round: number): Steps<void> =>
  withSilence(run.silent, announcement(speaker, reason, round))

/** Sends the answers to calls as the event of a message to the manager, which is the next one of the group. */
function* showAnswer({ manager, group, silent }: PatternRun, message: ChatMessage): Steps<void> {
  const sender = TOOL_EXECUTOR_NAME
  const received = { sender, recipient: manager.name, message, index: group.messages.length }
  yield { type: 'receivedMessage', agent: sender, ...received, ...(silent && { silent }) }
}

function* speak(run: PatternRun, agent: ConversableAgent): Steps<Reply | null> {
  const standIn = run.standIns.get(agent)
  if (standIn) {
    enterStandIn(run, standIn)
    // It may pass on no more than its agent was shown.
    const messages = run.policy.between.length > 0 ? shownTo(run, standIn.parent) : run.group.messages
    const reply = yield* generateReply(agent, { sender: run.manager, messages })
    run.handoffNotice = false
    return reply
  }
  return yield* replyOfMember(run, run.members.get(agent)!)
}

/** Notes the last speaker, and counts handoffs without any text between them. */
function noteReply(run: PatternRun, agent: ConversableAgent, reply: Reply): void {
  if (agent !== run.userAgent) run.lastAgent = agent
  if (run.handoffNotice) run.handoffsInRow++
  else if (typeof reply === 'string' ? reply !== '' : saysSomething(reply)) run.handoffsInRow = 0
}

/** Warns of each placeholder without a variable. */
function* warnOfMissingVariables({ manager, missingVariables }: PatternRun): Steps<void> {
  for (const name of missingVariables) {
    const text = `a text of a handoff has the placeholder \`{${name}}\`, but there is no context variable of that name: the placeholder stays`
    yield { type: 'warning', agent: manager.name, topic: 'handoff', text }
  }
}
