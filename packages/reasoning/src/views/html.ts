import type { SearchStatus, SearchUsage, XEvent } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { PAGE_SCRIPT, PAGE_STYLE } from './html-assets.ts'
import {
  toSearchView,
  toViewTrees,
  usageByNode,
  VIEW_KINDS,
  walkView,
  type Drawable,
  type SearchView,
  type ViewNode,
  type ViewOptions,
} from './view-tree.ts'

/** Options of `renderHtml`. */
export interface HtmlViewOptions extends ViewOptions {
  /** The status of the search, for the header; default: that of the result. */
  status?: SearchStatus | undefined
  /** The usage of the search, for the header; default: that of the result. */
  used?: SearchUsage | undefined
  /** The events of the search, also among others; with them the page plays the search back and shows the cost of each node. */
  events?: readonly XEvent[] | undefined
  /** Name of the run in a comparison of two. */
  title?: string | undefined
  /** A second run to show beside the first. */
  beside?: HtmlRun | undefined
}

/** A run to show beside another. */
export interface HtmlRun extends Omit<HtmlViewOptions, 'beside'> {
  readonly run: Drawable
}

const HTML_VIEW_KINDS: OptionKinds<HtmlViewOptions> = {
  ...VIEW_KINDS,
  status: kind.text,
  used: kind.object,
  events: kind.list,
  title: kind.text,
  beside: kind.object,
}

const { beside: _, ...RUN_KINDS } = HTML_VIEW_KINDS

/**
 * Renders trees as one HTML page without further files or requests: readers open nodes by mouse and keyboard, search texts
 * and filter nodes; `events` add a playback of the search, and `beside` a comparison of two runs. Texts of models are shown
 * as text and never run.
 */
export function renderHtml(drawable: Drawable, options: HtmlViewOptions = {}): string {
  checkOptions(options, HTML_VIEW_KINDS, 'run `renderHtml`')
  const { beside, ...first } = options
  if (beside) checkOptions(beside, { ...RUN_KINDS, run: kind.object }, 'show a run `beside` another')
  const runs = [toPageRun({ run: drawable, ...first }), ...(beside ? [toPageRun(beside)] : [])]
  const [{ question }] = runs as [PageRun]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Tree of thoughts</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(question)}</h1>${runs.map(({ summary }) => `<p>${summary}</p>`).join('')}
<div class="tools"><button id="best">Best path</button><button id="open">Open all</button><button id="close">Close all</button>
<input id="search" type="search" placeholder="Search" aria-label="Search the texts of all nodes">
<select id="filter" aria-label="Show only"><option value="">All nodes</option><option value="best">Best path</option><option value="answer">Answers</option><option value="good">Graded 0.70 or more</option><option value="pruned">Dropped</option><option value="failed">Failed</option></select>
<output id="count"></output>
<span id="playback" hidden><button id="play">Play</button><input id="step" type="range" min="0" value="0" aria-label="Step of the search"><output id="at"></output></span></div>
</header>
<main${runs.length > 1 ? ' class="two"' : ''}></main>
<aside tabindex="0" aria-live="polite" aria-label="The chosen node"></aside>
<script type="application/json" id="data">${JSON.stringify({ runs }).replaceAll('<', '\\u003C')}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`
}

/** A change of a node during the search: it was added, graded or changed its state. */
type PageStep = readonly [node: string, change: 'add' | 'grade' | 'fate', value: number | string | null]

interface PageRun {
  readonly question: string
  readonly title: string
  readonly summary: string
  readonly trees: readonly ViewNode[]
  readonly steps: readonly PageStep[]
  /** Calls and tokens by the id of a node. */
  readonly usage: Readonly<Record<string, { readonly calls: number; readonly tokens: number }>>
}

function toPageRun({ run, ...options }: HtmlRun): PageRun {
  const view = toSearchView(run)
  const trees = toViewTrees(run, options)
  const nodeIds = new Set(trees.flatMap((root) => [...walkView(root)].map(({ node }) => node.id)))
  const { events = [], title = '' } = options
  return {
    question: trees[0]?.content ?? '',
    title,
    summary: [title && `<b>${escapeHtml(title)}</b>`, summarize({ ...view, ...overridesOf(options) })]
      .filter(Boolean)
      .join(': '),
    trees,
    steps: events.flatMap(toStep).filter(([node]) => nodeIds.has(node)),
    usage: Object.fromEntries(usageByNode(events)),
  }
}

/** Returns the options that override the facts of a result. */
const overridesOf = ({ answer, status, used }: HtmlViewOptions): Partial<SearchView> => ({
  ...(answer !== undefined && { answer }),
  ...(status !== undefined && { status }),
  ...(used !== undefined && { used }),
})

function toStep(event: XEvent): PageStep[] {
  switch (event.type) {
    case 'searchNode':
      return [[event.node, 'add', null]]
    case 'searchGrade':
      return [[event.node, 'grade', event.grade]]
    case 'searchFate':
      return [[event.node, 'fate', event.fate]]
    default:
      return []
  }
}

function summarize({ answer, status, used }: SearchView): string {
  const parts = [
    answer ? `<strong>${escapeHtml(answer)}</strong>` : '',
    status ?? '',
    used ? `${used.calls} calls` : '',
    used ? `${used.promptTokens + used.completionTokens} tokens` : '',
    used && used.cost > 0 ? `$${used.cost.toFixed(4)}` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => HTML_ENTITIES[sign]!)
