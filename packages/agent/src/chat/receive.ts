import type { ChatMessage, MaybePromise, Reply, Run } from '@x/interfaces'
import { fillTemplate, storedMessage } from '../data/message.ts'
import { addMessage, isSilent, type Side, type State } from '../memory/state.ts'
import { scopeIn } from '../run/scope.ts'

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
