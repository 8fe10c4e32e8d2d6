/** Counts the tokens of a text. */
export type TextCounter = (text: string) => number

/** Average tokens of one character, by the kind of the character. */
const LETTER_TOKENS = 0.24
const SIGN_TOKENS = 0.45
const OTHER_ALPHABET_TOKENS = 0.45
const IDEOGRAPH_TOKENS = 1
const RARE_CHAR_TOKENS = 1.3

/** Estimates the tokens of a text from the kinds of its characters, for models whose tokenizer is not available. */
export function estimateText(text: string): number {
  let tokens = 0
  for (let index = 0; index < text.length; index++) tokens += charTokens(text.charCodeAt(index))
  return Math.ceil(tokens)
}

function charTokens(code: number): number {
  if (code < 128) {
    // A word and the space before it make few tokens; tokenizers cut digits and signs into shorter ones.
    return (code >= 97 && code <= 122) || code === 32 || (code >= 65 && code <= 90) ? LETTER_TOKENS : SIGN_TOKENS
  }
  if (code < 0x0800) return OTHER_ALPHABET_TOKENS
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return IDEOGRAPH_TOKENS
  return RARE_CHAR_TOKENS
}

/** Most bytes of one UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3

/** Returns the most tokens that a text can have: a token has at least one byte. Only the length of the text is read. */
export const maxTokensOfText = (text: string): number => text.length * MAX_BYTES_PER_UNIT
