import type { SearchStatus, SearchUsage } from '@x/interfaces'
import type { ThinkNode } from '../tree/think-node.ts'
import { SCRIPT } from './html-script.ts'
import { STYLE } from './html-style.ts'
import { pathTo, worth } from './marks.ts'

/** What is shown beside the trees. */
export interface HtmlViewOptions {
  /** The node to mark, with the path to it. */
  best?: ThinkNode | null | undefined
  answer?: string | null | undefined
  status?: SearchStatus | undefined
  used?: SearchUsage | undefined
}

interface ShownNode {
  id: string
  root: boolean
  content: string
  worth: number | null
  grade: number | null
  value: number
  visits: number
  details: string
  reflection: string
  output: string | null
  fate: string
  best: boolean
  children: ShownNode[]
}

/**
 * Draws trees as one page that opens from a file and asks for nothing else: nodes open by mouse and keyboard and show
 * their grade. What models wrote is shown as text and never run.
 */
export function renderHtml(trees: readonly ThinkNode[], options: HtmlViewOptions = {}): string {
  const marked = pathTo(options.best)
  const data = { trees: trees.map((root) => shownTree(root, marked)) }
  const question = trees[0]?.content ?? ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Tree of thoughts</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escaped(question)}</h1><p>${summary(options)}</p></header>
<main>
<div class="tools"><button id="best">Best path</button><button id="open">Open all</button><button id="close">Close all</button></div>
<ul role="tree" aria-label="Tree of thoughts"></ul>
</main>
<aside aria-live="polite" aria-label="The chosen node"></aside>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003C')}</script>
<script>${SCRIPT}</script>
</body>
</html>
`
}

function summary({ answer, status, used }: HtmlViewOptions): string {
  const parts = [
    answer ? `<strong>${escaped(answer)}</strong>` : '',
    status ?? '',
    used ? `${used.calls} calls` : '',
    used ? `${used.promptTokens + used.completionTokens} tokens` : '',
    used && used.cost > 0 ? `$${used.cost.toFixed(4)}` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function shownTree(root: ThinkNode, marked: ReadonlySet<ThinkNode>): ShownNode {
  const made = new Map<ThinkNode, ShownNode>()
  for (const node of root.walk()) {
    const shown: ShownNode = {
      id: node.id,
      root: node === root,
      content: node.content,
      worth: worth(node),
      grade: node.grade,
      value: node.value,
      visits: node.visits,
      details: node.ratingDetails,
      reflection: node.reflection,
      output: node.output,
      fate: node.fate,
      best: marked.has(node),
      children: [],
    }
    made.set(node, shown)
    if (node !== root) made.get(node.parent!)!.children.push(shown)
  }
  return made.get(root)!
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]!)
