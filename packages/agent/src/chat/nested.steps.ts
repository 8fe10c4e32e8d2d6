import type {
  Agent,
  CallInput,
  ChatMessage,
  MaybePromise,
  QueuedChat,
  Reply,
  ReplyInput,
  ReplyOutcome,
} from '@x/interfaces'
import { currentRun, type Steps, XError } from '@x/kernel'
import { CARRYOVER_SHAPE, OUTCOME_SHAPE, REPLY_SHAPE } from '../durability/saved-shapes.ts'
import { textOfResult } from '../data/message.ts'
import { stateOf } from '../memory/state.ts'
import {
  type NestedCarryover,
  type NestedChat,
  type NestedReply,
  type RegisterNestedChatsOptions,
  type StepsReply,
  stepsReply,
} from '../options/operations.ts'
import { isAsyncFunction } from '../reply/reply-list.ts'
import { checkedOutcome } from '../reply/reply.steps.ts'
import { externalCall } from '../run/external-call.steps.ts'
import { inReply } from '../run/within.steps.ts'
import { chatsByPrerequisites, chatsInOrder } from './queue.steps.ts'
import { reflect } from './end.steps.ts'

/** Makes the reply function that answers by nested chats. */
export function nestedReplyFunction(
  queue: readonly NestedChat[],
  options: RegisterNestedChatsOptions,
): { reply: StepsReply; async: boolean; ignoreAsyncInSyncChat: boolean } {
  const { replyFuncFromNestedChats: own = 'summary_from_nested_chats', useAsync = null } = options
  const missing = queue.findIndex(({ chatId }) => chatId === undefined)
  if (useAsync && missing !== -1) {
    throw new XError(
      'invalid-argument',
      `chat ${missing} of the nested queue has no \`chatId\`: async nested chats need one`,
    )
  }
  const isFunction = typeof own === 'function'
  if (own !== 'summary_from_nested_chats' && !isFunction) {
    throw new XError(
      'invalid-argument',
      '`replyFuncFromNestedChats` is neither `summary_from_nested_chats` nor a function',
    )
  }
  if (useAsync && isFunction && !isAsyncFunction(own)) {
    throw new XError(
      'invalid-argument',
      '`replyFuncFromNestedChats` is not async: async nested chats need an async function',
    )
  }
  return {
    reply: stepsReply(isFunction ? own.name : 'summaryFromNestedChats', (agent, input) =>
      isFunction ? ownReply(own, queue, agent, input) : summaryFromNestedChats(queue, agent, input, Boolean(useAsync)),
    ),
    async: Boolean(useAsync) || (isFunction && isAsyncFunction(own)),
    ignoreAsyncInSyncChat: useAsync === null ? (options.ignoreAsyncInSyncChat ?? false) : !useAsync,
  }
}

/** Runs a queue of chats and answers with the summary of the last. */
function* summaryFromNestedChats(
  queue: readonly NestedChat[],
  agent: Agent,
  input: ReplyInput,
  useAsync: boolean,
): Steps<ReplyOutcome> {
  return yield* inReply(agent, nestedReply(queue, agent, input, useAsync))
}

function* nestedReply(
  queue: readonly NestedChat[],
  agent: Agent,
  input: ReplyInput,
  useAsync: boolean,
): Steps<ReplyOutcome> {
  const chats = yield* chatsToRun(queue, agent, input)
  const last = chats.at(-1)
  if (!last) return [true, null]
  const summary =
    useAsync && (yield* currentRun()).face !== 'sync'
      ? (yield* chatsByPrerequisites(chats, { sender: agent, nested: true })).get(last.chatId!)!.summary
      : (yield* chatsInOrder(chats, { sender: agent, nested: true })).at(-1)!.summary
  return [true, summary]
}

/** Answers by a function of the program, which gets the queue. */
function* ownReply(
  own: NestedReply,
  queue: readonly NestedChat[],
  agent: Agent,
  input: ReplyInput,
): Steps<ReplyOutcome> {
  const { messages, sender, config } = input
  const label = own.name || 'the function of nested chats'
  const asks = (): CallInput => ({ function: label, messages, sender: sender?.name ?? null })
  const call = { kind: 'reply', label, shape: OUTCOME_SHAPE, agent, asks } as const
  const outcome = yield* externalCall(call, ({ run, signal, emit, contextVariables }) =>
    own(queue, { messages, sender, config, run, signal, emit, contextVariables, recipient: agent }),
  )
  return checkedOutcome(outcome, label, agent)
}

/** Returns the chats that have a message; by default the first one passes on the last message of the outer chat. */
function* chatsToRun(queue: readonly NestedChat[], agent: Agent, input: ReplyInput): Steps<QueuedChat[]> {
  const chats: QueuedChat[] = []
  for (const [index, { carryoverConfig, ...chat }] of queue.entries()) {
    const carries = index === 0 && carryoverConfig
    const source = chat.message ?? (index === 0 && !carries ? lastContent(input.messages) : null)
    const own = typeof source === 'function' ? yield* nestedMessage(agent, source, input) : source
    const recipient = chat.recipient
    const message = carries ? yield* withOuterChat(textOf(own), carries, { agent, recipient, input }) : own
    if (message) chats.push({ ...chat, message })
  }
  return chats
}

function* nestedMessage(
  agent: Agent,
  makeMessage: (recipient: Agent, input: ReplyInput) => MaybePromise<Reply | null>,
  { messages, sender, config }: ReplyInput,
): Steps<Reply | null> {
  const asks = (): CallInput => ({ messages })
  const call = { kind: 'message', label: 'the message of a nested chat', shape: REPLY_SHAPE, agent, asks } as const
  return yield* externalCall(call, ({ run, signal, emit, contextVariables }) =>
    makeMessage(agent, { messages, sender, config, run, signal, emit, contextVariables }),
  )
}

function lastContent(messages: readonly ChatMessage[]): Reply | null {
  const content = messages.at(-1)?.content
  if (typeof content === 'string') return content
  return content ? { content } : null
}

const textOf = (reply: Reply | null): string =>
  typeof reply === 'string' ? reply : reply ? textOfResult(reply.content ?? '') : ''

/** Number of newest messages that only announce the nested chat; the Python library leaves them out as well. */
const ANNOUNCEMENT_MESSAGES = 2

/** Returns the first message of a nested queue, followed by the outer chat under `Context:`. */
function* withOuterChat(
  text: string,
  { summaryMethod: method, summaryArgs }: NestedCarryover,
  { agent, recipient, input }: { agent: Agent; recipient: Agent; input: ReplyInput },
): Steps<string> {
  const messages = input.messages.slice(0, -ANNOUNCEMENT_MESSAGES)
  const args = summaryArgs ?? {}
  const prefix = text === '' ? 'Context:\n' : `${text}\nContext:\n`
  if (method === 'all') return prefix + joinContents(messages)
  if (method === 'last_msg') return prefix + joinContents(messages.slice(-1))
  if (method === 'reflection_with_llm') {
    const asker = stateOf(input.sender ?? agent)
    return prefix + (yield* reflect(asker, stateOf(recipient), messages, args))
  }
  if (typeof method !== 'function') {
    throw new XError(
      'invalid-argument',
      `the \`summaryMethod\` of a \`carryoverConfig\` is \`${String(method)}\`: give 'all', 'last_msg', 'reflection_with_llm', or a function`,
    )
  }
  const label = 'the function that sums the outer chat up'
  const asks = (): CallInput => ({ messages, args })
  const call = { kind: 'carryover', label, shape: CARRYOVER_SHAPE, agent, asks } as const
  const carryover = yield* externalCall(call, (context) => method(agent, messages, args, context))
  return prefix + (typeof carryover === 'string' ? carryover : joinContents(carryover))
}

const joinContents = (messages: readonly ChatMessage[]): string =>
  messages
    .flatMap(({ content }) => (content === null || content === undefined ? [] : [textOfResult(content)]))
    .join('\n')
