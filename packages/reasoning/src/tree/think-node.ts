import { XError } from '@x/kernel'

/** A node of a tree of thoughts as plain data, with the keys that AG2 saves. */
export interface ThinkNodeData {
  content: string
  value: number
  depth: number
  reflection: string
  rating_details: string
  output: string | null
  visits: number
  children: ThinkNodeData[]
}

/** The state of a node: not expanded, expanded, dropped, the end of a path, failed, or an answer. */
export type NodeFate = 'open' | 'expanded' | 'pruned' | 'final' | 'failed' | 'answer'

/** Options of a `ThinkNode`. */
export interface ThinkNodeOptions {
  /** Text of the step; in a root the question. */
  content: string
  /** The parent; the node adds itself to its children. Default null: a root. */
  parent?: ThinkNode | null | undefined
  /** Id of the node; default: the id of the parent and the index among its children, such as `0.2.1`. */
  id?: string | undefined
}

/** A node of a tree of thoughts: the root is the question, every level below adds a step, answers are leaves. */
export class ThinkNode {
  readonly id: string
  readonly parent: ThinkNode | null
  readonly children: ThinkNode[] = []
  depth: number
  content: string
  /** Mean reward of the simulations through the node, or its grade, in [0, 1]; 0 before either. */
  value = 0
  visits = 0
  /** The thinker's review of the path so far. */
  reflection = ''
  /** The grader's reply; empty until the node is rated. */
  ratingDetails = ''
  /** The output of the step's code; null if no code was run. */
  output: string | null = null
  /** The grade from the grader's reply, in [0, 1]; null if there is none or it could not be read. */
  grade: number | null = null
  /** True if a verifier accepted the answer, false if it refused it; null if no verifier checked it. */
  isVerified: boolean | null = null
  fate: NodeFate = 'open'

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

  /** The question and the steps that lead here, as models see them. */
  get trajectory(): string {
    const [root] = this.path
    const steps = this.steps
    return `Question:\n${root!.content}\n---\n${steps && `\n${steps}`}`
  }

  /** Counts a visit with a reward in [0, 1], here and on every node up to the root. */
  backpropagate(reward: number): void {
    for (const node of lineage(this)) {
      node.visits += 1
      node.value += (reward - node.value) / node.visits
    }
  }

  /** Iterates over this node and all nodes below it, parents before children. */
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

  /** Converts the tree below this node to plain data, with the keys of saved trees. */
  toDict(): ThinkNodeData {
    const dataByNode = new Map<ThinkNode, ThinkNodeData>()
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
      dataByNode.set(node, data)
      if (node !== this) dataByNode.get(node.parent!)?.children.push(data)
    }
    return dataByNode.get(this)!
  }

  toJSON(): ThinkNodeData {
    return this.toDict()
  }

  /** Builds a tree from saved data; `reflection`, `rating_details` and `output` may be missing, as in older files. */
  static fromDict(data: unknown, parent: ThinkNode | null = null): ThinkNode {
    let root: ThinkNode | undefined
    const open: { data: unknown; parent: ThinkNode | null }[] = [{ data, parent }]
    // The list grows during the loop, level by level, which keeps the order of children.
    for (const next of open) {
      const saved = checkSavedNode(next.data)
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

function checkSavedNode(data: unknown): SavedNode {
  const node = data as Partial<SavedNode> | null
  const isValid =
    typeof node?.content === 'string' &&
    [node.value, node.depth, node.visits].every((n) => typeof n === 'number') &&
    [node.reflection, node.rating_details, node.output].every((text) => typeof (text ?? '') === 'string') &&
    Array.isArray(node.children)
  if (isValid) return node as SavedNode
  throw new XError(
    'invalid-argument',
    'a saved tree cannot be loaded: one of its nodes lacks `content`, `value`, `depth`, `visits` or `children`, or has a `reflection`, `rating_details` or `output` that is no text; save the tree with `toDict`',
  )
}
