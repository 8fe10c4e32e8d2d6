/** Splits the text of a model that thinks aloud: a text that begins with `<think>` is reasoning up to `</think>`. */
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
}

const OPEN = '<think>'
const CLOSE = '</think>'

/** Makes a splitter for one text, which may be cut into pieces at any character. */
export function createThinkTags(out: ThoughtsAndText): ThinkTags {
  let at: 'start' | 'thoughts' | 'gap' | 'text' = 'start'
  /** Characters that may be the beginning of a tag, or blanks before one. */
  let held = ''

  const push = (piece: string): void => {
    if (at === 'text') {
      out.text(piece)
      return
    }
    const all = held + piece
    held = ''
    if (at === 'start') {
      const begun = all.trimStart()
      if (begun.startsWith(OPEN)) {
        at = 'thoughts'
        push(begun.slice(OPEN.length))
      } else if (OPEN.startsWith(begun)) held = all
      else {
        at = 'text'
        out.text(all)
      }
    } else if (at === 'thoughts') {
      const close = all.indexOf(CLOSE)
      const tell = close === -1 ? all.length - openEnd(all) : close
      if (tell > 0) out.reasoning(all.slice(0, tell))
      if (close === -1) {
        held = all.slice(tell)
        return
      }
      at = 'gap'
      push(all.slice(close + CLOSE.length))
    } else {
      // Blank lines between the thoughts and the text belong to neither.
      const text = all.trimStart()
      if (text === '') return
      at = 'text'
      out.text(text)
    }
  }

  return {
    push,
    end() {
      if (at === 'start' && held !== '') out.text(held)
      if (at === 'thoughts' && held !== '') out.reasoning(held)
      held = ''
    },
  }
}

/** Returns the length of the end of a text that may be the beginning of the closing tag. */
function openEnd(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--)
    if (CLOSE.startsWith(text.slice(-length))) return length
  return 0
}
