import type { ModelEvent } from '@x/interfaces'
import { isDeeplyFrozen } from '../cache/cache-key.ts'

/** Output tokens that an answer is estimated to have when the model has not answered yet. */
export const DEFAULT_ANSWER_TOKENS = 1024

/** Characters of a Latin text that are about one token. */
const CHARACTERS_PER_TOKEN = 4

/** Estimated tokens of an image, a sound or a file, whatever its size in bytes. */
const MEDIA_TOKENS = 1500

/** Types of content parts that are neither text nor calls. */
const MEDIA_TYPE_PATTERN = /^(?:image|input_image|input_audio|audio|video|file|document)/u

/** Estimates the tokens of input or output from its JSON, at four characters per token. */
export const tokensIn = (value: unknown): number => likelyTokens(maxTokensIn(value))

/** Returns the tokens that input of at most so many probably has. */
export const likelyTokens = (max: number): number => Math.ceil(max / CHARACTERS_PER_TOKEN)

/**
 * Returns the most tokens that some input can have: one per byte of its JSON. A character of several bytes may be a token of its
 * own and counts as four. Media are estimated.
 */
export function maxTokensIn(value: unknown): number {
  if (typeof value === 'string') return 2 + textSize(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + maxTokensIn(item), 2)
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? String(value).length : 4
  return typeof (value as { role?: unknown }).role === 'string' ? messageSize(value) : objectSize(value)
}

/** Sizes of messages that can never change: each request brings those of the requests before it again. */
const MESSAGE_SIZES = new WeakMap<object, number>()

function messageSize(message: object): number {
  const known = MESSAGE_SIZES.get(message)
  if (known !== undefined) return known
  const size = objectSize(message)
  if (isDeeplyFrozen(message)) MESSAGE_SIZES.set(message, size)
  return size
}

function objectSize(value: object): number {
  const { type } = value as { type?: unknown }
  if (typeof type === 'string' && MEDIA_TYPE_PATTERN.test(type)) return MEDIA_TOKENS * CHARACTERS_PER_TOKEN
  let size = 2
  for (const [key, item] of Object.entries(value)) if (item !== undefined) size += key.length + 4 + maxTokensIn(item)
  return size
}

/** Finds nothing in most texts, in half the time of a loop over their characters. */
const NOT_ASCII = /[\u{80}-\u{10ffff}]/u

function textSize(text: string): number {
  let size = text.length
  if (!NOT_ASCII.test(text)) return size
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) size += CHARACTERS_PER_TOKEN - 1
  return size
}

/** Estimates the tokens of the content of a stream that has arrived. */
export class ReceivedContent {
  #pieces = 0
  #countedTokens = 0
  #uncountedText = ''

  /** Adds an event with content. */
  add(event: ModelEvent): void {
    this.#pieces++
    if (event.type === 'textDelta' || event.type === 'reasoningDelta') this.#uncountedText += event.text
    else if (event.type === 'toolCallDelta') this.#uncountedText += event.arguments
    else if (event.type === 'toolCallStart') this.#uncountedText += event.name
    if (this.#uncountedText.length < COUNTED_LENGTH) return
    this.#countedTokens += tokensIn(this.#uncountedText)
    this.#uncountedText = ''
  }

  /** The estimated tokens so far; a provider sends at least one with each piece. */
  get tokens(): number {
    return Math.max(this.#pieces, this.#countedTokens + tokensIn(this.#uncountedText))
  }
}

/** Characters that are counted at once: little memory is held, and rounding up matters little. */
const COUNTED_LENGTH = 4096
