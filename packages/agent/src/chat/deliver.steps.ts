import type { ChatMessage, MaybePromise, Reply, Run } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { fillTemplate, storedMessage } from '../data/message.ts'
import { addMessage, isSilent, type Side, type State } from '../memory/state.ts'
import { countUse, processBeforeSend } from '../reply/hooks.steps.ts'
import { scopeIn } from '../run/scope.ts'

/** Sends a message: asks the hooks of the sender, and adds the result to the sender's conversation. Returns the message as sent. */
export function* sendMessage(from: Side, message: Reply, silent: boolean | null | undefined, run: Run): Steps<Reply> {
  if (!hasSendHooks(from.state, run)) return sendUnchanged(from, message, run)
  return appendSent(from, yield* processBeforeSend(from.state, message, from.peer.state.agent, silent))
}

/** Sends a message of an agent without hooks, as {@link sendMessage} does. */
export function sendUnchanged(from: Side, message: Reply, run: Run): Reply {
  countUse(scopeIn(run), 'processMessageBeforeSend')
  return appendSent(from, message)
}

/** Adds a message to the conversation of its sender. */
function appendSent(from: Side, message: Reply): Reply {
  addMessage(from.conversation, storedMessage(message, 'assistant', from.state.name), true)
  return message
}

/** True if a message passes the hooks of its sender: the agent has some, or a journal may have an earlier result. */
export const hasSendHooks = ({ hooks }: State, run: Run): boolean =>
  hooks.processMessageBeforeSend.length > 0 || scopeIn(run).recalls

/** Receives a message: adds it to the conversation of the receiver, and sends the event; a console prints none of a silent sender. */
export function receiveMessage(
  to: Side,
  message: Reply,
  silent: boolean | null | undefined,
  run: Run,
): MaybePromise<void> {
  const { state: sender } = to.peer
  const stored = storedMessage(message, 'user', sender.name)
  addMessage(to.conversation, stored, false)
  const scope = scopeIn(run)
  const isQuiet = isSilent(sender, silent)
  if ((isQuiet && scope.services.prints) || !scope.takes('receivedMessage')) return undefined
  const plain = plainMessage(stored, to.state)
  if (plain === stored) scope.chat?.noteTold(to)
  return run.emit({
    type: 'receivedMessage',
    agent: sender.name,
    sender: sender.name,
    recipient: to.state.name,
    message: plain,
    index: to.conversation.messages.length - 1,
    ...(isQuiet && SILENT_MARK),
  })
}

const SILENT_MARK = { silent: true } as const

/** Returns a message as plain JSON, with a computed content or a template filled in now. */
export function plainMessage(message: ChatMessage, { llmConfig }: State): ChatMessage {
  const { content, context, ...rest } = message
  if (typeof content === 'function') return { ...rest, content: content(context ?? {}) }
  if (typeof content !== 'string' || !context) return message
  const isTemplate = llmConfig !== false && llmConfig.config.allowFormatStrTemplate
  return isTemplate ? { ...rest, content: fillTemplate(content, (name) => context[name]) } : message
}
