import type { Run } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { estimateText, type TextCounter } from './text-tokens.ts'

/** A module of `gpt-tokenizer` with one encoding. */
interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
}

/** The name of an encoding of `gpt-tokenizer`. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** Encodings by the prefixes of the names of the models that use them. */
const ENCODINGS_BY_MODEL: readonly (readonly [models: RegExp, encoding: EncodingName])[] = [
  [/^(?:gpt-4o|gpt-4\.|gpt-[5-9]|gpt-oss|chatgpt|o\d)/u, 'o200k_base'],
  [/^gpt-(?:4|3\.5)/u, 'cl100k_base'],
]

/** Returns the encoding of a model's tokenizer; null if the tokenizer is not public. */
export const encodingOf = (model: string | null | undefined): EncodingName | null =>
  ENCODINGS_BY_MODEL.find(([models]) => models.test(model?.replace(/^openai\//u, '') ?? ''))?.[1] ?? null

/** Loads the tokenizer of an encoding from `gpt-tokenizer`, an optional peer; without the peer, tokens are estimated. */
export function* loadCounter(encoding: EncodingName, run: Run | undefined): Steps<TextCounter, never> {
  try {
    const tokenizer =
      run?.face === 'sync' ? requireEncoding(encoding) : yield* wait(importEncoding(encoding), 'a tokenizer')
    return counterOf(tokenizer)
  } catch {
    return estimateText
  }
}

async function importEncoding(encoding: EncodingName): Promise<Encoding> {
  try {
    return encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  } catch (cause) {
    throw new Error('`gpt-tokenizer` is not installed', { cause })
  }
}

/** Loads an encoding synchronously; throws where the runtime cannot. */
function requireEncoding(encoding: string): Encoding {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)(`gpt-tokenizer/encoding/${encoding}`) as Encoding
}

/**
 * Most characters without a space that the tokenizer gets in one piece. The tokenizer's time grows with the square of
 * such a run: a hundred thousand equal letters take half a minute.
 */
const MAX_RUN_CHARS = 64
const LONG_RUN = new RegExp(`\\S{${MAX_RUN_CHARS}}(?=\\S)`, 'gu')

/** Counts text that looks like a special token as ordinary text. */
const COUNT_OPTIONS = { disallowedSpecial: new Set<string>() }

const counterOf =
  (encoding: Encoding): TextCounter =>
  (text) => {
    if (text.length <= MAX_RUN_CHARS) return encoding.countTokens(text, COUNT_OPTIONS)
    let tokens = 0
    let from = 0
    for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
      const end = index + run.length
      tokens += encoding.countTokens(text.slice(from, end), COUNT_OPTIONS)
      from = end
    }
    return tokens + encoding.countTokens(text.slice(from), COUNT_OPTIONS)
  }
