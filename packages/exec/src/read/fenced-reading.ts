import type { CodeBlock } from '@x/interfaces'

const OPENING = /^(?<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?)*)(?<fence>`{3,}|~{3,})(?<info>.*)$/u

interface OpenFence {
  readonly fence: string
  readonly language: string
  /** Columns that belong to the fence's own indentation, taken off every line. */
  readonly indent: number
  readonly quoted: boolean
  readonly lines: string[]
}

/**
 * Code blocks by the fences as markdown defines them: a fence ends only at one at least as long of the same character,
 * whatever follows the language is left aside, indentation of a list is taken off, and a fence that is never closed ends
 * with the text, as answers cut short do.
 */
export function fencedCode(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: OpenFence | undefined
  for (const line of text.split(/\r?\n/u)) {
    if (!open) open = opened(line)
    else if (closes(open, line)) {
      blocks.push(blockOf(open))
      open = undefined
    } else open.lines.push(withoutIndent(open, line))
  }
  if (open && open.lines.some((line) => line.trim() !== '')) blocks.push(blockOf(open))
  return blocks
}

function opened(line: string): OpenFence | undefined {
  const { indent = '', fence, info = '' } = OPENING.exec(line)?.groups ?? {}
  // A tick after the opening ticks makes them inline code.
  if (fence === undefined || (fence.startsWith('`') && info.includes('`'))) return undefined
  return { fence, language: languageOf(info), indent: indent.length, quoted: indent.includes('>'), lines: [] }
}

/** The language that an info string names: `{python}`, `python title="a.py"`, `python3.11`, `c++`. */
function languageOf(info: string): string {
  return /^\s*\{?\.?(?<language>[^\s,{}:;=]+)/u.exec(info)?.groups?.['language'] ?? ''
}

function closes({ fence, quoted }: OpenFence, line: string): boolean {
  const bare = (quoted ? line.replace(/^(?:[ \t]*>[ \t]?)+/u, '') : line).trim()
  return bare.length >= fence.length && bare === fence[0]!.repeat(bare.length)
}

function withoutIndent({ indent, quoted }: OpenFence, line: string): string {
  const bare = quoted ? line.replace(/^(?:[ \t]*>[ \t]?)+/u, '') : line
  if (quoted) return bare
  let taken = 0
  while (taken < indent && (bare[taken] === ' ' || bare[taken] === '\t')) taken++
  return bare.slice(taken)
}

const blockOf = ({ language, lines }: OpenFence): CodeBlock => ({ language, code: lines.join('\n') })
