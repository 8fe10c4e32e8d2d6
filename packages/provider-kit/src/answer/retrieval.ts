import type { ChatMessage, ContentPart, ModelAnswer, ModelChoice, Usage } from '@x/interfaces'

/**
 * Returns the texts of an answer, or the messages if one holds more than a text: calls, images, or parts that only the
 * provider can read; for `messageRetrieval` of a client.
 */
export function retrievedMessages({ choices }: ModelAnswer): string[] | ChatMessage[] {
  const messages = choices.map(({ message }) => message)
  if (choices.some(isMoreThanText)) return choices.map(messageWithImages)
  return messages.map(({ content }) => {
    if (typeof content === 'string') return content
    return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
  })
}

const isMoreThanText = ({ message, media, provider_parts: parts }: ModelChoice): boolean =>
  Boolean(message.tool_calls?.length || message.function_call || media || parts)

/** Returns the message of a choice, with the images that the model made as parts of its content. */
function messageWithImages({ message, media = [] }: ModelChoice): ChatMessage {
  const images = media.flatMap(({ type, url }): ContentPart[] =>
    type === 'image' && url !== undefined ? [{ type: 'image_url', image_url: { url } }] : [],
  )
  const { content } = message
  if (images.length === 0 || typeof content === 'function') return message
  const texts = Array.isArray(content) ? content : content ? [{ type: 'text' as const, text: content }] : []
  return { ...message, content: [...texts, ...images] }
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
