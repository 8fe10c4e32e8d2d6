import type { ChatMessage, Reply, SendOptions } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { ConversableAgent } from '../conversable-agent.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { withoutOpenCalls } from '../tool/open-calls.steps.ts'
import { conversationWith, isSilent, stateOf, type Conversation, type State } from '../state/state.ts'
import { storedMessage } from '../state/stored-message.ts'
import { filled } from '../reply/update-system-message.ts'

type Wishes = Pick<SendOptions, 'requestReply' | 'silent'>

/** Sends a message: hands it out, then carries replies to and fro as long as they are wanted. */
export function* send(from: ConversableAgent, reply: Reply, to: ConversableAgent, wishes: Wishes): Steps<void> {
  const message = yield* handedOut(stateOf(from), reply, to, wishes.silent)
  yield* receive(to, message, from, wishes)
}

/** Takes a message in and carries replies to and fro; a chat that is stopped leaves no call without an answer. */
export function* receive(
  recipient: ConversableAgent,
  reply: Reply,
  sender: ConversableAgent,
  wishes: Wishes,
): Steps<void> {
  const [to, from] = [stateOf(recipient), stateOf(sender)]
  const sides = (): [State, Conversation][] => [
    [to, conversationWith(to, sender)],
    [from, conversationWith(from, recipient)],
  ]
  yield* withoutOpenCalls(sides, carried(recipient, reply, sender, wishes))
}

/** The chat itself: takes a message in and, as long as replies are wanted, carries them to the other side. */
function* carried(
  recipient: ConversableAgent,
  reply: Reply,
  sender: ConversableAgent,
  { requestReply, silent }: Wishes,
): Steps<void> {
  let [to, from, message, wanted] = [stateOf(recipient), stateOf(sender), reply, requestReply]
  for (;;) {
    yield* takenIn(to, message, from, silent)
    if (!(wanted ?? conversationWith(to, from.agent).replyAtReceive)) return
    const answer = yield* generateReply(to, { sender: from.agent })
    if (answer === null) return
    message = yield* handedOut(to, answer, from.agent, silent)
    wanted = null
    ;[from, to] = [to, from]
  }
}

/** Keeps a received message and shows it, unless its sender is silent. */
function* takenIn(to: State, reply: Reply, from: State, silent: boolean | null | undefined): Steps<void> {
  const conversation = conversationWith(to, from.agent)
  const message = storedMessage(reply, 'user', from.agent.name)
  conversation.messages.push(message)
  conversation.begun = true
  conversation.saidLast = false
  if (isSilent(from, silent)) return
  yield { type: 'receivedMessage', sender: from.agent.name, recipient: to.agent.name, message: shown(message, to) }
}

/** Lets the hooks change a message and keeps it as one's own. */
function* handedOut(from: State, reply: Reply, to: ConversableAgent, silent: boolean | null | undefined): Steps<Reply> {
  const hooks = from.hooks.processMessageBeforeSend
  const message = hooks.length > 0 ? yield* processBeforeSend(from, reply, to, silent) : reply
  const conversation = conversationWith(from, to)
  conversation.messages.push(storedMessage(message, 'assistant', from.agent.name))
  conversation.begun = true
  conversation.saidLast = true
  return message
}

/** A message as plain JSON: a content that is computed or a template is shown as it comes out now. */
function shown(message: ChatMessage, { llmConfig }: State): ChatMessage {
  const { content, context, ...rest } = message
  if (typeof content === 'function') return { ...rest, content: content(context ?? {}) }
  if (typeof content !== 'string' || !context) return message
  const isTemplate = llmConfig !== false && llmConfig.config.allowFormatStrTemplate
  return isTemplate ? { ...rest, content: filled(content, (name) => context[name]) } : message
}
