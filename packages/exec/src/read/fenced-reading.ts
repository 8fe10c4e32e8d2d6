import type { CodeBlock } from '@x/interfaces'

// Both patterns match without backtracking, so that no character is read twice.
const LIST_OR_QUOTE_MARK = /(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?/uy
const FENCE_MARK = /`{3,}|~{3,}/uy

/** Columns by which a closing fence may stand further in than the opening one; behind them it is code, such as that of a docstring. */
const MAX_CLOSING_INDENT = 3

/** Columns from one stop of a tab to the next. */
const TAB_COLUMNS = 4

interface OpenFence {
  readonly fence: string
  readonly language: string
  /** Characters of the indentation of the fence, which is removed from every line. */
  readonly indent: number
  /** Columns of that indentation, without the marks of a quote. */
  readonly column: number
  readonly quoted: boolean
  readonly lines: string[]
}

/**
 * Returns the code blocks of a text by its fences, as markdown defines them. A fence is closed by one of the same character
 * that is at least as long and not further in by four columns. Text after the language is ignored, and the indentation of a list
 * is removed. An open fence ends with the text, as in an answer that was cut off.
 */
export function fencedCode(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: OpenFence | undefined
  for (const line of text.split(/\r?\n/u)) {
    if (!open) open = parseOpening(line)
    else if (isClosing(open, line)) {
      blocks.push(blockOf(open))
      open = undefined
    } else open.lines.push(withoutIndent(open, line))
  }
  if (open && open.lines.some((line) => line.trim() !== '')) blocks.push(blockOf(open))
  return blocks
}

function parseOpening(line: string): OpenFence | undefined {
  const indent = indentOf(line)
  FENCE_MARK.lastIndex = indent
  const fence = FENCE_MARK.exec(line)?.[0]
  if (fence === undefined) return undefined
  const info = line.slice(indent + fence.length)
  // A backtick after the opening backticks makes the text inline code.
  if (/[\r\u2028\u2029]/u.test(info) || (fence.startsWith('`') && info.includes('`'))) return undefined
  const before = line.slice(0, indent)
  const quoted = before.includes('>')
  const column = columnsOf(quoted ? withoutQuote(before) : before)
  return { fence, language: languageOf(info), indent, column, quoted, lines: [] }
}

/** Returns the columns before a fence: blanks, then marks of lists and quotes. */
function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at++
  for (LIST_OR_QUOTE_MARK.lastIndex = at; LIST_OR_QUOTE_MARK.test(line);) at = LIST_OR_QUOTE_MARK.lastIndex
  return at
}

/** Returns the language of an info string such as `{python}`, `python title="a.py"`, `python3.11` or `c++`. */
function languageOf(info: string): string {
  return /^\s*\{?\.?(?<language>[^\s,{}:;=]+)/u.exec(info)?.groups?.['language'] ?? ''
}

function isClosing({ fence, column, quoted }: OpenFence, line: string): boolean {
  const text = quoted ? withoutQuote(line) : line
  const bare = text.trim()
  if (bare.length < fence.length || bare !== fence[0]!.repeat(bare.length)) return false
  return columnsOf(text.slice(0, text.indexOf(fence[0]!))) <= column + MAX_CLOSING_INDENT
}

/** Returns the width of a text at the beginning of a line. */
function columnsOf(text: string): number {
  let columns = 0
  for (const sign of text) columns += sign === '\t' ? TAB_COLUMNS - (columns % TAB_COLUMNS) : 1
  return columns
}

function withoutIndent({ indent, quoted }: OpenFence, line: string): string {
  if (quoted) return withoutQuote(line)
  let column = 0
  while (column < indent && (line[column] === ' ' || line[column] === '\t')) column++
  return line.slice(column)
}

/** Removes the quote marks at the start of a line, each with the blank after it. */
function withoutQuote(line: string): string {
  let end = 0
  for (let at = 0; line[at] === ' ' || line[at] === '\t' || line[at] === '>'; at++) {
    if (line[at] === '>' || line[at - 1] === '>') end = at + 1
  }
  return line.slice(end)
}

const blockOf = ({ language, lines }: OpenFence): CodeBlock => ({ language, code: lines.join('\n') })
