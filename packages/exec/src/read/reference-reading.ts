import type { CodeBlock } from '@x/interfaces'
import { inferLang } from './infer-lang.ts'

/**
 * Returns the code blocks that the older reader of the Python library finds. A text without blocks is one block of language
 * `unknown`. With `detectSingleLineCode`, code between single backticks counts too, and a text without code has no blocks.
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

/** Returns the code blocks that the newer reader of the Python library finds: languages are inferred, and there may be none. */
export function markdownCode(text: string, infer: (code: string) => string = inferLang): CodeBlock[] {
  return [...fenced(text)].map(({ language, code }) => ({ language: language || knownLanguage(infer(code)), code }))
}

const knownLanguage = (language: string): string => (language === 'unknown' ? '' : language)

const FENCE_MARK = '```'

// `\w` of Python matches the letters of all scripts. Blanks without a word after them are read once.
const FENCE_HEADER = /[ \t]*(?:(?<language>[\p{L}\p{N}_]+)[ \t]*)?\r?\n/uy

interface Opening {
  readonly language: string
  /** Index at which the code begins. */
  readonly end: number
}

interface Closing {
  /** Index at which the code ends. */
  readonly start: number
  readonly end: number
}

// The expressions of the Python library are
//   ```[ \t]*(\w+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```
//   ```[ \t]*(\w+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```|`([^`]+)`   where `.` is no line end
// They read from each fence to the end of the text. The code below returns the same blocks and reads the text once.

function* fenced(text: string): Generator<CodeBlock> {
  for (let next = nextOpening(text, 0); next;) {
    const { language, end } = next
    const close = nextClosing(text, end)
    // Without a closing fence here, no later fence is closed either.
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

/** Returns the fence that begins the line after a line end, for code that begins at `from`. */
function closingAt(text: string, newline: number, from: number): Closing | undefined {
  let at = newline + 1
  while (text[at] === ' ' || text[at] === '\t') at++
  if (!text.startsWith(FENCE_MARK, at)) return undefined
  return { start: newline > from && text[newline - 1] === '\r' ? newline - 1 : newline, end: at + FENCE_MARK.length }
}
