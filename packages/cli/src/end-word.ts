/** The word that ends a chat, at the end of a message: it is for the program. */
const END_WORD = 'TERMINATE'

/**
 * Where the word that ends a chat begins, with the blanks before it, from a position on; the length of a text that does not
 * end so.
 */
function endWordAt(text: string, from: number): number {
  const at = text.lastIndexOf(END_WORD)
  const isLast = at >= from && !/\w/u.test(text.slice(at + END_WORD.length))
  return isLast && !isInWord(text, at) ? blanksBefore(text, at, from) : text.length
}

/** Where an end begins that may become the word that ends a chat: that word, a beginning of it, or blanks. */
function mayEndAt(text: string, from: number): number {
  const at = endWordAt(text, from)
  if (at < text.length) return at
  for (let length = Math.min(END_WORD.length - 1, text.length - from); length > 0; length--) {
    const begins = text.length - length
    if (text.endsWith(END_WORD.slice(0, length)) && !isInWord(text, begins)) return blanksBefore(text, begins, from)
  }
  return blanksBefore(text, text.length, from)
}

const isInWord = (text: string, at: number): boolean => at > 0 && /\w/u.test(text[at - 1]!)

const blanksBefore = (text: string, at: number, from: number): number => from + text.slice(from, at).trimEnd().length

/** A message without the word that ends a chat. */
export const withoutEndWord = (text: string): string => text.slice(0, endWordAt(text, 0))

/** Takes that word out of a text that comes piece by piece. */
export class EndWord {
  /** The last character shown, and the text that is held back after it. */
  #last = ''
  #held = ''

  /** Returns the text that may be shown now, without a part that may belong to the word. */
  take(piece: string): string {
    const text = this.#last + this.#held + piece
    const from = this.#last.length
    const to = mayEndAt(text, from)
    this.#held = text.slice(to)
    const shown = text.slice(from, to)
    this.#last = shown.at(-1) ?? this.#last
    return shown
  }

  /** Ends the text: returns the rest that was held back, unless it is the word. */
  end(): string {
    const text = this.#last + this.#held
    const rest = text.slice(this.#last.length, endWordAt(text, this.#last.length))
    this.#last = this.#held = ''
    return rest
  }
}
