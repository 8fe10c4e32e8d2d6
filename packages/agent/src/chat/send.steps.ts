import type { Agent, ChatMessage, Reply, SendOptions } from '@x/interfaces'
import { face, type Steps } from '@x/kernel'
import { scopeIn } from '../run/scope.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { withoutOpenCalls } from './open-calls.steps.ts'
import { openConversation, isSilent, stateOf, type Conversation, type State } from '../memory/state.ts'
import { storedMessage } from '../memory/stored-message.ts'
import { fillTemplate } from '../memory/text.ts'

type SendChoice = Pick<SendOptions, 'requestReply' | 'silent'>

/** Sends a message: hands it out, then carries replies to and fro as long as they are wanted. */
export function* send(from: Agent, reply: Reply, to: Agent, options: SendChoice): Steps<void> {
  const message = yield* handOut(stateOf(from), reply, to, options.silent)
  yield* receive(to, message, from, options)
}

/** Takes a message in and carries replies to and fro; a chat that is stopped leaves no call without an answer. */
export function* receive(recipient: Agent, reply: Reply, sender: Agent, options: SendChoice): Steps<void> {
  const [to, from] = [stateOf(recipient), stateOf(sender)]
  const { chat } = scopeIn(yield* face())
  const sides = (): [State, Conversation][] => [
    [to, openConversation(to, sender, chat)],
    [from, openConversation(from, recipient, chat)],
  ]
  yield* withoutOpenCalls(sides, carry(recipient, reply, sender, options))
}

/** The chat itself: takes a message in and, as long as replies are wanted, carries them to the other side. */
function* carry(recipient: Agent, reply: Reply, sender: Agent, { requestReply, silent }: SendChoice): Steps<void> {
  let [to, from, message, wanted] = [stateOf(recipient), stateOf(sender), reply, requestReply]
  const { chat } = scopeIn(yield* face())
  for (;;) {
    yield* takeIn(to, message, from, silent)
    if (!(wanted ?? openConversation(to, from.agent, chat).replyAtReceive)) return
    const answer = yield* generateReply(to, { sender: from.agent })
    if (answer === null) return
    message = yield* handOut(to, answer, from.agent, silent)
    wanted = null
    ;[from, to] = [to, from]
  }
}

/** Keeps a received message and shows it, unless its sender is silent. */
function* takeIn(to: State, reply: Reply, from: State, silent: boolean | null | undefined): Steps<void> {
  const conversation = openConversation(to, from.agent, scopeIn(yield* face()).chat)
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
  const { recorder, chat } = scopeIn(yield* face())
  const hooked = hooks.length > 0 || recorder
  const message = hooked ? yield* processBeforeSend(from, reply, to, silent) : reply
  const conversation = openConversation(from, to, chat)
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
