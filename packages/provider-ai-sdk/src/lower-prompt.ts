import type { ChatMessage } from '@x/interfaces'
import { mergeTurns, turnsOf, type Dialect, type LowerContext, type Media, type TurnPart } from '@x/provider-kit'
import type { AiSdkModel, Part, PromptMessage } from './model-types.ts'
import { partsInOrder, readOwnData } from './own-data.ts'

/** Key of this adapter in `provider_metadata`. */
export const PROVIDER = 'ai-sdk'

/** Facts that a prompt depends on. */
export interface PromptContext extends Pick<LowerContext, 'names' | 'warn'> {
  readonly languageModel: AiSdkModel
  readonly ids: Dialect['ids']
}

/** Names a model of the AI SDK: own data goes back only to the model that made it. */
export const nameOf = ({ provider, modelId }: AiSdkModel): string => `${provider}/${modelId}`

/** Returns messages as the prompt of a model of the AI SDK; does not change the given ones. */
export function lowerPrompt(messages: readonly ChatMessage[], context: PromptContext): PromptMessage[] {
  const { names, warn, ids } = context
  const { system, turns } = turnsOf(messages, {
    provider: PROVIDER,
    ids,
    names,
    warn,
    assistantMedia: true,
    takesInResult: (media) => media.type !== 'stored',
  })
  const lowered = turns.map(({ role, parts, own }) => ({
    role,
    parts: role === 'assistant' ? assistantParts(parts, own, context) : userParts(parts, context),
  }))
  return [
    ...system.map(({ text, cacheControl }): PromptMessage => ({
      role: 'system',
      content: text,
      ...cacheOptions(cacheControl),
    })),
    ...mergeTurns(lowered.filter(({ parts }) => parts.length > 0)).flatMap(messagesOf),
  ]
}

/** Splits a turn: results stand in a message of their own, before the words of the user. */
function messagesOf({ role, parts }: { readonly role: 'user' | 'assistant'; readonly parts: Part[] }): PromptMessage[] {
  if (role === 'assistant') return [{ role, content: parts }]
  const results = parts.filter(({ type }) => type === 'tool-result')
  const others = parts.filter(({ type }) => type !== 'tool-result')
  const tool: PromptMessage[] = results.length > 0 ? [{ role: 'tool', content: results }] : []
  return others.length > 0 ? [...tool, { role, content: others }] : tool
}

/** Returns texts and calls, with the parts that only the model can read in their places. */
function assistantParts(parts: readonly TurnPart[], own: unknown, context: PromptContext): Part[] {
  const { languageModel, warn } = context
  const texts: Part[] = []
  const calls: Part[] = []
  const files: Part[] = []
  for (const part of parts) {
    if (part.type === 'text') texts.push({ type: 'text', text: part.text, ...cacheOptions(part.cacheControl) })
    else if (part.type === 'media') files.push(mediaPart(part.media, context))
    else if (part.type === 'call')
      calls.push({ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.args })
  }
  const data = readOwnData(own)
  if (data && data.model === nameOf(languageModel)) return partsInOrder(data, texts, calls)
  if (data?.places.some((place) => 'opaque' in place)) {
    warn('reasoning', `reasoning of \`${data.model}\` was left out: \`${nameOf(languageModel)}\` cannot read it`)
  }
  return [...texts, ...files, ...calls]
}

function userParts(parts: readonly TurnPart[], context: PromptContext): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text, ...cacheOptions(part.cacheControl) }]
    if (part.type === 'media') return [{ ...mediaPart(part.media, context), ...cacheOptions(part.cacheControl) }]
    return part.type === 'result' ? [resultPart(part, context)] : []
  })
}

/** Tells models and endpoints of Claude, which take marks, where a cache may end; other models skip them. */
function cacheOptions(cacheControl: unknown): { providerOptions?: object } {
  if (cacheControl === undefined) return {}
  return { providerOptions: { anthropic: { cacheControl }, bedrock: { cachePoint: { type: 'default' } } } }
}

function resultPart(
  { id, name, content, failed }: Extract<TurnPart, { type: 'result' }>,
  context: PromptContext,
): Part {
  const isText = content.every(({ type }) => type === 'text')
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const output = isText
    ? { type: failed ? 'error-text' : 'text', value: text }
    : { type: 'content', value: content.map((part) => resultContent(part, context)) }
  return { type: 'tool-result', toolCallId: id, toolName: name, output }
}

type ContentOfResult = Extract<TurnPart, { type: 'result' }>['content'][number]

function resultContent(part: ContentOfResult, context: PromptContext): Part {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { media } = part
  if (context.languageModel.specificationVersion === 'v4' || media.type === 'stored') return mediaPart(media, context)
  const isImage = isImageType(media.mediaType)
  if (media.type === 'link') return { type: isImage ? 'image-url' : 'file-url', url: media.url }
  const { data, mediaType, filename } = media
  return isImage
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...(filename !== undefined && { filename }) }
}

/** Tells images; a link without a type is one, as in `image_url`. */
const isImageType = (mediaType: string | undefined): boolean => mediaType?.startsWith('image/') ?? true

/** Returns a file as the version of the model takes it; a line of text stands for a file that only a provider has. */
function mediaPart(media: Media, { languageModel, warn }: PromptContext): Part {
  const isNewer = languageModel.specificationVersion === 'v4'
  if (media.type === 'bytes') {
    const { data, mediaType, filename } = media
    return {
      type: 'file',
      mediaType,
      data: isNewer ? { type: 'data', data } : data,
      ...(filename !== undefined && { filename }),
    }
  }
  if (media.type === 'link') {
    const { url, mediaType = 'image/*' } = media
    if (!URL.canParse(url)) return replaced('a link that is not a URL', warn)
    return { type: 'file', mediaType, data: isNewer ? { type: 'url', url: new URL(url) } : new URL(url) }
  }
  if (!isNewer) return replaced('a file that a provider stores', warn)
  const { id, mediaType = 'application/octet-stream' } = media
  const [owner = PROVIDER] = languageModel.provider.split('.', 1)
  return { type: 'file', mediaType, data: { type: 'reference', reference: { [owner]: id } } }
}

function replaced(subject: string, warn: PromptContext['warn']): Part {
  warn('content', `${subject} was replaced by a line of text: the model does not take it`)
  return { type: 'text', text: `[${subject}]` }
}
