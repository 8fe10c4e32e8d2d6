import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ThinkNode } from '../tree/think-node.ts'
import { formatWorth, pathTo, shorten, worthOf } from './marks.ts'

/** Options of `renderText`. */
export interface TextViewOptions {
  /** The node to mark, with the path to it. */
  best?: ThinkNode | null | undefined
  /** Width in columns; default 100. */
  width?: number | undefined
  /** Whether to use escape codes for colour; default false. */
  color?: boolean | undefined
}

const KINDS: OptionKinds<TextViewOptions> = { best: kind.orNull(kind.object), width: kind.limit(1), color: kind.flag }

const CODES = { good: 32, middling: 33, bad: 31, dim: 90, bold: 1 } as const

/** Renders a tree for a terminal, one line per node: value, text and state. */
export function renderText(root: ThinkNode, options: TextViewOptions = {}): string {
  checkOptions(options, KINDS, 'run `renderText`')
  const { best, width = 100, color = false } = options
  const marked = pathTo(best)
  const paint = (code: keyof typeof CODES, text: string): string =>
    color ? `\u001B[${CODES[code]}m${text}\u001B[0m` : text
  const lines = [paint('bold', shorten(root.content, width))]
  const open = root.children.map((node, i) => ({ node, stem: '', last: i === root.children.length - 1 })).toReversed()
  for (let item = open.pop(); item; item = open.pop()) {
    const { node, stem, last } = item
    const value = worthOf(node)
    const mark = marked.has(node) ? '★' : node.fate === 'failed' ? '✗' : ' '
    const visits = node.visits > 0 ? ` (${node.visits}×)` : ''
    const label = node.fate === 'answer' ? '⇒ ' : ''
    const head = `${stem}${last ? '└─' : '├─'}${mark}`
    const text = `${label}${shorten(node.content, Math.max(12, width - head.length - 12))}${visits}`
    const worthText = paint(
      value === null ? 'dim' : value >= 0.7 ? 'good' : value >= 0.35 ? 'middling' : 'bad',
      formatWorth(value).padStart(4),
    )
    const body = node.fate === 'pruned' ? paint('dim', text) : marked.has(node) ? paint('bold', text) : text
    lines.push(`${head}${worthText} ${body}`)
    const below = node.children.map((child, i) => ({
      node: child,
      stem: `${stem}${last ? '   ' : '│  '}`,
      last: i === node.children.length - 1,
    }))
    open.push(...below.toReversed())
  }
  return lines.join('\n')
}
