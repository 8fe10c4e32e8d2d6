import { checkOptions } from '@x/kernel/options'
import { formatWorth, shorten } from './marks.ts'
import { toViewTrees, VIEW_KINDS, walkView, type Drawable, type ViewNode, type ViewOptions } from './view-tree.ts'

/** Renders trees in the DOT language of Graphviz: text, visits and value in every node, coloured by value. */
export function renderDot(drawable: Drawable, options: ViewOptions = {}): string {
  checkOptions(options, VIEW_KINDS, 'run `renderDot`')
  const lines = [
    'digraph "Tree of thoughts" {',
    '  rankdir=TB',
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"]',
  ]
  for (const { node, name, parent } of namedNodes(drawable, options)) {
    const value = node.worth
    const fill = value === null ? '0 0 0.96' : `${(value / 3).toFixed(3)} 0.25 1`
    const label = `${shorten(node.content, 50)}\nvisits: ${node.visits}\nvalue: ${node.value}`
    const faded = node.fate === 'pruned' ? ', fontcolor=gray50, color=gray70' : ''
    const bold = node.isBest ? ', penwidth=3' : ''
    lines.push(`  ${name} [label=${quote(label)}, fillcolor="${fill}"${faded}${bold}]`)
    if (parent) lines.push(`  ${parent} -> ${name}`)
  }
  return [...lines, '}'].join('\n')
}

const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

/** Renders trees as a Mermaid flowchart; escaped texts of models cannot break out of the labels. */
export function renderMermaid(drawable: Drawable, options: ViewOptions = {}): string {
  checkOptions(options, VIEW_KINDS, 'run `renderMermaid`')
  const lines = ['flowchart TD']
  for (const { node, name, parent } of namedNodes(drawable, options)) {
    const value = node.isRoot ? '' : `${formatWorth(node.worth)} · `
    const shape = node.fate === 'answer' ? ['([', '])'] : ['[', ']']
    const kind = node.isBest
      ? ':::best'
      : node.fate === 'pruned'
        ? ':::pruned'
        : node.fate === 'failed'
          ? ':::failed'
          : ''
    lines.push(`  ${name}${shape[0]}"${escapeLabel(value + shorten(node.content, 60))}"${shape[1]}${kind}`)
    if (parent) lines.push(`  ${parent} --> ${name}`)
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

/** A node with the name that it has in a diagram, and that of its parent. */
interface NamedNode {
  readonly node: ViewNode
  readonly name: string
  readonly parent: string | null
}

/** Lists the nodes of trees, parents before children, each with a name of its own: trees of several searches have equal ids. */
function namedNodes(drawable: Drawable, options: ViewOptions): NamedNode[] {
  const names = new Map<ViewNode, string>()
  const timesUsed = new Map<string, number>()
  return toViewTrees(drawable, options).flatMap((root) =>
    Array.from(walkView(root), ({ node, parent }) => {
      const id = plainId(node)
      const times = timesUsed.get(id) ?? 0
      timesUsed.set(id, times + 1)
      const name = times === 0 ? id : `${id}_tree${times}`
      names.set(node, name)
      return { node, name, parent: parent && names.get(parent)! }
    }),
  )
}

/** Returns the id of a node in a form that DOT and Mermaid accept. */
const plainId = (node: { readonly id: string }): string =>
  `n${node.id.replaceAll('@', '_answer_').replaceAll(/[^\w]/g, '_')}`
