/**
 * The marks around the thoughts of reasoning models: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `[THINK]`,
 * `◁think▷`, `<|begin_of_thought|>`.
 */
const THOUGHT_MARK =
  /<(\/?)(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)(?:\s[^<>\n]{0,80})?>|\[(\/?)THINK\]|◁(\/?)think▷|<\|(begin|end)_of_thought\|>/gi

/** The start of the final channel in replies with named channels. */
const FINAL_CHANNEL = /<\|channel\|>final(?:\s[^<>|\n]{0,40})?<\|message\|>/g

/**
 * Removes the thoughts of a reasoning model from its reply: marked blocks at the beginning of a line, everything before a
 * lone closing mark, and everything after an opening mark that is never closed. A mark in the middle of a line is part of
 * the text.
 */
export function withoutThinking(reply: string): string {
  const text = finalPart(reply)
  const kept: string[] = []
  let depth = 0
  let from = 0
  for (const mark of text.matchAll(THOUGHT_MARK)) {
    const closes = mark[1] === '/' || mark[2] === '/' || mark[3] === '/' || mark[4]?.toLowerCase() === 'end'
    const end = mark.index + mark[0].length
    if (!closes && depth === 0) {
      if (!opensLine(text, from, mark.index)) continue
      kept.push(text.slice(from, mark.index))
    } else if (closes && depth === 0) {
      if (kept.length > 0 || text[mark.index - 1] === '`') continue
      // The opening mark was part of the prompt: everything before the closing mark is thought.
      kept.push('')
    }
    depth = closes ? Math.max(0, depth - 1) : depth + 1
    from = end
  }
  if (depth === 0) kept.push(text.slice(from))
  return kept.length > 1 || depth > 0 ? kept.join('').trim() : text
}

/** True if only blanks stand between a position and the beginning of its line, or the end of the mark before. */
function opensLine(text: string, from: number, at: number): boolean {
  let i = at - 1
  while (i >= from && text[i] !== '\n' && text[i]!.trim() === '') i -= 1
  return i < from || text[i] === '\n'
}

function finalPart(reply: string): string {
  const last = [...reply.matchAll(FINAL_CHANNEL)].at(-1)
  return last ? reply.slice(last.index + last[0].length).replace(/<\|(?:end|return)\|>\s*$/, '') : reply
}

/**
 * Shortens long runs of blanks and empty lines, as a failing model may write them: patterns take quadratic time on such
 * runs.
 */
export const collapseBlanks = (reply: string): string => reply.replaceAll('\r\n', '\n').replaceAll(/\s+/g, shortRun)

/** Blanks that count as a long run, and empty lines that do. */
const LONG_RUN = { blanks: 100, lines: 20 } as const

function shortRun(run: string): string {
  if (run.length < LONG_RUN.lines) return run
  const lines = run.split('\n').map((blanks) => (blanks.length < LONG_RUN.blanks ? blanks : ' '))
  return lines.length > LONG_RUN.lines ? `\n\n${lines.at(-1)!}` : lines.join('\n')
}

/** Characters at either end of a text that may hold a rating. */
const RATING_END_CHARS = 10_000

/** Leaves out the middle of a text that is longer than a rating with its reasons can be. */
export const bothEnds = (text: string): string =>
  text.length <= 2 * RATING_END_CHARS ? text : `${text.slice(0, RATING_END_CHARS)}\n${text.slice(-RATING_END_CHARS)}`

/** Code points of the zeros of other scripts; the other nine digits follow each. */
const ZERO_CODES = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0,
] as const

const NON_ASCII = /[\u0080-\u{10FFFF}]/u
const OTHER_SIGNS = /[\p{Nd}\uFF01-\uFF5E٫٪﹪\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu

/**
 * Writes digits of every script and wide signs (`：`, `（`, `８`) in ASCII, and marks without width as spaces. Every
 * character keeps its position.
 */
export const withPlainDigits = (text: string): string =>
  // Most texts have nothing to replace: one search is cheaper.
  text.search(NON_ASCII) < 0
    ? text
    : text.replaceAll(OTHER_SIGNS, (sign) => {
        const code = sign.codePointAt(0)!
        if (code < 0x80 || sign.length > 1) return sign
        if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
        if (sign === '٫') return '.'
        if (sign === '٪' || sign === '﹪') return '%'
        const zero = ZERO_CODES.find((zero) => code >= zero && code < zero + 10)
        return zero === undefined ? (/\p{Nd}/u.test(sign) ? sign : ' ') : String(code - zero)
      })
