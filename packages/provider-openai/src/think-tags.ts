/** Receiver of thoughts and text. */
export interface ThoughtsAndText {
  reasoning(text: string): void
  text(text: string): void
  /** Takes back the text that was reported so far: it was reasoning. */
  textWasReasoning(): void
}

/** Facts about a text. */
export interface ThinkTagRules {
  /** Whether the model always thinks: its text waits until its thoughts have ended. */
  readonly alwaysThinks: boolean
  /** Whether the endpoint sends reasoning separately; then only an opening tag counts. */
  readonly hasReasoning: boolean
}

const OPENING_TAG = '<think>'
const CLOSING_TAG = '</think>'

/** Names of models that always think, with templates that open the thoughts. */
const THINKING_MODEL_PATTERN = /(?:^|[-_/:])(?:r1|qwq|qvq)(?:[-_:.]|$)|thinking|reason/iu

/** Tells by its name whether a model always thinks. */
export const alwaysThinks = (model: string): boolean => THINKING_MODEL_PATTERN.test(model)

/**
 * Splits the text of a model that writes its thoughts, which may be cut into pieces at any character: a text that begins with
 * `<think>` is reasoning up to `</think>`, and so is a text with only the closing tag, because the template of some models
 * swallows the opening one.
 */
export class ThinkTags {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: ThinkTags = new ThinkTags({} as ThoughtsAndText, {} as ThinkTagRules)
  readonly #out: ThoughtsAndText
  readonly #rules: ThinkTagRules
  /** Place in the text; `unopened` holds the text of a model that always thinks until its thoughts end. */
  #place: 'start' | 'thoughts' | 'gap' | 'unopened' | 'open' | 'text' = 'start'
  /** Characters that may begin a tag, blanks before one, or the text of a model that always thinks. */
  #pending = ''
  /** True if the pending characters are blanks. */
  #isBlank = true
  /** The last pending characters, in which a tag may begin; the pending ones as a whole are joined once. */
  #tail = ''
  #hasText = false

  constructor(out: ThoughtsAndText, rules: ThinkTagRules) {
    this.#out = out
    this.#rules = rules
  }

  /** Takes the next piece of the text and reports its thoughts and text. */
  push(piece: string): void {
    if (this.#place === 'text' || (this.#place === 'open' && this.#pending === '' && !piece.includes('<'))) {
      this.#reportText(piece)
      return
    }
    if (this.#waits(piece)) return
    const all = this.#pending + piece
    this.#pending = ''
    if (this.#place === 'start') this.#readStart(all)
    else if (this.#place === 'thoughts') this.#readThoughts(all)
    else if (this.#place === 'unopened') {
      this.#place = 'thoughts'
      this.#readThoughts(all)
    } else if (this.#place === 'open') this.#readOpen(all)
    else {
      // Blank lines between the thoughts and the text belong to neither.
      const text = all.trimStart()
      if (text === '') return
      this.#place = 'text'
      this.#reportText(text)
    }
  }

  /** Keeps a piece that decides nothing, without a look at the earlier ones: there may be very many. */
  #waits(piece: string): boolean {
    if (this.#place === 'start') {
      this.#isBlank &&= piece.trimStart() === ''
      if (this.#isBlank) this.#pending += piece
      return this.#isBlank
    }
    if (this.#place !== 'unopened') return false
    const seen = this.#tail + piece
    if (seen.includes(CLOSING_TAG)) return false
    this.#pending += piece
    this.#tail = seen.slice(1 - CLOSING_TAG.length)
    return true
  }

  /** Reports pending characters at the end of the text. */
  end(): void {
    const pending = this.#pending
    this.#pending = ''
    if (this.#place === 'thoughts' && pending !== '') this.#out.reasoning(pending)
    else if (this.#place !== 'gap') this.#reportText(pending)
  }

  #readStart(all: string): void {
    const text = all.trimStart()
    if (text.startsWith(OPENING_TAG)) {
      this.#place = 'thoughts'
      this.push(text.slice(OPENING_TAG.length))
    } else if (OPENING_TAG.startsWith(text)) this.#pending = all
    else {
      this.#place = this.#rules.hasReasoning ? 'text' : this.#rules.alwaysThinks ? 'unopened' : 'open'
      this.push(all)
    }
  }

  #readThoughts(all: string): void {
    const close = all.indexOf(CLOSING_TAG)
    const end = close === -1 ? all.length - partialTagLength(all, CLOSING_TAG) : close
    if (end > 0) this.#out.reasoning(all.slice(0, end))
    if (close === -1) {
      this.#pending = all.slice(end)
      return
    }
    this.#place = 'gap'
    this.push(all.slice(close + CLOSING_TAG.length))
  }

  /** Reports text until a tag closes thoughts without an opening tag; an opening tag here is part of the text. */
  #readOpen(all: string): void {
    const close = all.indexOf(CLOSING_TAG)
    const open = all.indexOf(OPENING_TAG)
    if (open !== -1 && (close === -1 || open < close)) {
      this.#place = 'text'
      this.#reportText(all)
      return
    }
    if (close === -1) {
      const end = all.length - Math.max(partialTagLength(all, CLOSING_TAG), partialTagLength(all, OPENING_TAG))
      this.#reportText(all.slice(0, end))
      this.#pending = all.slice(end)
      return
    }
    if (this.#hasText) this.#out.textWasReasoning()
    this.#place = 'thoughts'
    this.#readThoughts(all)
  }

  #reportText(text: string): void {
    if (text === '') return
    this.#hasText = true
    this.#out.text(text)
  }
}

/** Returns the length of the end of a text that may begin a tag. */
function partialTagLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}
