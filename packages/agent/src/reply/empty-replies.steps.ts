import type { ChatMessage, Reply } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { hasContent } from '../memory/text.ts'
import type { Conversation, State } from '../memory/state.ts'

/** Whether a reply is empty: no text and no call. */
export const saysNothing = (reply: Reply): boolean =>
  typeof reply === 'string' ? reply === '' : !hasContent(reply) && !reply.tool_calls && !reply.function_call

/** Warns an agent that is about to send its second empty automatic reply in a row; further ones give no further warning. */
export function* warnOfEmptyReplies(state: State, { counterpart: sender, messages }: Conversation): Steps<void> {
  const [before, last] = [messages.at(-4), messages.at(-2)]
  if (!isEmptyReply(last) || isEmptyReply(before)) return
  const other = sender ? `\`${sender.name}\`` : 'nobody'
  const text = `\`${state.name}\` has nothing to say to ${other} for the second time in a row and goes on with empty messages, each of which may cost a call of a model: end the chat by \`isTerminationMsg\` or \`maxTurns\`, or set \`defaultAutoReply\``
  yield { type: 'warning', agent: state.name, topic: 'empty-auto-reply', text }
}

const isEmptyReply = (own: ChatMessage | undefined): boolean => own?.role === 'assistant' && saysNothing(own)
