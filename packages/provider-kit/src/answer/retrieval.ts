import type { ChatMessage, ModelAnswer, Usage } from '@x/interfaces'

/** Gives the texts of an answer; when it holds calls, its messages. What a client's `messageRetrieval` gives. */
export function retrievedMessages({ choices }: ModelAnswer): string[] | ChatMessage[] {
  const messages = choices.map(({ message }) => message)
  if (messages.some(({ tool_calls: calls, function_call: call }) => calls?.length || call)) return messages
  return messages.map(({ content }) => {
    if (typeof content === 'string') return content
    return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
  })
}

/** Gives tokens of an answer with its cost in US dollars; what a client's `getUsage` gives. */
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
