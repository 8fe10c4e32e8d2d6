import type { Agent, ChatMessage, MaybePromise, QueuedChat, Reply, ReplyInput, ReplyOutcome } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { inReply } from '../run/side-by-side.steps.ts'
import { externalCall } from '../run/external-call.steps.ts'
import type { NestedChat, NestedReply } from '../options/operations.ts'
import { withOuterChat } from './nested-carryover.steps.ts'
import { chatsByPrerequisites, chatsInOrder } from './queue.steps.ts'
import { textOfResult } from '../memory/text.ts'
import { OUTCOME, REPLY } from '../durability/saved-shapes.ts'

/** Runs a queue of chats and answers with the summary of the last. */
export function* summaryFromNestedChats(
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

/** Lets a function of one's own answer from the queue. */
export function* ownReply(
  own: NestedReply,
  queue: readonly NestedChat[],
  agent: Agent,
  input: ReplyInput,
): Steps<ReplyOutcome> {
  const { messages, sender, config } = input
  const label = own.name || 'the function of nested chats'
  return yield* externalCall({ kind: 'reply', label, shape: OUTCOME, agent }, ({ run, signal, emit }) =>
    own(queue, { messages, sender, config, run, signal, emit, recipient: agent }),
  )
}

/** The chats that have something to say; the first one passes the outer chat's last message on. */
function* chatsToRun(queue: readonly NestedChat[], agent: Agent, input: ReplyInput): Steps<QueuedChat[]> {
  const chats: QueuedChat[] = []
  for (const [index, { carryoverConfig, ...chat }] of queue.entries()) {
    const carries = index === 0 && carryoverConfig
    const given = chat.message ?? (index === 0 && !carries ? lastContent(input.messages) : null)
    const own = typeof given === 'function' ? yield* nestedMessage(agent, given, input) : given
    const recipient = chat.recipient
    const message = carries ? yield* withOuterChat(textOf(own), carries, { agent, recipient, input }) : own
    if (message) chats.push({ ...chat, message })
  }
  return chats
}

function* nestedMessage(
  agent: Agent,
  given: (recipient: Agent, input: ReplyInput) => MaybePromise<Reply | null>,
  { messages, sender, config }: ReplyInput,
): Steps<Reply | null> {
  const call = { kind: 'message', label: 'the message of a nested chat', shape: REPLY, agent } as const
  return yield* externalCall(call, ({ run, signal, emit }) =>
    given(agent, { messages, sender, config, run, signal, emit }),
  )
}

function lastContent(messages: readonly ChatMessage[]): Reply | null {
  const content = messages.at(-1)?.content
  if (typeof content === 'string') return content
  return content ? { content } : null
}

const textOf = (reply: Reply | null): string =>
  typeof reply === 'string' ? reply : reply ? textOfResult(reply.content ?? '') : ''
