import type { Agent, ChatMessage, MaybePromise, Reply, Run, SendOptions } from '@x/interfaces'
import { face, wait, type Steps } from '@x/kernel'
import { mustWait } from '@x/kernel/run'
import { scopeIn } from '../run/scope.ts'
import { replyInRun } from '../reply/generate-reply.steps.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { withoutOpenCalls } from './open-calls.steps.ts'
import { openConversation, isSilent, stateOf, type Conversation, type State } from '../memory/state.ts'
import { storedMessage } from '../memory/stored-message.ts'
import { fillTemplate } from '../memory/text.ts'

type SendChoice = Pick<SendOptions, 'requestReply' | 'silent'>

/** Sends a message: hands it out, then carries replies to and fro as long as they are wanted. */
export function* send(from: Agent, reply: Reply, to: Agent, options: SendChoice): Steps<void> {
  const message = yield* handOut(stateOf(from), reply, to, options.silent, yield* face())
  yield* receive(to, message, from, options)
}

/** Takes a message in and carries replies to and fro; a chat that is stopped leaves no call without an answer. */
export function* receive(recipient: Agent, reply: Reply, sender: Agent, options: SendChoice): Steps<void> {
  const [to, from] = [stateOf(recipient), stateOf(sender)]
  const run = yield* face()
  const { chat } = scopeIn(run)
  const sides = (): [State, Conversation][] => [
    [to, openConversation(to, sender, chat)],
    [from, openConversation(from, recipient, chat)],
  ]
  yield* withoutOpenCalls(sides, carry([to, from], reply, options, run))
}

/** Sends a message within a chat, which sees to its open calls itself. */
export function* sendInChat(
  [from, to]: readonly [State, State],
  reply: Reply,
  options: SendChoice,
  run: Run,
): Steps<void> {
  const message = yield* handOut(from, reply, to.agent, options.silent, run)
  yield* carry([to, from], message, options, run)
}

/** The chat itself: takes a message in and, as long as replies are wanted, carries them to the other side. */
function* carry(
  sides: readonly [State, State],
  reply: Reply,
  { requestReply, silent }: SendChoice,
  run: Run,
): Steps<void> {
  let [to, from] = sides
  let message = reply
  let wanted = requestReply
  const { chat } = scopeIn(run)
  for (;;) {
    const shown = takeIn(to, message, from, silent, run)
    if (mustWait(run, shown)) yield* wait(shown, 'a listener')
    if (!(wanted ?? openConversation(to, from.agent, chat).replyAtReceive)) return
    const answer = yield* replyInRun(to, { sender: from.agent }, run)
    if (answer === null) return
    message = yield* handOut(to, answer, from.agent, silent, run)
    wanted = null
    ;[from, to] = [to, from]
  }
}

/** Keeps a received message and shows it, unless its sender is silent. */
function takeIn(
  to: State,
  reply: Reply,
  from: State,
  silent: boolean | null | undefined,
  run: Run,
): MaybePromise<void> {
  const conversation = openConversation(to, from.agent, scopeIn(run).chat)
  const message = storedMessage(reply, 'user', from.agent.name)
  conversation.messages.push(message)
  conversation.begun = true
  conversation.saidLast = false
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
function* handOut(from: State, reply: Reply, to: Agent, silent: boolean | null | undefined, run: Run): Steps<Reply> {
  const { recorder, chat } = scopeIn(run)
  const hooked = from.hooks.processMessageBeforeSend.length > 0 || recorder
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
