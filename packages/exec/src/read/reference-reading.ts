import type { CodeBlock } from '@x/interfaces'
import { inferLang } from './infer-lang.ts'

/**
 * Code blocks as the reference's older reader finds them. A text without any is one block of language `unknown`; with
 * `detectSingleLineCode`, code between single ticks counts too, and a text without any gives nothing.
 */
export function extractCode(
  text: string,
  { detectSingleLineCode = false }: { detectSingleLineCode?: boolean | undefined } = {},
): CodeBlock[] {
  if (!detectSingleLineCode) {
    const blocks = [...fenced(text)]
    return blocks.length > 0 ? blocks : [{ language: 'unknown', code: text }]
  }
  return [...fencedOrTicked(text)]
}

/** Code blocks as the reference's newer reader finds them: nothing for a text without any, languages inferred. */
export function markdownCode(text: string, infer: (code: string) => string = inferLang): CodeBlock[] {
  return [...fenced(text)].map(({ language, code }) => ({ language: language || known(infer(code)), code }))
}

const known = (language: string): string => (language === 'unknown' ? '' : language)

const FENCE_MARK = '```'

// `\w` of the reference knows the letters of all scripts. Blanks that no word follows are read once.
const FENCE_HEADER = /[ \t]*(?:(?<language>[\p{L}\p{N}_]+)[ \t]*)?\r?\n/uy

interface Opening {
  readonly language: string
  /** Place of the code. */
  readonly end: number
}

interface Closing {
  /** End of the code. */
  readonly start: number
  readonly end: number
}

// The reference's expressions are
//   ```[ \t]*(\w+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```
//   ```[ \t]*(\w+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```|`([^`]+)`   where `.` is no line end
// They read on from each fence to the end of the text; what follows gives the same and reads it once.

function* fenced(text: string): Generator<CodeBlock> {
  for (let next = nextOpening(text, 0); next;) {
    const { language, end } = next
    const close = nextClosing(text, end)
    // What closes nothing from here on closes no later fence either.
    if (!close) return
    yield { language, code: text.slice(end, close.start) }
    next = nextOpening(text, close.end)
  }
}

function* fencedOrTicked(text: string): Generator<CodeBlock> {
  for (let at = text.indexOf('`'); at >= 0;) {
    const opening = openingAt(text, at)
    const newline = opening ? text.indexOf('\n', opening.end) : -1
    const close = opening && newline >= 0 ? closingAt(text, newline, opening.end) : undefined
    const tick = close ? -1 : text.indexOf('`', at + 1)
    if (opening && close) {
      const code = text.slice(opening.end, close.start)
      if (code !== '') yield { language: opening.language, code: code.trim() }
    } else if (tick > at + 1) yield { language: '', code: text.slice(at + 1, tick).trim() }
    at = text.indexOf('`', close?.end ?? (tick > at + 1 ? tick + 1 : at + 1))
  }
}

function nextOpening(text: string, from: number): Opening | undefined {
  for (let at = text.indexOf(FENCE_MARK, from); at >= 0; at = text.indexOf(FENCE_MARK, at + 1)) {
    const opening = openingAt(text, at)
    if (opening) return opening
  }
  return undefined
}

function openingAt(text: string, at: number): Opening | undefined {
  if (!text.startsWith(FENCE_MARK, at)) return undefined
  FENCE_HEADER.lastIndex = at + FENCE_MARK.length
  const header = FENCE_HEADER.exec(text)
  return header ? { language: header.groups?.['language'] ?? '', end: FENCE_HEADER.lastIndex } : undefined
}

function nextClosing(text: string, from: number): Closing | undefined {
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    const close = closingAt(text, at, from)
    if (close) return close
  }
  return undefined
}

/** The fence that begins the line after a line end, for code that begins at a place. */
function closingAt(text: string, newline: number, from: number): Closing | undefined {
  let at = newline + 1
  while (text[at] === ' ' || text[at] === '\t') at++
  if (!text.startsWith(FENCE_MARK, at)) return undefined
  return { start: newline > from && text[newline - 1] === '\r' ? newline - 1 : newline, end: at + FENCE_MARK.length }
}
