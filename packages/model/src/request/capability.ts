import type { ModelCapabilities, ModelParams } from '@x/interfaces'

/** Names what a request needs and a model is known not to do. */
export function missingCapability(params: ModelParams, can: ModelCapabilities | undefined): string | undefined {
  if (!can) return undefined
  if (can.tools === false && Array.isArray(params['tools']) && params['tools'].length > 0) return 'tools'
  if (can.images === false && hasImages(params)) return 'images'
  const format = params['response_format'] as { type?: string } | undefined
  if (can.structuredOutput === 'none' && format && format.type !== 'text') return 'a `response_format`'
  return undefined
}

function hasImages({ messages }: ModelParams): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'))
}
