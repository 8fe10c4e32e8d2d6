import type { Run } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { estimateText, type TextCounter } from './text-tokens.ts'

/** A module of `gpt-tokenizer` with one encoding. */
interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
}

/** Encodings of `gpt-tokenizer`, by the beginnings of the names of models that use them. */
const FAMILIES: readonly (readonly [models: RegExp, encoding: 'o200k_base' | 'cl100k_base'])[] = [
  [/^(?:gpt-4o|gpt-4\.|gpt-[5-9]|gpt-oss|chatgpt|o\d)/u, 'o200k_base'],
  [/^gpt-(?:4|3\.5)/u, 'cl100k_base'],
]

/** The encoding of a model's tokenizer; null where it has none that is public. */
export const encodingOf = (model: string | null | undefined): 'o200k_base' | 'cl100k_base' | null =>
  FAMILIES.find(([models]) => models.test(model?.replace(/^openai\//u, '') ?? ''))?.[1] ?? null

/**
 * Loads the tokenizer of an encoding from `gpt-tokenizer`, an optional peer. Where that is not installed, tokens are
 * estimated.
 */
export function* loadCounter(encoding: 'o200k_base' | 'cl100k_base', run: Run | undefined): Steps<TextCounter, never> {
  try {
    const loaded =
      run?.face === 'sync' ? requireEncoding(encoding) : yield* wait(importEncoding(encoding), 'a tokenizer')
    return counterOf(loaded)
  } catch {
    return estimateText
  }
}

async function importEncoding(encoding: 'o200k_base' | 'cl100k_base'): Promise<Encoding> {
  try {
    return encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  } catch (cause) {
    throw new Error('`gpt-tokenizer` is not installed', { cause })
  }
}

/** Loads an encoding without waiting, where the runtime can. */
function requireEncoding(encoding: string): Encoding {
  const { createRequire } = process.getBuiltinModule('node:module')
  return createRequire(import.meta.url)(`gpt-tokenizer/encoding/${encoding}`) as Encoding
}

/**
 * Signs without a space that the tokenizer is given at once. Its time grows with the square of such a run: a hundred
 * thousand equal letters take it half a minute.
 */
const LONGEST_RUN = 64
const LONG_RUN = new RegExp(`\\S{${LONGEST_RUN}}(?=\\S)`, 'gu')

/** Texts that look like special tokens are texts. */
const OPTIONS = { disallowedSpecial: new Set<string>() }

const counterOf =
  (encoding: Encoding): TextCounter =>
  (text) => {
    if (text.length <= LONGEST_RUN) return encoding.countTokens(text, OPTIONS)
    let tokens = 0
    let from = 0
    for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
      const end = index + run.length
      tokens += encoding.countTokens(text.slice(from, end), OPTIONS)
      from = end
    }
    return tokens + encoding.countTokens(text.slice(from), OPTIONS)
  }
