import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { formatWorth, shorten } from './marks.ts'
import { toViewTrees, VIEW_KINDS, type Drawable, type ViewNode, type ViewOptions } from './view-tree.ts'

/** Options of `renderText`. */
export interface TextViewOptions extends ViewOptions {
  /** Width in columns; default 100, also for 0, which terminals of unknown width report. */
  width?: number | undefined
  /** If true, uses escape codes for colour; default false. */
  color?: boolean | undefined
}

const TEXT_VIEW_KINDS: OptionKinds<TextViewOptions> = { ...VIEW_KINDS, width: kind.limit(0), color: kind.flag }

const COLOR_CODES = { good: 32, middling: 33, bad: 31, dim: 90, bold: 1 } as const

/** The width for an unknown terminal. */
export const DEFAULT_WIDTH_COLUMNS = 100

/** Renders trees for a terminal, one line per node: value, text and state. */
export function renderText(drawable: Drawable, options: TextViewOptions = {}): string {
  checkOptions(options, TEXT_VIEW_KINDS, 'run `renderText`')
  const { color = false } = options
  const width = options.width || DEFAULT_WIDTH_COLUMNS
  const paint = (code: keyof typeof COLOR_CODES, text: string): string =>
    color ? `\u001B[${COLOR_CODES[code]}m${text}\u001B[0m` : text
  return toViewTrees(drawable, options)
    .map((root) => [paint('bold', shorten(root.content, width)), ...drawChildren(root, width, paint)].join('\n'))
    .join('\n\n')
}

function drawChildren(
  root: ViewNode,
  width: number,
  paint: (code: keyof typeof COLOR_CODES, text: string) => string,
): string[] {
  const lines: string[] = []
  const open = root.children.map((node, i) => ({ node, stem: '', last: i === root.children.length - 1 })).toReversed()
  for (let item = open.pop(); item; item = open.pop()) {
    const { node, stem, last } = item
    const value = node.worth
    const mark = node.isBest ? '★' : node.fate === 'failed' ? '✗' : ' '
    const visits = node.visits > 0 ? ` (${node.visits}×)` : ''
    const label = node.fate === 'answer' ? '⇒ ' : ''
    const head = `${stem}${last ? '└─' : '├─'}${mark}`
    const text = `${label}${shorten(node.content, Math.max(12, width - head.length - 12))}${visits}`
    const worthText = paint(
      value === null ? 'dim' : value >= 0.7 ? 'good' : value >= 0.35 ? 'middling' : 'bad',
      formatWorth(value).padStart(4),
    )
    const body = node.fate === 'pruned' ? paint('dim', text) : node.isBest ? paint('bold', text) : text
    lines.push(`${head}${worthText} ${body}`)
    const below = node.children.map((child, i) => ({
      node: child,
      stem: `${stem}${last ? '   ' : '│  '}`,
      last: i === node.children.length - 1,
    }))
    open.push(...below.toReversed())
  }
  return lines
}
