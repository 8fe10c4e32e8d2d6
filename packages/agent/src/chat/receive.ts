import type { ChatMessage, MaybePromise, Reply, Run } from '@x/interfaces'
import { fillTemplate, storedMessage } from '../data/message.ts'
import { addMessage, isSilent, type Side, type State } from '../memory/state.ts'
import { scopeIn } from '../run/scope.ts'

/** Receives a message: adds it to the conversation of the receiver, and sends the event unless the sender is silent. */
export function receiveMessage(
  to: Side,
  message: Reply,
  silent: boolean | null | undefined,
  run: Run,
): MaybePromise<void> {
  const { state: sender } = to.peer
  const stored = storedMessage(message, 'user', sender.name)
  addMessage(to.conversation, stored, false)
  if (isSilent(sender, silent) || !scopeIn(run).takes('receivedMessage')) return undefined
  return run.emit({
    type: 'receivedMessage',
    agent: sender.name,
    sender: sender.name,
    recipient: to.state.name,
    message: asPlainJson(stored, to.state),
  })
}

/** Returns a message as plain JSON, with a computed content or a template filled in now. */
function asPlainJson(message: ChatMessage, { llmConfig }: State): ChatMessage {
  const { content, context, ...rest } = message
  if (typeof content === 'function') return { ...rest, content: content(context ?? {}) }
  if (typeof content !== 'string' || !context) return message
  const isTemplate = llmConfig !== false && llmConfig.config.allowFormatStrTemplate
  return isTemplate ? { ...rest, content: fillTemplate(content, (name) => context[name]) } : message
}
