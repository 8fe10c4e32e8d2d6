import type { ChatMessage } from '@x/interfaces'

/** Returns the messages of a stored history as a model sees them: tool responses as messages of their own. */
export function unrolled(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ tool_responses: responses }) => responses?.length)) return messages
  return messages.flatMap((message): readonly ChatMessage[] => {
    const { tool_responses: responses, ...rest } = message
    if (!responses?.length) return [message]
    return message.role === 'tool' ? responses : [...responses, rest]
  })
}
