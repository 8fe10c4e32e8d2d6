import { checkOptions } from '@x/kernel/options'
import { formatWorth, plainId, shorten } from './marks.ts'
import { toViewTrees, VIEW_KINDS, walkView, type Drawable, type ViewOptions } from './view-tree.ts'

/** Renders trees as a Mermaid flowchart; texts of models are escaped and cannot break out of the labels. */
export function renderMermaid(drawable: Drawable, options: ViewOptions = {}): string {
  checkOptions(options, VIEW_KINDS, 'run `renderMermaid`')
  const lines = ['flowchart TD']
  for (const { node, parent } of toViewTrees(drawable, options).flatMap((root) => [...walkView(root)])) {
    const value = node.isRoot ? '' : `${formatWorth(node.worth)} · `
    const shape = node.fate === 'answer' ? ['([', '])'] : ['[', ']']
    const kind = node.isBest
      ? ':::best'
      : node.fate === 'pruned'
        ? ':::pruned'
        : node.fate === 'failed'
          ? ':::failed'
          : ''
    lines.push(`  ${plainId(node)}${shape[0]}"${escapeLabel(value + shorten(node.content, 60))}"${shape[1]}${kind}`)
    if (parent) lines.push(`  ${plainId(parent)} --> ${plainId(node)}`)
  }
  lines.push(
    '  classDef best stroke:#2e7d32,stroke-width:3px',
    '  classDef pruned color:#888,stroke:#bbb,stroke-dasharray:4',
    '  classDef failed color:#b71c1c,stroke:#b71c1c',
  )
  return lines.join('\n')
}

const escapeLabel = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} .,:;·…–+*/=()?!%_-]/gu, (sign) => `#${sign.codePointAt(0)};`)
