import type { EmbedAnswer, EmbedParams, ModelAnswer, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { usageOf } from './answer-fields.ts'
import { tokensIn } from '../usage/token-estimate.ts'

/** The vector of a text, with its part of the tokens and the cost of its request. */
export interface TextVector {
  readonly vector: readonly number[]
  readonly model: string
  readonly tokens: number
  readonly cost: number | null
}

/** Tells whether two vectors can be compared. */
export const isOfModel = (one: TextVector, other: TextVector): boolean =>
  one.model === other.model && one.vector.length === other.vector.length

/** Tells a number that stays one in the precision of vectors. */
const isFloat32 = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(Math.fround(value))

/** Refuses an answer whose vectors are not those of the texts: in an index, nobody would see it. */
export function checkVectors({ model, embeddings }: EmbedAnswer, { input, dimensions }: EmbedParams): void {
  const failure = (kind: 'server' | 'invalid-request', text: string): XError =>
    new XError('model-failed', text, { kind })
  if (embeddings.length !== input.length) {
    throw failure('server', `the answer of \`${model}\` has ${embeddings.length} vectors for ${input.length} texts`)
  }
  const length = embeddings[0]!.length
  if (embeddings.some((vector) => vector.length !== length || length === 0 || !vector.every(isFloat32))) {
    throw failure('server', `the answer of \`${model}\` has vectors of several lengths, or without numbers`)
  }
  if (dimensions !== undefined && length !== dimensions) {
    throw failure(
      'invalid-request',
      `\`${model}\` gave vectors of ${length} numbers and not of ${dimensions}: it does not take \`dimensions\``,
    )
  }
}

/** Returns the part of each text in the tokens of all, added up: 0 before the first text, 1 after the last. */
export function sharesOf(texts: readonly string[]): number[] {
  let sum = 0
  const sums = [0, ...texts.map((text) => (sum += tokensIn(text)))]
  return sums.map((part) => part / sum)
}

/** Makes an answer without a message, to compute a cost. */
export const plainAnswer = (model: string): ModelAnswer => ({ id: '', model, created: 0, choices: [] })

/** Makes the form in which a cache keeps a vector. */
export const storedVector = ({ vector, model, tokens, cost }: TextVector): StoredAnswer => ({
  answer: { ...plainAnswer(model), usage: usageOf(tokens, 0), extra: { embedding: encodeVector(vector) } },
  cost,
})

/** Reads a vector out of the form in which a cache keeps it; undefined for any other value. */
export function readStoredVector({ answer, cost }: StoredAnswer): TextVector | undefined {
  const vector = decodeVector(answer.extra?.['embedding'])
  return vector && { vector, model: answer.model, tokens: answer.usage?.prompt_tokens ?? 0, cost }
}

/** Bytes of a number of a vector. */
const NUMBER_BYTES = 4

/** Characters that are made of bytes at once: more would be too many arguments of one call. */
const CHUNK_BYTES = 8192

/** Writes a vector as base64 of its numbers as float32, least significant byte first: a quarter of its JSON. */
function encodeVector(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * NUMBER_BYTES))
  vector.forEach((number, index) => view.setFloat32(index * NUMBER_BYTES, number, true))
  const bytes = new Uint8Array(view.buffer)
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))
  }
  return btoa(text)
}

/** Reads a vector out of base64; returns undefined for any other value. */
function decodeVector(text: unknown): number[] | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  let bytes: string
  try {
    bytes = atob(text)
  } catch {
    return undefined
  }
  if (bytes.length % NUMBER_BYTES !== 0) return undefined
  const view = new DataView(new ArrayBuffer(bytes.length))
  for (let at = 0; at < bytes.length; at++) view.setUint8(at, bytes.charCodeAt(at))
  const vector = Array.from({ length: bytes.length / NUMBER_BYTES }, (_, index) =>
    view.getFloat32(index * NUMBER_BYTES, true),
  )
  return vector.every(Number.isFinite) ? vector : undefined
}
