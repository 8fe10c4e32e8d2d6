import type { Agent, ChatMessage, Reply, SendOptions } from '@x/interfaces'
import { face, XError, type Steps } from '@x/kernel'
import { scopeIn } from '../run/scope.ts'
import { withSilence } from '../run/silence.steps.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { withoutOpenCalls } from './open-calls.steps.ts'
import { openConversation, isSilent, stateOf, type Conversation, type State } from '../memory/state.ts'
import { storedMessage } from '../memory/stored-message.ts'
import { fillTemplate } from '../memory/text.ts'

interface SendChoice extends Pick<SendOptions, 'requestReply' | 'silent'> {
  /** Most messages to carry; default: any number. */
  readonly maxMessages?: number | undefined
}

/** Sends a message: hands it out, then carries replies to and fro as long as they are wanted. */
export function* send(from: Agent, reply: Reply, to: Agent, options: SendChoice): Steps<void> {
  const message = yield* handOut(stateOf(from), reply, to, options.silent)
  yield* receive(to, message, from, options)
}

/** Takes a message in and carries replies to and fro; a chat that is stopped leaves no call without an answer. */
export function* receive(recipient: Agent, reply: Reply, sender: Agent, options: SendChoice): Steps<void> {
  const [to, from] = [stateOf(recipient), stateOf(sender)]
  const sides = (): [State, Conversation][] => [
    [to, openConversation(to, sender)],
    [from, openConversation(from, recipient)],
  ]
  yield* withSilence(options.silent, withoutOpenCalls(sides, carry(recipient, reply, sender, options)))
}

/** The chat itself: takes a message in and, as long as replies are wanted, carries them to the other side. */
function* carry(
  recipient: Agent,
  reply: Reply,
  sender: Agent,
  { requestReply, silent, ...its }: SendChoice,
): Steps<void> {
  const { maxMessages = Infinity } = its
  let carried = 0
  let [to, from, message, wanted] = [stateOf(recipient), stateOf(sender), reply, requestReply]
  for (;;) {
    yield* takeIn(to, message, from, silent)
    if (!(wanted ?? openConversation(to, from.agent).replyAtReceive)) return
    const answer = yield* generateReply(to, { sender: from.agent })
    if (answer === null) return
    if (++carried >= maxMessages) throw tooMany(sender, recipient, maxMessages)
    message = yield* handOut(to, answer, from.agent, silent)
    wanted = null
    ;[from, to] = [to, from]
  }
}

const tooMany = (one: Agent, other: Agent, maxMessages: number): XError =>
  new XError(
    'too-many-messages',
    `the chat of \`${one.name}\` with \`${other.name}\` has not ended after ${maxMessages} messages: limit it by \`maxTurns\`, or raise \`maxMessages\``,
    { details: { maxMessages } },
  )

/** Keeps a received message and shows it, unless its sender is silent. */
function* takeIn(to: State, reply: Reply, from: State, silent: boolean | null | undefined): Steps<void> {
  const conversation = openConversation(to, from.agent)
  const message = storedMessage(reply, 'user', from.agent.name)
  conversation.messages.push(message)
  conversation.begun = true
  conversation.saidLast = false
  if (isSilent(from, silent)) return
  yield {
    type: 'receivedMessage',
    agent: from.name,
    sender: from.name,
    recipient: to.name,
    message: asPlainJson(message, to),
  }
}

/** Lets the hooks change a message and keeps it as one's own. */
function* handOut(from: State, reply: Reply, to: Agent, silent: boolean | null | undefined): Steps<Reply> {
  const hooks = from.hooks.processMessageBeforeSend
  const hooked = hooks.length > 0 || scopeIn(yield* face()).recorder
  const message = hooked ? yield* processBeforeSend(from, reply, to, silent) : reply
  const conversation = openConversation(from, to)
  conversation.messages.push(storedMessage(message, 'assistant', from.agent.name))
  conversation.begun = true
  conversation.saidLast = true
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
