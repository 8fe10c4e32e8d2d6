import type { SearchStatus, SearchUsage } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ThinkNode } from '../tree/think-node.ts'
import { SCRIPT } from './html-script.ts'
import { STYLE } from './html-style.ts'
import { pathTo, worthOf } from './marks.ts'

/** Options of `renderHtml`. */
export interface HtmlViewOptions {
  /** The node to mark, with the path to it. */
  best?: ThinkNode | null | undefined
  /** The answer, for the header. */
  answer?: string | null | undefined
  /** How the search ended, for the header. */
  status?: SearchStatus | undefined
  /** The usage of the search, for the header. */
  used?: SearchUsage | undefined
}

interface PageNode {
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
  children: PageNode[]
}

const KINDS: OptionKinds<HtmlViewOptions> = {
  best: kind.orNull(kind.object),
  answer: kind.orNull(kind.text),
  status: kind.text,
  used: kind.object,
}

/**
 * Renders trees as one HTML page without further files or requests: nodes open by mouse and keyboard and show their
 * details. Texts of models are shown as text and never run.
 */
export function renderHtml(trees: readonly ThinkNode[], options: HtmlViewOptions = {}): string {
  checkOptions(options, KINDS, 'run `renderHtml`')
  const marked = pathTo(options.best)
  const data = { trees: trees.map((root) => toPageTree(root, marked)) }
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
<header><h1>${escapeHtml(question)}</h1><p>${summary(options)}</p></header>
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
    answer ? `<strong>${escapeHtml(answer)}</strong>` : '',
    status ?? '',
    used ? `${used.calls} calls` : '',
    used ? `${used.promptTokens + used.completionTokens} tokens` : '',
    used && used.cost > 0 ? `$${used.cost.toFixed(4)}` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function toPageTree(root: ThinkNode, marked: ReadonlySet<ThinkNode>): PageNode {
  const made = new Map<ThinkNode, PageNode>()
  for (const node of root.walk()) {
    const pageNode: PageNode = {
      id: node.id,
      root: node === root,
      content: node.content,
      worth: worthOf(node),
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
    made.set(node, pageNode)
    if (node !== root) made.get(node.parent!)!.children.push(pageNode)
  }
  return made.get(root)!
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]!)
