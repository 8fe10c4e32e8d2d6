import type { Agent, ChatOptions, ChatResult, Reply, Run, SendOptions, SpanEvent } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { needsAwait } from '@x/kernel/run'
import { isSilent, Side, type State, stateOf } from '../memory/state.ts'
import { plainContext } from '../data/plain-json.ts'
import { MAX_MESSAGES } from '../options/operations.ts'
import { replyInRun } from '../reply/reply.steps.ts'
import { scopeIn } from '../run/scope.ts'
import { beginUnheard, withSilence, withSpan } from '../run/within.steps.ts'
import { beginChat, type ConversationChoice, firstMessage } from './begin.steps.ts'
import { endByError, resultOf, summarizeChat, summaryMethodOf } from './end.steps.ts'
import { closeOpenCalls, withoutOpenCalls } from './open-calls.steps.ts'
import { type OpenChat, openChat } from './open.steps.ts'
import { hasSendHooks, plainMessage, receiveMessage, sendMessage, sendUnchanged } from './deliver.steps.ts'

/** Starts a chat of two agents: from its first message to its result, in a scope of its own. */
export function initiateChat<R extends ChatResult = ChatResult>(
  initiator: Agent,
  recipient: Agent,
  options: ChatOptions = {},
  start: ChatStarting<R> = {},
): Steps<R> {
  const sides = [stateOf(initiator), stateOfRecipient(initiator, recipient)] as const
  const opening = start.before ? { ...options, before: start.before } : options
  return openChat(sides, opening, (chat) => holdChat(chat, options, start, start.finish), start.place)
}

/** Settings of a chat that another operation starts. */
interface ChatStarting<R> extends ConversationChoice {
  /** Place that was reserved for the chat. */
  readonly place?: string | undefined
  /** Goes on from the result of the chat to that of the operation, inside the span of the chat. */
  readonly finish?: ((result: ChatResult) => Steps<R>) | undefined
  /** Restores what was said before the chat, as a part of its run. */
  readonly before?: Steps<void> | undefined
}

function stateOfRecipient(initiator: Agent, recipient: Agent | undefined): State {
  const state = recipient && stateOf(recipient)
  // A group has a state too, of another kind.
  if (state?.conversations) return state
  const example = `${initiator.name}.initiateChat`
  const problem =
    recipient && state && 'agents' in recipient
      ? `its recipient is a group and not its manager; write \`${example}(new GroupChatManager({ groupchat, llmConfig }), { message })\``
      : `${recipient ? 'its recipient is not an agent' : 'it has no recipient'}; give the other agent first, as in \`${example}(other, { message })\``
  throw new XError('invalid-argument', `cannot start a chat of \`${initiator.name}\`: ${problem}`)
}

/**
 * Holds an open chat, from its `chatStart` event to its `chatEnd` event. `finish` goes on from the result of the chat to
 * that of the operation.
 */
export function* holdChat<R extends ChatResult = ChatResult>(
  chat: OpenChat,
  options: ChatOptions,
  choice: ConversationChoice = {},
  finish?: (result: ChatResult) => Steps<R>,
): Steps<R> {
  const { scope, self } = chat
  const run = yield* currentRun()
  const held = fromBeginToEnd(chat, options, choice, run)
  const steps = finish ? finishChat(held, finish) : (held as Steps<R>)
  if (!scope.services.spans) return yield* steps
  const span = {
    id: `${scope.places.spanPrefix}${scope.places.place}.chat`,
    common: { type: 'chat', agent: self.state.name, recipient: self.peer.state.name },
    atStart: chatStart(options, self),
    atEnd: (result: ChatResult | undefined) => chatEnd(chat, result),
    isSuspended: ({ terminationReason }: ChatResult) => terminationReason === 'suspended',
    resumed: scope.isPast,
  } as const
  if (scope.services.hearsSpans) return yield* withSpan(scope, run, span, steps)
  const told = beginUnheard(scope, run, span)
  try {
    return told.end(yield* steps) as R
  } catch (error) {
    throw told.fail(error)
  } finally {
    told.close()
  }
}

function* finishChat<R>(held: Steps<ChatResult>, finish: (result: ChatResult) => Steps<R>): Steps<R> {
  return yield* finish(yield* held)
}

type ChatStart = Extract<SpanEvent, { type: 'chatStart' }>

/** The fields of the start event of a chat. */
function chatStart(options: ChatOptions, { state }: Side): Pick<ChatStart, 'message' | 'options'> {
  const { message = null, maxTurns = null, clearHistory = true, conversation = 'shared' } = options
  const method = summaryMethodOf(options)
  return {
    message: typeof message === 'function' ? null : plainReply(message, state),
    options: {
      maxTurns,
      clearHistory,
      conversation,
      silent: isSilent(state, options.silent),
      summaryMethod: typeof method === 'function' ? 'function' : method,
    },
  }
}

const plainReply = (message: Reply | null, state: State): Reply | null =>
  message === null || typeof message === 'string' ? message : plainMessage(message, state)

/** The fields of the end event of a chat. The messages are among them only if no other events have told them. */
function chatEnd(
  { isTold, scope, self: { state, peer } }: OpenChat,
  result: EndedChat | undefined,
): Omit<Extract<SpanEvent, { type: 'chatEnd' }>, keyof Extract<SpanEvent, { type: 'replyEnd' }> | 'recipient'> {
  if (!result) {
    const nothing = { terminationReason: null, summary: null, result: null, group: null, cost: null }
    return { ...nothing, humanInput: [], messages: null }
  }
  const { terminationReason, summary, cost, humanInput, chatHistory, result: value = null } = result
  const isWanted = !isTold && scope.skipsParts !== true
  const messages = isWanted ? chatHistory.map((message) => plainMessage(message, state)) : null
  const group = peer.state.managerRole ? groupEnd(result) : null
  return { terminationReason, summary, result: value, group, cost, humanInput, messages }
}

/** The result of a chat, of a `run` with a `result`, or of a group with a pattern. */
type EndedChat = ChatResult & { readonly result?: unknown } & Partial<GroupEnd>

type GroupEnd = NonNullable<Extract<SpanEvent, { type: 'chatEnd' }>['group']>

function groupEnd({ contextVariables, lastSpeaker, messages, terminationDetail = null }: EndedChat): GroupEnd | null {
  if (!messages) return null
  if (!contextVariables || lastSpeaker === undefined) return { messages }
  const plain = plainContext(new Map(Object.entries(contextVariables)))
  return { contextVariables: plain, lastSpeaker, messages, terminationDetail }
}

/** The stages of a chat: begin, exchange messages until `maxTurns` or until a side has no reply, summarize, end. */
function* fromBeginToEnd(
  chat: OpenChat,
  options: ChatOptions,
  choice: ConversationChoice,
  run: Run,
): Steps<ChatResult> {
  const { self } = chat
  const { maxTurns = null, silent = false } = options
  const exchange =
    maxTurns === null
      ? { silent, maxMessages: maxMessagesOf(chat, options), isChat: true }
      : { silent, requestReply: true, isChat: true }
  const leave = yield* beginChat(chat, options, choice)
  let summary: ChatResult['summary'] = ''
  let isOver = false
  try {
    let turns = 0
    let message = maxTurns === 0 ? null : yield* firstMessage(self, options)
    while (message !== null) {
      const sent: Reply = yield* sendMessage(self, message, silent, run)
      yield* exchangeMessages(self.peer, sent, exchange, run)
      turns++
      if (maxTurns === null || turns === maxTurns) break
      message = yield* replyInRun(self.state, { sender: self.peer.state.agent }, run, true)
    }
    if (turns === maxTurns) chat.end = 'max-turns'
    summary = yield* withSilence(self.state.silent, summarizeChat(chat, options))
    isOver = true
  } catch (error) {
    isOver = true
    yield* endByError(chat, error)
  } finally {
    if (!isOver) closeOpenCalls(self)
    leave()
  }
  return resultOf(chat, summary)
}

/** Returns the maximum of messages of a chat; undefined if one of the agents limits its auto replies. */
function maxMessagesOf({ self }: OpenChat, { maxMessages = MAX_MESSAGES }: ChatOptions): number | undefined {
  return self.state.limitsAutoReplies || self.peer.state.limitsAutoReplies ? undefined : maxMessages
}

/** Options of {@link exchangeMessages}. */
interface ExchangeOptions extends Pick<SendOptions, 'requestReply' | 'silent'> {
  /** Maximum of messages; default: no limit. */
  readonly maxMessages?: number | undefined
  /** True if the exchange is that of a chat, of which each reply is a turn. */
  readonly isChat?: boolean | undefined
}

/** Exchanges messages as long as replies are wanted: one side receives, replies and sends; then the sides swap. */
function* exchangeMessages(receiver: Side, first: Reply, options: ExchangeOptions, run: Run): Steps<void> {
  const { silent, maxMessages = Infinity, isChat = false } = options
  let { requestReply } = options
  let side = receiver
  let message = first
  for (let count = 1; ; count++) {
    const received = receiveMessage(side, message, silent, run)
    if (needsAwait(run, received)) yield* wait(received, 'a listener')
    if (!(requestReply ?? side.conversation.replyAtReceive)) return
    const reply = yield* replyInRun(side.state, { sender: side.peer.state.agent }, run, isChat)
    if (reply === null) return
    if (count >= maxMessages) throw tooManyMessages(receiver, maxMessages)
    // Without hooks nothing is awaited: a generator per message would double the cost of the exchange.
    message = hasSendHooks(side.state, run)
      ? yield* sendMessage(side, reply, silent, run)
      : sendUnchanged(side, reply, run)
    requestReply = null
    side = side.peer
  }
}

const tooManyMessages = ({ state, peer }: Side, maxMessages: number): XError =>
  new XError(
    'too-many-messages',
    `the chat of \`${peer.state.name}\` with \`${state.name}\` has not ended after ${maxMessages} messages: limit it by \`maxTurns\`, or raise \`maxMessages\``,
    { details: { maxMessages } },
  )

/** Sends a message outside of a chat, and exchanges messages as long as replies are wanted. */
export function* send(from: Agent, reply: Reply, to: Agent, options: ExchangeOptions): Steps<void> {
  const run = yield* currentRun()
  const sender = new Side(stateOf(from), stateOf(to), scopeIn(run).chat)
  const message = yield* sendMessage(sender, reply, options.silent, run)
  yield* receive(to, message, from, options)
}

/** Receives a message outside of a chat, and exchanges messages as long as replies are wanted. */
export function* receive(recipient: Agent, reply: Reply, sender: Agent, options: ExchangeOptions): Steps<void> {
  const side = new Side(stateOf(recipient), stateOf(sender), scopeIn(yield* currentRun()).chat)
  yield* withSilence(
    options.silent,
    withoutOpenCalls(() => closeOpenCalls(side), exchangeInScope(side, reply, options)),
  )
}

/** Exchanges messages in the scope that these steps run in. */
function* exchangeInScope(side: Side, reply: Reply, options: ExchangeOptions): Steps<void> {
  yield* exchangeMessages(side, reply, options, yield* currentRun())
}
