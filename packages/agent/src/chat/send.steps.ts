import type { Agent, ChatMessage, MaybePromise, Reply, Run, SendOptions } from '@x/interfaces'
import { appendMessage, type Conversation, isSilent, openConversation, type State, stateOf } from '../memory/state.ts'
import { currentRun, wait, XError, type Steps } from '@x/kernel'
import { needsAwait } from '@x/kernel/run'
import { scopeIn } from '../run/scope.ts'
import { withSilence } from '../run/within.steps.ts'
import { replyInRun } from '../reply/reply.steps.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { withoutOpenCalls } from './open-calls.steps.ts'
import { fillTemplate, storedMessage } from '../data/message.ts'

interface SendChoice extends Pick<SendOptions, 'requestReply' | 'silent'> {
  /** Most messages to carry; default: any number. */
  readonly maxMessages?: number | undefined
}

/** Who says something, and whom it is said to. */
type Direction = readonly [from: State, to: State]

/** Sends a message: hands it out, then carries replies to and fro as long as they are wanted. */
export function* send(from: Agent, reply: Reply, to: Agent, options: SendChoice): Steps<void> {
  const message = yield* handOut([stateOf(from), stateOf(to)], reply, options.silent, yield* currentRun())
  yield* receive(to, message, from, options)
}

/** Says something to an agent that does not reply to it; gives the message as that one keeps it. */
export function* say(from: Agent, reply: Reply, to: Agent, silent: boolean | null = null): Steps<ChatMessage> {
  const run = yield* currentRun()
  const [forth, { chat }] = [[stateOf(from), stateOf(to)] as const, scopeIn(run)]
  const message = yield* handOut(forth, reply, silent, run)
  const shown = takeIn(forth, message, silent, run)
  if (needsAwait(run, shown)) yield* wait(shown, 'a listener')
  return openConversation(forth[1], from, chat).messages.at(-1)!
}

/**
 * Says one message to several agents, which do not reply to it; nothing is shown. Where no hook changes it, all histories
 * share it.
 */
export function* sayToAll(from: Agent, message: ChatMessage, recipients: readonly Agent[]): Steps<void> {
  const run = yield* currentRun()
  const state = stateOf(from)
  const { recorder, chat } = scopeIn(run)
  const hooked = state.hooks.processMessageBeforeSend.length > 0 || recorder
  const shared = storedPair(message, from.name)
  for (const recipient of recipients) {
    const said = hooked ? yield* processBeforeSend(state, message, recipient, true) : message
    const [own, their] = said === message ? shared : storedPair(said, from.name)
    addMessage(openConversation(state, recipient, chat), own, true)
    addMessage(openConversation(stateOf(recipient), from, chat), their, false)
  }
}

/** A message as its two sides keep it. */
const storedPair = (reply: Reply, sender: string): readonly [own: ChatMessage, their: ChatMessage] => [
  storedMessage(reply, 'assistant', sender),
  storedMessage(reply, 'user', sender),
]

function addMessage(conversation: Conversation, message: ChatMessage, isOwn: boolean): void {
  appendMessage(conversation, message)
  conversation.begun = true
  conversation.saidLast = isOwn
}

/** Takes a message in and carries replies to and fro; a chat that is stopped leaves no call without an answer. */
export function* receive(recipient: Agent, reply: Reply, sender: Agent, options: SendChoice): Steps<void> {
  const [to, from] = [stateOf(recipient), stateOf(sender)]
  const run = yield* currentRun()
  const { chat } = scopeIn(run)
  const sides = (): [State, Conversation][] => [
    [to, openConversation(to, sender, chat)],
    [from, openConversation(from, recipient, chat)],
  ]
  yield* withSilence(options.silent, withoutOpenCalls(sides, carryHere([from, to], reply, options)))
}

/** Sends a message within a chat, which sees to its open calls and its silence itself. */
export function* sendInChat(direction: Direction, reply: Reply, options: SendChoice, run: Run): Steps<void> {
  const message = yield* handOut(direction, reply, options.silent, run)
  yield* carry(direction, message, options, run)
}

/** Carries messages in the scope that the steps are run in. */
function* carryHere(direction: Direction, reply: Reply, options: SendChoice): Steps<void> {
  yield* carry(direction, reply, options, yield* currentRun())
}

/** The chat itself: takes a message in and, as long as replies are wanted, carries them to the other side. */
function* carry(direction: Direction, reply: Reply, options: SendChoice, run: Run): Steps<void> {
  const { requestReply, silent, maxMessages = Infinity } = options
  let [forth, back]: readonly Direction[] = [direction, [direction[1], direction[0]]]
  let message = reply
  let wanted = requestReply
  const { chat } = scopeIn(run)
  for (let carried = 1; ; carried++) {
    const [from, to] = forth!
    const shown = takeIn(forth!, message, silent, run)
    if (needsAwait(run, shown)) yield* wait(shown, 'a listener')
    if (!(wanted ?? openConversation(to, from.agent, chat).replyAtReceive)) return
    const answer = yield* replyInRun(to, { sender: from.agent }, run)
    if (answer === null) return
    if (carried >= maxMessages) throw tooMany(direction, maxMessages)
    message = isHooked(to, run) ? yield* handOut(back!, answer, silent, run) : keepOwn(back!, answer, run)
    wanted = null
    ;[forth, back] = [back, forth]
  }
}

const tooMany = ([from, to]: Direction, maxMessages: number): XError =>
  new XError(
    'too-many-messages',
    `the chat of \`${from.name}\` with \`${to.name}\` has not ended after ${maxMessages} messages: limit it by \`maxTurns\`, or raise \`maxMessages\``,
    { details: { maxMessages } },
  )

/** Keeps a received message and shows it, unless its sender is silent. */
function takeIn([from, to]: Direction, reply: Reply, silent: boolean | null | undefined, run: Run): MaybePromise<void> {
  const conversation = openConversation(to, from.agent, scopeIn(run).chat)
  const message = storedMessage(reply, 'user', from.agent.name)
  addMessage(conversation, message, false)
  if (isSilent(from, silent) || !scopeIn(run).takes('receivedMessage')) return undefined
  return run.emit({
    type: 'receivedMessage',
    agent: from.name,
    sender: from.name,
    recipient: to.name,
    message: asPlainJson(message, to),
  })
}

/** Lets the hooks change a message and keeps it as one's own. */
function* handOut(direction: Direction, reply: Reply, silent: boolean | null | undefined, run: Run): Steps<Reply> {
  const [from, to] = direction
  const message = isHooked(from, run) ? yield* processBeforeSend(from, reply, to.agent, silent) : reply
  return keepOwn(direction, message, run)
}

const isHooked = ({ hooks }: State, run: Run): boolean =>
  hooks.processMessageBeforeSend.length > 0 || scopeIn(run).recorder !== null

/** Keeps a message as one's own. */
function keepOwn([from, to]: Direction, message: Reply, run: Run): Reply {
  const conversation = openConversation(from, to.agent, scopeIn(run).chat)
  addMessage(conversation, storedMessage(message, 'assistant', from.agent.name), true)
  return message
}

/** A message as plain JSON: a content that is computed or a template is shown as it comes out now. */
function asPlainJson(message: ChatMessage, { llmConfig }: State): ChatMessage {
  const { content, context, ...rest } = message
  if (typeof content === 'function') return { ...rest, content: content(context ?? {}) }
  if (typeof content !== 'string' || !context) return message
  const isTemplate = llmConfig !== false && llmConfig.config.allowFormatStrTemplate
  return isTemplate ? { ...rest, content: fillTemplate(content, (name) => context[name]) } : message
}
