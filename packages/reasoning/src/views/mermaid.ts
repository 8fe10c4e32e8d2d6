import { checkOptions, kind } from '@x/kernel/options'
import type { ThinkNode } from '../tree/think-node.ts'
import { formatWorth, pathTo, plainId, shorten, worthOf } from './marks.ts'

/** Renders a tree as a Mermaid flowchart; texts of models are escapeLabel and cannot break out of the labels. */
export function renderMermaid(root: ThinkNode, options: { best?: ThinkNode | null | undefined } = {}): string {
  checkOptions(options, { best: kind.orNull(kind.object) }, 'run `renderMermaid`')
  const marked = pathTo(options.best)
  const lines = ['flowchart TD']
  for (const node of root.walk()) {
    const value = node.parent ? `${formatWorth(worthOf(node))} · ` : ''
    const shape = node.fate === 'answer' ? ['([', '])'] : ['[', ']']
    const kind = marked.has(node)
      ? ':::best'
      : node.fate === 'pruned'
        ? ':::pruned'
        : node.fate === 'failed'
          ? ':::failed'
          : ''
    lines.push(`  ${plainId(node)}${shape[0]}"${escapeLabel(value + shorten(node.content, 60))}"${shape[1]}${kind}`)
    if (node.parent && node !== root) lines.push(`  ${plainId(node.parent)} --> ${plainId(node)}`)
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
