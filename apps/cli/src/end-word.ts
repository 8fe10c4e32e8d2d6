/** The word that ends a chat, at the end of a message: it is for the program. */
const END_WORD = /\s*\bTERMINATE\W*$/u

/** Finds an end of a text that may become that word. */
const MAY_END = /\s*\b(?:T|TE|TER|TERM|TERMI|TERMIN|TERMINA|TERMINAT|TERMINATE\W*)$|\s+$/u

/** A message without the word that ends a chat. */
export const withoutEndWord = (text: string): string => text.replace(END_WORD, '')

/** Takes that word out of a text that comes piece by piece. */
export class EndWord {
  /** The last character shown, and the text that is held back after it. */
  #last = ''
  #held = ''

  /** Returns the text that may be shown now, without a part that may belong to the word. */
  take(piece: string): string {
    const text = this.#last + this.#held + piece
    const from = this.#last.length
    const to = indexFrom(MAY_END, text, from)
    this.#held = text.slice(to)
    const shown = text.slice(from, to)
    this.#last = shown.at(-1) ?? this.#last
    return shown
  }

  /** Ends the text: returns the rest that was held back, unless it is the word. */
  end(): string {
    const text = this.#last + this.#held
    const rest = text.slice(this.#last.length, indexFrom(END_WORD, text, this.#last.length))
    this.#last = this.#held = ''
    return rest
  }
}

/** Where something begins in a text, from a position on; the length of the text where it does not. */
function indexFrom(what: RegExp, text: string, from: number): number {
  const found = new RegExp(what, 'gu')
  found.lastIndex = from
  return found.exec(text)?.index ?? text.length
}
