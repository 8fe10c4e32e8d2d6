import { ThinkNode, type NodeFate } from './think-node.ts'

/** One change of a tree. */
export type TreeChange = { type: 'add' | 'grade' | 'fate'; node: ThinkNode }

/** The tree of one search; it records every change, which the search sends as an event. */
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

  /** Adds a child at the end; `id` replaces the default id. */
  add(parent: ThinkNode, content: string, id?: string): ThinkNode {
    const node = new ThinkNode({ content, parent, id })
    this.#size += 1
    this.#changes.push({ type: 'add', node })
    return node
  }

  /**
   * Records a grade in [0, 1] and the grader's reply; null, for a reply without a grade, sets the value to 0. A grade outside
   * the range is clamped, and NaN counts as null.
   */
  grade(node: ThinkNode, grade: number | null, details: string): void {
    node.grade = grade === null ? null : toGrade(grade)
    node.value = node.grade ?? 0
    node.ratingDetails = details
    this.#changes.push({ type: 'grade', node })
  }

  /** Records the verdict of a verifier on an answer; its score becomes the grade. */
  verify(
    node: ThinkNode,
    { accepted, score, reason }: { accepted: boolean; score: number; reason: string | null },
  ): void {
    node.isVerified = accepted
    this.grade(node, score, reason ?? 'verified by code')
  }

  /** Records the state of nodes. */
  mark(fate: NodeFate, ...nodes: readonly ThinkNode[]): void {
    for (const node of nodes) {
      if (node.fate === fate) continue
      node.fate = fate
      this.#changes.push({ type: 'fate', node })
    }
  }

  /** Removes the children of a node except those to keep; a node without children is open again. */
  cut(node: ThinkNode, keep: (child: ThinkNode) => boolean): void {
    const remaining = node.children.filter(keep)
    for (const child of node.children) if (!keep(child)) for (const _ of child.walk()) this.#size -= 1
    node.children.splice(0, node.children.length, ...remaining)
    if (remaining.length > 0) return
    node.reflection = ''
    this.mark('open', node)
  }

  /** Returns the changes since the last call. */
  takeChanges(): readonly TreeChange[] {
    const changes = this.#changes
    if (changes.length > 0) this.#changes = []
    return changes
  }
}

/** Clamps a number to [0, 1]; returns null for NaN. */
export const toGrade = (value: number): number | null => (Number.isNaN(value) ? null : Math.min(1, Math.max(0, value)))
