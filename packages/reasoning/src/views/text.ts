import type { ThinkNode } from '../tree/think-node.ts'
import { pathTo, shortened, shown, worth } from './marks.ts'

/** Options of the drawing for a terminal. */
export interface TextViewOptions {
  /** The node to mark, with the path to it. */
  best?: ThinkNode | null | undefined
  /** Columns; default 100. */
  width?: number | undefined
  /** Whether escape codes for colour are used; default false. */
  color?: boolean | undefined
}

const CODES = { good: 32, middling: 33, bad: 31, dim: 90, bold: 1 } as const

/** Draws a tree for a terminal, one line per node: worth, text, and what became of it. */
export function renderText(root: ThinkNode, options: TextViewOptions = {}): string {
  const { best, width = 100, color = false } = options
  const marked = pathTo(best)
  const paint = (code: keyof typeof CODES, text: string): string =>
    color ? `\u001B[${CODES[code]}m${text}\u001B[0m` : text
  const lines = [paint('bold', shortened(root.content, width))]
  const open = root.children.map((node, i) => ({ node, stem: '', last: i === root.children.length - 1 })).toReversed()
  for (let item = open.pop(); item; item = open.pop()) {
    const { node, stem, last } = item
    const value = worth(node)
    const mark = marked.has(node) ? '★' : node.fate === 'failed' ? '✗' : ' '
    const visits = node.visits > 0 ? ` (${node.visits}×)` : ''
    const label = node.fate === 'answer' ? '⇒ ' : ''
    const head = `${stem}${last ? '└─' : '├─'}${mark}`
    const text = `${label}${shortened(node.content, Math.max(12, width - head.length - 12))}${visits}`
    const worthText = paint(
      value === null ? 'dim' : value >= 0.7 ? 'good' : value >= 0.35 ? 'middling' : 'bad',
      shown(value).padStart(4),
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
