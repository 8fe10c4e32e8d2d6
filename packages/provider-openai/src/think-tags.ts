/**
 * Splits the text of a model that thinks aloud: a text that begins with `<think>` is reasoning up to `</think>`. So is a text
 * that has only the closing tag, because the template of some models swallows the opening one.
 */
export interface ThinkTags {
  /** Takes the next piece of the text and reports what can be told of it. */
  push(piece: string): void
  /** Reports what was held back at the end of the text. */
  end(): void
}

/** Receivers of both kinds of text. */
export interface ThoughtsAndText {
  readonly reasoning: (text: string) => void
  readonly text: (text: string) => void
  /** Takes the text that was reported so far back: it was reasoning. */
  readonly textWasReasoning: () => void
}

/** Facts about a text. */
export interface ThinkTagRules {
  /** Whether the model always thinks: its text is held back until its thoughts have ended. */
  readonly thinks: boolean
  /** Whether the endpoint tells thoughts and text apart by itself; then only an opening tag counts. */
  readonly apart: boolean
}

const OPEN = '<think>'
const CLOSE = '</think>'

/** Models that always think and whose templates open the thoughts. */
const THINKERS = /(?:^|[-_/:])(?:r1|qwq|qvq)(?:[-_:.]|$)|thinking|reason/iu

/** Tells by its name whether a model always thinks. */
export const alwaysThinks = (model: string): boolean => THINKERS.test(model)

/** Makes a splitter for one text, which may be cut into pieces at any character. */
export function createThinkTags(out: ThoughtsAndText, { thinks, apart }: ThinkTagRules): ThinkTags {
  let at: 'start' | 'thoughts' | 'gap' | 'unopened' | 'open' | 'text' = 'start'
  /** Characters that may be the beginning of a tag, or blanks before one, or the text of a model that always thinks. */
  let held = ''
  let said = false

  const say = (text: string): void => {
    if (text === '') return
    said = true
    out.text(text)
  }

  const push = (piece: string): void => {
    if (at === 'text' || (at === 'open' && held === '' && !piece.includes('<'))) {
      say(piece)
      return
    }
    const all = held + piece
    held = ''
    if (at === 'start') start(all)
    else if (at === 'thoughts') think(all)
    else if (at === 'unopened') hold(all)
    else if (at === 'open') tell(all)
    else {
      // Blank lines between the thoughts and the text belong to neither.
      const text = all.trimStart()
      if (text === '') return
      at = 'text'
      say(text)
    }
  }

  const start = (all: string): void => {
    const begun = all.trimStart()
    if (begun.startsWith(OPEN)) {
      at = 'thoughts'
      push(begun.slice(OPEN.length))
    } else if (OPEN.startsWith(begun)) held = all
    else {
      at = apart ? 'text' : thinks ? 'unopened' : 'open'
      push(all)
    }
  }

  const think = (all: string): void => {
    const close = all.indexOf(CLOSE)
    const tell = close === -1 ? all.length - openEnd(all, CLOSE) : close
    if (tell > 0) out.reasoning(all.slice(0, tell))
    if (close === -1) {
      held = all.slice(tell)
      return
    }
    at = 'gap'
    push(all.slice(close + CLOSE.length))
  }

  const hold = (all: string): void => {
    if (!all.includes(CLOSE)) {
      held = all
      return
    }
    at = 'thoughts'
    think(all)
  }

  /** Tells text, until a tag ends thoughts that were not begun; a tag that opens them here is part of the text. */
  const tell = (all: string): void => {
    const close = all.indexOf(CLOSE)
    const open = all.indexOf(OPEN)
    if (open !== -1 && (close === -1 || open < close)) {
      at = 'text'
      say(all)
      return
    }
    if (close === -1) {
      const end = all.length - Math.max(openEnd(all, CLOSE), openEnd(all, OPEN))
      say(all.slice(0, end))
      held = all.slice(end)
      return
    }
    if (said) out.textWasReasoning()
    at = 'thoughts'
    think(all)
  }

  return {
    push,
    end() {
      if (at === 'thoughts' && held !== '') out.reasoning(held)
      else if (at !== 'gap') say(held)
      held = ''
    },
  }
}

/** Returns the length of the end of a text that may be the beginning of a tag. */
function openEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}
