/** Counts the tokens of a text. */
export type TextCounter = (text: string) => number

/** Tokens of a character, by the kind of text that it is usual in. */
const LETTER = 0.24
const SIGN = 0.45
const OTHER_ALPHABET = 0.45
const IDEOGRAPH = 1
const RARE = 1.3

/** Estimates the tokens of a text by the kinds of its characters, for models without a tokenizer at hand. */
export function estimateText(text: string): number {
  let tokens = 0
  for (let index = 0; index < text.length; index++) tokens += weightOf(text.charCodeAt(index))
  return Math.ceil(tokens)
}

function weightOf(code: number): number {
  if (code < 128) {
    // Letters and the space before a word; digits and signs are cut into shorter tokens.
    return (code >= 97 && code <= 122) || code === 32 || (code >= 65 && code <= 90) ? LETTER : SIGN
  }
  if (code < 0x0800) return OTHER_ALPHABET
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return IDEOGRAPH
  return RARE
}

/** Bytes that one UTF-16 unit takes at most in UTF-8. */
const BYTES = 3

/** The most tokens that a text can have: a token has at least one byte. Nothing of the text is read. */
export const mostTokensOf = (text: string): number => text.length * BYTES
