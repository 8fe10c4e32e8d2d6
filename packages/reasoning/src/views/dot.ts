import { checkOptions, kind } from '@x/kernel/options'
import type { ThinkNode } from '../tree/think-node.ts'
import { pathTo, plainId, shorten, worthOf } from './marks.ts'

/** Renders a tree in the DOT language of Graphviz: text, visits and value in every node, coloured by value. */
export function renderDot(root: ThinkNode, options: { best?: ThinkNode | null | undefined } = {}): string {
  checkOptions(options, { best: kind.orNull(kind.object) }, 'run `renderDot`')
  const marked = pathTo(options.best)
  const lines = [
    'digraph "Tree of thoughts" {',
    '  rankdir=TB',
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"]',
  ]
  for (const node of root.walk()) {
    const value = worthOf(node)
    const fill = value === null ? '0 0 0.96' : `${(value / 3).toFixed(3)} 0.25 1`
    const label = `${shorten(node.content, 50)}\nvisits: ${node.visits}\nvalue: ${node.value}`
    const faded = node.fate === 'pruned' ? ', fontcolor=gray50, color=gray70' : ''
    const bold = marked.has(node) ? ', penwidth=3' : ''
    lines.push(`  ${plainId(node)} [label=${quote(label)}, fillcolor="${fill}"${faded}${bold}]`)
    if (node.parent && node !== root) lines.push(`  ${plainId(node.parent)} -> ${plainId(node)}`)
  }
  return [...lines, '}'].join('\n')
}

const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
