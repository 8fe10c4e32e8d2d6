import type { ChatMessage } from '@x/interfaces'
import {
  type LowerContext,
  type Dialect,
  attachmentLine,
  mergeTurns,
  CONTINUE_PROMPT,
  turnsOf,
  type Media,
  type TurnPart,
} from '@x/provider-kit'
import type { GoogleModelFamily } from './family.ts'
import { hasImages, partsOf, readableBy, type Part } from './own-data.ts'

/** Rule for ids of calls. */
export const ID_RULE: Dialect['ids'] = { maxLength: 64, forbidden: /[^\w.:-]/gu }

/** Google's documented signature for calls without one. */
const PLACEHOLDER_SIGNATURE = 'skip_thought_signature_validator'

/** Messages and system texts as the provider takes them. */
export interface LoweredMessages {
  readonly systemInstruction?: { parts: Part[] }
  readonly contents: { role: 'user' | 'model'; parts: Part[] }[]
}

/** Facts of a request that its messages depend on. */
export interface MessageContext {
  readonly names: LowerContext['names']
  readonly schemas: LowerContext['schemas']
  /** The requested model. */
  readonly model: string
  readonly family: GoogleModelFamily
  /** Whether calls and results carry their ids. */
  readonly callIds: boolean
  /** Whether the model reads images and files. */
  readonly images: boolean
  readonly warn: (topic: string, text: string) => void
}

/** Returns messages as the provider takes them; does not change the given ones. */
export function lowerMessages(messages: readonly ChatMessage[], context: MessageContext): LoweredMessages {
  const { names, schemas, family, images, warn } = context
  const rules = { provider: 'google', ids: ID_RULE, names, schemas, warn, assistantMedia: true }
  const { system, turns } = turnsOf(messages, { ...rules, takesInResult: (media) => images || isText(media) })
  const lowered = turns.map((turn) =>
    turn.role === 'assistant'
      ? { role: 'model' as const, parts: modelParts(turn, context) }
      : { role: 'user' as const, parts: userParts(turn.parts, context) },
  )
  const contents = mergeTurns(lowered.filter(({ parts }) => parts.length > 0)).map(resultsFirst)
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: CONTINUE_PROMPT }] })
  if (contents.at(-1)!.role === 'model') contents.push({ role: 'user', parts: [{ text: CONTINUE_PROMPT }] })
  const texts = system.map(({ text }) => ({ text }))
  if (texts.length === 0) return { contents }
  if (family.system) return { systemInstruction: { parts: texts }, contents }
  const first = contents[0]!
  return { contents: [{ ...first, parts: [...texts, ...first.parts] }, ...contents.slice(1)] }
}

function modelParts(
  { parts, own }: { readonly parts: readonly TurnPart[]; readonly own: unknown },
  { family, callIds, model, warn }: MessageContext,
): Part[] {
  const texts: Part[] = []
  const calls: Part[] = []
  const hasOwnImages = hasImages(own)
  for (const part of parts) {
    if (part.type === 'text') texts.push({ text: part.text })
    // Images of the model go back as opaque parts with their signatures.
    else if (part.type === 'media' && !hasOwnImages) texts.push(mediaPart(part.media, warn))
    else if (part.type === 'call') {
      calls.push({ functionCall: { ...(callIds && { id: part.id }), name: part.name, args: part.args } })
    }
  }
  const out = partsOf(readableBy(model, own, warn), texts, calls)
  if (!family.signed) return out
  const first = out.findIndex((part) => 'functionCall' in part)
  const isSigned = out.some((part) => 'functionCall' in part && 'thoughtSignature' in part)
  return first === -1 || isSigned ? out : out.with(first, { ...out[first], thoughtSignature: PLACEHOLDER_SIGNATURE })
}

function userParts(parts: readonly TurnPart[], context: MessageContext): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.type === 'text') return [{ text: part.text }]
    if (part.type === 'media') return [mediaPart(part.media, context.warn)]
    return part.type === 'result' ? resultParts(part, context) : []
  })
}

/** Media types that may stand in a result (https://ai.google.dev/gemini-api/docs/function-calling, multimodal function responses). */
const RESULT_MEDIA_TYPES: ReadonlySet<unknown> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'application/pdf',
  'text/plain',
])

const isText = (media: Media): boolean => media.type === 'bytes' && media.mediaType.startsWith('text/')

/**
 * Returns a result, which is always an object; images and files stand inside it or, for older models and other types, behind
 * it under a name.
 */
function resultParts(
  { id, name, content, failed }: Extract<TurnPart, { type: 'result' }>,
  { family, callIds, warn }: MessageContext,
): Part[] {
  const texts: string[] = []
  const inside: Part[] = []
  const behind: Part[] = []
  for (const part of content) {
    if (part.type === 'text') {
      texts.push(part.text)
      continue
    }
    const media = mediaPart(part.media, warn)
    if (family.mediaResults && part.media.type === 'bytes' && RESULT_MEDIA_TYPES.has(part.media.mediaType))
      inside.push(media)
    else {
      const label = `${id}/${behind.length / 2 + 1}`
      texts.push(attachmentLine(label))
      behind.push({ text: `${label} (a result of a tool, not of the user):` }, media)
    }
  }
  const text = texts.join(texts.length === content.length && behind.length === 0 ? '' : '\n')
  return [
    {
      functionResponse: {
        ...(callIds && { id }),
        name,
        response: failed ? { error: text } : { output: text },
        ...(inside.length > 0 && { parts: inside }),
      },
    },
    ...behind,
  ]
}

/** Puts the results of a turn first, as the provider demands, and their attachments behind all of them. */
function resultsFirst<T extends { parts: Part[] }>(content: T): T {
  const { parts } = content
  const results = parts.filter((part) => 'functionResponse' in part)
  if (results.length < 2 || results.every((part, at) => part === parts[at])) return content
  return { ...content, parts: [...results, ...parts.filter((part) => !('functionResponse' in part))] }
}

function mediaPart(media: Media, warn: MessageContext['warn']): Part {
  if (media.type === 'bytes') return { inlineData: { mimeType: media.mediaType, data: media.data } }
  if (media.type === 'stored') {
    const isExact = media.mediaType !== undefined && media.mediaType !== 'image/*'
    return { fileData: { ...(isExact && { mimeType: media.mediaType }), fileUri: media.id } }
  }
  if (media.mediaType === undefined) {
    warn('content', `the link \`${media.url}\` does not say what it leads to: it was taken for a JPEG image`)
  }
  return { fileData: { mimeType: media.mediaType ?? 'image/jpeg', fileUri: media.url } }
}
