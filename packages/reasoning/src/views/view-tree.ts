import type { SearchStatus, SearchUsage, XEvent } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'
import type { ThinkNode } from '../tree/think-node.ts'
import { worthOf } from './marks.ts'

/** The facts of a search that views show: trees, the node of the answer, the answer, status and usage. */
export interface SearchView {
  readonly trees: readonly ThinkNode[]
  readonly node?: ThinkNode | null | undefined
  readonly answer?: string | null | undefined
  readonly status?: SearchStatus | undefined
  readonly used?: SearchUsage | undefined
}

/** The trees that a view draws: a tree, several trees, or the result of a search. */
export type Drawable = ThinkNode | readonly ThinkNode[] | SearchView

/** Options of every view. */
export interface ViewOptions {
  /** The node to mark together with its path; default: the node of the result. */
  best?: ThinkNode | null | undefined
  /** The answer at the end of the marked path; default: that of the result. */
  answer?: string | null | undefined
}

/** Kinds of the options of every view. */
export const VIEW_KINDS: OptionKinds<ViewOptions> = { best: kind.orNull(kind.object), answer: kind.orNull(kind.text) }

/** A node as views draw it. */
export interface ViewNode {
  readonly id: string
  readonly isRoot: boolean
  readonly content: string
  readonly worth: number | null
  readonly grade: number | null
  readonly value: number
  readonly visits: number
  readonly details: string
  readonly reflection: string
  readonly output: string | null
  readonly fate: string
  /** True if the node lies on the path to the answer. */
  readonly isBest: boolean
  readonly children: ViewNode[]
}

/** Returns the trees of a drawable as views draw them; the marked path ends at the answer. */
export function toViewTrees(drawable: Drawable, options: ViewOptions = {}): ViewNode[] {
  const { trees, node, answer } = toSearchView(drawable)
  const best = options.best === undefined ? (node ?? null) : options.best
  const text = options.answer === undefined ? answer : options.answer
  const end = best && findAnswer(best, text)
  const marked = new Set(end?.path ?? best?.path)
  return trees.map((root) => {
    const viewNodes = new Map<ThinkNode, ViewNode>()
    for (const node of root.walk()) {
      const view = { ...toViewNode(node), isRoot: node === root, isBest: marked.has(node), children: [] }
      viewNodes.set(node, view)
      if (node !== root) viewNodes.get(node.parent!)!.children.push(view)
    }
    if (best && text && !end) viewNodes.get(best)?.children.push(toAnswerNode(best, text))
    return viewNodes.get(root)!
  })
}

/** Converts a drawable to the facts of a search. */
export function toSearchView(drawable: Drawable): SearchView {
  if (Array.isArray(drawable)) return { trees: drawable as readonly ThinkNode[] }
  return 'trees' in drawable ? drawable : { trees: [drawable as ThinkNode] }
}

/** Finds the leaf of an answer at or below the node from which it was written; null if the tree has no such leaf. */
function findAnswer(best: ThinkNode, answer: string | null | undefined): ThinkNode | null {
  if (best.fate === 'answer') return best
  const answers = best.children.filter(({ fate }) => fate === 'answer')
  return answers.find(({ content }) => content === answer) ?? null
}

const toViewNode = (node: ThinkNode): Omit<ViewNode, 'isRoot' | 'isBest' | 'children'> => ({
  id: node.id,
  content: node.content,
  worth: worthOf(node),
  grade: node.grade,
  value: node.value,
  visits: node.visits,
  details: node.ratingDetails,
  reflection: node.reflection,
  output: node.output,
  fate: node.fate,
})

/** Makes the leaf of an answer that was written from several paths, or is not in the tree. */
const toAnswerNode = (best: ThinkNode, answer: string): ViewNode => ({
  ...toViewNode(best),
  id: `${best.id}@`,
  content: answer,
  fate: 'answer',
  details: '',
  reflection: '',
  output: null,
  visits: 0,
  isRoot: false,
  isBest: true,
  worth: null,
  grade: null,
  value: 0,
  children: [],
})

/** Iterates over a node and all nodes below it, parents before children. */
export function* walkView(root: ViewNode): Generator<{ node: ViewNode; parent: ViewNode | null }, void, undefined> {
  const open: { node: ViewNode; parent: ViewNode | null }[] = [{ node: root, parent: null }]
  for (let item = open.pop(); item; item = open.pop()) {
    yield item
    for (const child of item.node.children.toReversed()) open.push({ node: child, parent: item.node })
  }
}

/** Adds up the calls and tokens of each node from the events of a search; the nodes of one job share its usage equally. */
export function usageByNode(events: readonly XEvent[]): ReadonlyMap<string, { calls: number; tokens: number }> {
  const usage = new Map<string, { calls: number; tokens: number }>()
  for (const event of events) {
    if (event.type !== 'searchJobEnd' || !event.used) continue
    for (const id of event.nodes) {
      const total = usage.get(id) ?? { calls: 0, tokens: 0 }
      const tokens = event.used.promptTokens + event.used.completionTokens
      usage.set(id, {
        calls: total.calls + event.used.calls / event.nodes.length,
        tokens: total.tokens + tokens / event.nodes.length,
      })
    }
  }
  return usage
}
