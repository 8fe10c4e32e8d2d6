import { ThinkNode, type Fate } from './think-node.ts'

/** One change of a tree, for whoever watches it grow. */
export type TreeChange = { type: 'add' | 'grade' | 'fate'; node: ThinkNode }

/** The tree of one search; every change goes through it, so that it can be shown. */
export class Tree {
  readonly root: ThinkNode
  #size = 1
  #changes: TreeChange[] = []

  constructor({ question, id }: { question: string; id: string }) {
    this.root = new ThinkNode({ content: question, id: `${id}0` })
    this.#changes.push({ type: 'add', node: this.root })
  }

  /** Number of nodes. */
  get size(): number {
    return this.#size
  }

  /** Adds a child at the end, or an answer under an id of its own. */
  add(parent: ThinkNode, content: string, id?: string): ThinkNode {
    const node = new ThinkNode({ content, parent, id })
    this.#size += 1
    this.#changes.push({ type: 'add', node })
    return node
  }

  /**
   * Notes a grade in [0, 1] and the grader's words; null for words that hold no grade, which leaves the value at 0. What
   * a grader of one's own gives outside is brought to the nearer end, and what is no number counts as no grade.
   */
  grade(node: ThinkNode, grade: number | null, details: string): void {
    node.grade = grade === null || Number.isNaN(grade) ? null : Math.min(1, Math.max(0, grade))
    node.value = node.grade ?? 0
    node.ratingDetails = details
    this.#changes.push({ type: 'grade', node })
  }

  /** Notes what became of nodes. */
  mark(fate: Fate, ...nodes: readonly ThinkNode[]): void {
    for (const node of nodes) {
      if (node.fate === fate) continue
      node.fate = fate
      this.#changes.push({ type: 'fate', node })
    }
  }

  /** Takes the children off a node, but for those to keep; a node without any is open again. */
  cut(node: ThinkNode, keep: (child: ThinkNode) => boolean): void {
    const kept = node.children.filter(keep)
    for (const child of node.children) if (!keep(child)) for (const _ of child.walk()) this.#size -= 1
    node.children.splice(0, node.children.length, ...kept)
    if (kept.length > 0) return
    node.reflection = ''
    this.mark('open', node)
  }

  /** Gives the changes since it was last asked. */
  takeChanges(): TreeChange[] {
    return this.#changes.splice(0)
  }
}
