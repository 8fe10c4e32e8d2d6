import type { ChatMessage, ModelAnswer, Usage } from '@x/interfaces'

/** Returns the texts of an answer, or the messages if they contain calls; for `messageRetrieval` of a client. */
export function retrievedMessages({ choices }: ModelAnswer): string[] | ChatMessage[] {
  const messages = choices.map(({ message }) => message)
  if (messages.some(({ tool_calls: calls, function_call: call }) => calls?.length || call)) return messages
  return messages.map(({ content }) => {
    if (typeof content === 'string') return content
    return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
  })
}

/** Returns tokens and cost of an answer; for `getUsage` of a client. */
export function usageOf({ model, usage }: ModelAnswer, cost: number): Usage {
  return {
    model,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
    cachedTokens: usage?.cached_tokens,
    reasoningTokens: usage?.reasoning_tokens,
    cost,
  }
}
