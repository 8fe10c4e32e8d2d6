import type { ThinkNodeData } from '@x/interfaces'
import { XError } from '@x/kernel'

/** What became of a node: still open, expanded, dropped, the end of a path, without result, or an answer. */
export type Fate = 'open' | 'expanded' | 'pruned' | 'final' | 'failed' | 'answer'

/** What makes a node. */
export interface ThinkNodeOptions {
  /** Text of the step; the question in the root. */
  content: string
  /** The node it follows; it attaches itself there. Default null: a root. */
  parent?: ThinkNode | null | undefined
  /** Name of the node; default: the parent's and the place among its children, `0.2.1`. */
  id?: string | undefined
}

/** A step of a tree of thoughts: the question in its root, then one step per level, answers below the leaves. */
export class ThinkNode {
  readonly id: string
  readonly parent: ThinkNode | null
  readonly children: ThinkNode[] = []
  depth: number
  content: string
  /** Mean reward of the simulations through it, or its grade, in [0, 1]; 0 before either. */
  value = 0
  visits = 0
  /** What the thinker said of the path so far. */
  reflection = ''
  /** The grader's own words; empty until it was rated. */
  ratingDetails = ''
  /** What carrying the step out gave. */
  output: string | null = null
  /** The grade read from the grader's words, in [0, 1]; null when there is none or it could not be read. */
  grade: number | null = null
  fate: Fate = 'open'

  constructor({ content, parent = null, id }: ThinkNodeOptions) {
    this.content = content
    this.parent = parent
    this.depth = parent ? parent.depth + 1 : 0
    this.id = id ?? (parent ? `${parent.id}.${parent.children.length}` : '0')
    parent?.children.push(this)
  }

  /** The path from the root to this node, root first. */
  get path(): ThinkNode[] {
    return [...lineage(this)].toReversed()
  }

  /** The steps from the root to this node, one `Step N: …` each. */
  get steps(): string {
    const lines = this.path.slice(1).map((node, i) => {
      const output = node.output === null ? '' : `\nOutput: ${node.output}`
      return `Step ${i + 1}: ${node.content}${output}`
    })
    return lines.join('\n')
  }

  /** The question and the steps that lead here, as models are shown them. */
  get trajectory(): string {
    const [root] = this.path
    const steps = this.steps
    return `Question:\n${root!.content}\n---\n${steps && `\n${steps}`}`
  }

  /** Counts a visit with this reward, in [0, 1], here and on every node up to the root. */
  backpropagate(reward: number): void {
    for (const node of lineage(this)) {
      node.visits += 1
      node.value += (reward - node.value) / node.visits
    }
  }

  /** This node and all below it, parents before children. */
  *walk(): Generator<ThinkNode, void, undefined> {
    const open: ThinkNode[] = [this]
    for (let node = open.pop(); node; node = open.pop()) {
      yield node
      for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i]!)
    }
  }

  toString(): string {
    return `${this.content} -> Depth: ${this.depth} Value: ${this.value} Visits: ${this.visits}`
  }

  /** The tree below as plain data, with the keys of saved trees. */
  toDict(): ThinkNodeData {
    const made = new Map<ThinkNode, ThinkNodeData>()
    for (const node of this.walk()) {
      const data: ThinkNodeData = {
        content: node.content,
        value: node.value,
        depth: node.depth,
        reflection: node.reflection,
        rating_details: node.ratingDetails,
        output: node.output,
        visits: node.visits,
        children: [],
      }
      made.set(node, data)
      if (node !== this) made.get(node.parent!)?.children.push(data)
    }
    return made.get(this)!
  }

  toJSON(): ThinkNodeData {
    return this.toDict()
  }

  /** Builds a tree from saved data; `reflection`, `rating_details` and `output` may be missing, as in older files. */
  static fromDict(data: unknown, parent: ThinkNode | null = null): ThinkNode {
    let root: ThinkNode | undefined
    const open: { data: unknown; parent: ThinkNode | null }[] = [{ data, parent }]
    // The list grows while it is read: level by level, so that children keep their order.
    for (const next of open) {
      const saved = checked(next.data)
      const node = new ThinkNode({ content: saved.content, parent: next.parent })
      node.value = saved.value
      node.depth = saved.depth
      node.visits = saved.visits
      node.reflection = saved.reflection ?? ''
      node.ratingDetails = saved.rating_details ?? ''
      node.output = saved.output ?? null
      if (node.ratingDetails) node.grade = node.value
      if (saved.children.length > 0) node.fate = 'expanded'
      root ??= node
      for (const child of saved.children) open.push({ data: child, parent: node })
    }
    return root!
  }
}

function* lineage(from: ThinkNode): Generator<ThinkNode, void, undefined> {
  for (let node: ThinkNode | null = from; node; node = node.parent) yield node
}

type SavedNode = Pick<ThinkNodeData, 'content' | 'value' | 'depth' | 'visits'> &
  Partial<ThinkNodeData> & { children: unknown[] }

function checked(data: unknown): SavedNode {
  const node = data as Partial<SavedNode> | null
  const right =
    typeof node?.content === 'string' &&
    [node.value, node.depth, node.visits].every((n) => typeof n === 'number') &&
    Array.isArray(node.children)
  if (right) return node as SavedNode
  throw new XError(
    'invalid-argument',
    'a saved tree was read and one of its nodes lacks `content`, `value`, `depth`, `visits` or `children`: save it again with `toDict`',
  )
}
