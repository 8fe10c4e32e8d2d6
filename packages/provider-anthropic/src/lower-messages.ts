import type { ChatMessage } from '@x/interfaces'
import {
  type LowerContext,
  type Dialect,
  mergeTurns,
  CONTINUE_PROMPT,
  isRecord,
  turnsOf,
  type Media,
  type TurnPart,
} from '@x/provider-kit'
import { blocksOf, pendingUses, readableBy, withPairedUses } from './own-data.ts'
import type { Block } from './wire-types.ts'

/** Rule for ids of calls: letters, digits, `_` and `-`. */
export const ID_RULE: Dialect['ids'] = { maxLength: 64, forbidden: /[^\w-]/gu }

/** Messages and system texts as the provider takes them. */
export interface LoweredMessages {
  readonly system: Block[]
  readonly messages: { role: 'user' | 'assistant'; content: Block[] }[]
  /** Id of the container in which code waits. */
  readonly container?: string | undefined
}

/** Facts of a request that its messages depend on. */
export interface MessageContext {
  readonly names: LowerContext['names']
  readonly schemas: LowerContext['schemas']
  /** The requested model. */
  readonly model: string
  /** Whether the conversation may end with the beginning of its answer. */
  readonly prefill: boolean
  /** Whether the model reads images and PDFs. */
  readonly images: boolean
  readonly warn: (topic: string, text: string) => void
}

/** Returns messages as the provider takes them; does not change the given ones. */
export function lowerMessages(
  messages: readonly ChatMessage[],
  { names, schemas, model, prefill, images, warn }: MessageContext,
): LoweredMessages {
  const takesInResult = (media: Media): boolean => isResultMedia(media, images)
  const { system, turns } = turnsOf(messages, {
    provider: 'anthropic',
    ids: ID_RULE,
    names,
    schemas,
    takesInResult,
    warn,
  })
  const lowered = turns.map((turn) => ({
    role: turn.role,
    parts: turn.role === 'assistant' ? assistantBlocks(turn, model, warn) : userBlocks(turn.parts, warn),
  }))
  const merged = mergeTurns(lowered.filter(({ parts }) => parts.length > 0))
  const paused = isPaused(turns.at(-1)!.own)
  const given = merged.map(({ role, parts }) => ({ role, content: parts }))
  const pending = pendingUses(given, paused)
  const out = withPairedUses(given, pending, warn).filter(({ content }) => content.length > 0)
  if (out[0]?.role !== 'user') out.unshift({ role: 'user', content: [text(CONTINUE_PROMPT)] })
  const last = out.at(-1)!
  if (last.role === 'assistant' && !paused) endWithUser(out, prefill, warn)
  const container = pending.size > 0 ? containerOf(turns.findLast(({ own }) => containerOf(own))?.own) : undefined
  return { system: system.map((part) => text(part.text, part.cacheControl)), messages: out, container }
}

/** Returns the id of the container of a turn. */
function containerOf(own: unknown): string | undefined {
  const id = isRecord(own) ? own['container'] : undefined
  return typeof id === 'string' ? id : undefined
}

/** Handles a last message of the assistant: the model goes on with it where it can, else a turn of the user follows. */
function endWithUser(out: LoweredMessages['messages'], prefill: boolean, warn: MessageContext['warn']): void {
  if (!prefill) {
    warn('prefill', 'the model does not go on with its own message: a turn of the user was added')
    out.push({ role: 'user', content: [text(CONTINUE_PROMPT)] })
    return
  }
  const block = out.at(-1)!.content.at(-1)!
  if (block.type !== 'text') return
  const trimmed = { ...block, text: (block['text'] as string).trimEnd() }
  out[out.length - 1] = { role: 'assistant', content: [...out.at(-1)!.content.slice(0, -1), trimmed] }
}

/** Tells a turn that the provider interrupted: it is sent back as it is and continued. */
const isPaused = (own: unknown): boolean => isRecord(own) && own['paused'] === true

/** Returns texts and calls, with the opaque blocks of the provider in their places. */
function assistantBlocks(
  { parts, own: stored }: { readonly parts: readonly TurnPart[]; readonly own: unknown },
  model: string,
  warn: MessageContext['warn'],
): Block[] {
  const own = readableBy(model, stored, warn)
  const texts: Block[] = []
  const calls: Block[] = []
  for (const part of parts) {
    if (part.type === 'text') texts.push(text(part.text, part.cacheControl))
    else if (part.type === 'call') calls.push({ type: 'tool_use', id: part.id, name: part.name, input: part.args })
  }
  if (own === undefined) return [...texts, ...calls]
  const blocks = blocksOf(own, texts, calls)
  // The provider refuses a turn that holds nothing but thinking.
  return blocks.every(({ type }) => type === 'thinking' || type === 'redacted_thinking') ? [] : blocks
}

/** Returns results first, as the provider demands, then the rest in its order. */
function userBlocks(parts: readonly TurnPart[], warn: MessageContext['warn']): Block[] {
  const results: Block[] = []
  const rest: Block[] = []
  for (const part of parts) {
    if (part.type === 'result') {
      const content = userBlocks(part.content, warn)
      const [only] = content
      const plain = content.length === 1 && only?.type === 'text' && only['cache_control'] === undefined
      results.push({
        type: 'tool_result',
        tool_use_id: part.id,
        ...(content.length > 0 && { content: plain ? only['text'] : content }),
        ...(part.failed && { is_error: true }),
      })
    } else if (part.type === 'text') rest.push(text(part.text, part.cacheControl))
    else if (part.type === 'media') rest.push(mediaBlock(part, warn))
  }
  return [...results, ...rest]
}

function text(content: string, cacheControl?: unknown): Block {
  return { type: 'text', text: content, ...(cacheControl !== undefined && { cache_control: cacheControl }) }
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/**
 * Tells what a `tool_result` may hold: text, images and documents (`ToolResultBlockParam` of the SDK;
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
 */
function isResultMedia(media: Media, images: boolean): boolean {
  if (media.type !== 'bytes') return images
  const { mediaType } = media
  return mediaType.startsWith('text/') || (images && (IMAGE_TYPES.has(mediaType) || mediaType === 'application/pdf'))
}

function mediaBlock(
  { media, cacheControl, citations }: Extract<TurnPart, { type: 'media' }>,
  warn: MessageContext['warn'],
): Block {
  const cached = cacheControl === undefined ? {} : { cache_control: cacheControl }
  /** Of a document. */
  const marks = { ...(citations !== undefined && { citations }), ...cached }
  if (media.type === 'stored') {
    const type = media.mediaType?.startsWith('image/') ? 'image' : 'document'
    return { type, source: { type: 'file', file_id: media.id }, ...(type === 'document' ? marks : cached) }
  }
  if (media.type === 'link') {
    const type = media.mediaType === 'application/pdf' ? 'document' : 'image'
    return { type, source: { type: 'url', url: media.url }, ...(type === 'document' ? marks : cached) }
  }
  const { mediaType, data } = media
  const title = media.filename === undefined ? {} : { title: media.filename }
  if (IMAGE_TYPES.has(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data }, ...cached }
  }
  if (mediaType === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data }, ...title, ...marks }
  }
  if (mediaType.startsWith('text/')) {
    const plain = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: plain }, ...title, ...marks }
  }
  warn('content', `a part of type \`${mediaType}\` was left out: the provider does not take it`)
  return text(`[a part of type ${mediaType} that cannot be shown here]`)
}
