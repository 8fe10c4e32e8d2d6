import type { AnswerUsage, EmbedAnswer } from '@x/interfaces'
import { inBandFailure, isRecord, listOf, modelFailure, type Dialect } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profiles.ts'

/** The wire format of vectors of texts. */
type EmbeddingsDialect = NonNullable<Dialect['embeddings']>

/** Most texts of one request; servers of open models take as many, or say so. */
const MAX_TEXTS = 2048

/** Most tokens of a request, less a third: they are estimated before it is sent, and the endpoint refuses more than 300,000. */
const MAX_TOKENS = 200_000

/** Bytes of a number of a vector. */
const NUMBER_BYTES = 4

/** Most texts of one request, and most tokens of them together. */
export const EMBED_LIMITS: EmbeddingsDialect['limits'] = { texts: MAX_TEXTS, tokens: MAX_TOKENS }

/** Facts about an endpoint that the requests of a client share. */
export interface EmbeddingsEndpoint extends Pick<NamedProfile, 'name'> {
  /** True after the endpoint has refused base64. */
  refusesBase64?: boolean
}

/**
 * Returns a request for `/embeddings`. Vectors are asked for as base64, a quarter of their text, unless the endpoint
 * has refused that. Lists of numbers are read as well, since some servers ignore the format.
 */
export function lowerTexts(
  { dimensions, ...rest }: Readonly<Record<string, unknown>>,
  { model }: Parameters<EmbeddingsDialect['lower']>[1],
  endpoint: EmbeddingsEndpoint,
): ReturnType<EmbeddingsDialect['lower']> {
  const isMistral = endpoint.name === 'mistral'
  const asBase64 = !isMistral && !endpoint.refusesBase64
  return {
    model,
    operation: 'embed',
    body: {
      ...rest,
      model,
      ...(dimensions !== undefined && { [isMistral ? 'output_dimension' : 'dimensions']: dimensions }),
      ...(asBase64 && { encoding_format: 'base64' }),
    },
    learn({ message, status = 0 }) {
      if (!asBase64 || status < 400 || status >= 500 || !message.includes('encoding_format')) return false
      endpoint.refusesBase64 = true
      return true
    },
  }
}

/** Reads the vectors of an answer in the order of their texts. */
export function readVectors(body: unknown, asked: string): EmbedAnswer {
  if (!isRecord(body)) throw new TypeError('the answer is not an object')
  if (body['error']) throw inBandFailure(body)
  const { data, model, usage } = body
  const items = listOf(data).map((item) => {
    const { embedding, index } = item as { embedding?: unknown; index?: unknown }
    return { vector: vectorOf(embedding), index: numberOf(index) }
  })
  return {
    model: typeof model === 'string' && model !== '' ? model : asked,
    embeddings: inOrder(items).map(({ vector }) => vector),
    ...usageIn(usage),
  }
}

/** Reads the number of a text, which some servers send as a text. */
const numberOf = (index: unknown): unknown =>
  typeof index === 'string' && /^\d{1,9}$/u.test(index) ? Number(index) : index

/** Sorts vectors by the numbers of their texts; where no number tells two of them apart, they are in order. */
function inOrder<T extends { readonly index: unknown }>(items: readonly T[]): readonly T[] {
  const indices = new Set(items.map(({ index }) => index))
  if (indices.size <= 1) return items
  if (indices.size === items.length && [...indices].every(Number.isInteger)) {
    return items.toSorted((a, b) => (a.index as number) - (b.index as number))
  }
  throw modelFailure('server', 'the answer does not tell which vector is that of which text')
}

/** Returns a vector of a list of numbers, or of base64 of float32 with the least significant byte first. */
function vectorOf(value: unknown): number[] {
  if (Array.isArray(value)) return value as number[]
  const bytes = typeof value === 'string' ? bytesOf(value) : undefined
  if (!bytes || bytes.length % NUMBER_BYTES !== 0) {
    throw modelFailure('server', 'the answer has a vector that is neither a list of numbers nor base64 of some')
  }
  const view = new DataView(bytes.buffer)
  return Array.from({ length: bytes.length / NUMBER_BYTES }, (_, index) => view.getFloat32(index * NUMBER_BYTES, true))
}

/** Returns the bytes of base64; undefined for any other text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Returns the tokens that an answer reports; servers of open models may report none. */
function usageIn(usage: unknown): { readonly usage?: AnswerUsage } {
  if (!isRecord(usage)) return {}
  const { prompt_tokens: prompt, total_tokens: total, cost } = usage
  const tokens = typeof prompt === 'number' && prompt > 0 ? prompt : total
  if (typeof tokens !== 'number' || tokens <= 0) return {}
  const counts = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens }
  return { usage: typeof cost === 'number' ? { ...counts, cost } : counts }
}
