import { Heap } from './heap.ts'
import { estimate } from './terminal.ts'
import type { ThinkNode } from './think-node.ts'

interface Leaf {
  readonly node: ThinkNode
  /** Whether a path ends at the node: such a leaf comes before all others. */
  readonly isEnd: boolean
  /** The estimate of the node when it was noted; below all grades when there is none. */
  readonly worth: number
}

/**
 * Finds the best leaf of a growing tree without a look at all of them: the one with the highest estimate, among equals the
 * first in the order of `walk`. A node is noted when it is added and again when it is graded.
 */
export class BestLeaf {
  readonly #leaves = new Heap<Leaf>(compareLeaves)
  readonly #isEnd: (node: ThinkNode) => boolean

  constructor(root: ThinkNode, isEnd: (node: ThinkNode) => boolean = () => false) {
    this.#isEnd = isEnd
    this.note(root)
  }

  /** Takes in a node that is new or has a new grade. */
  note(node: ThinkNode): void {
    this.#leaves.push({ node, isEnd: this.#isEnd(node), worth: worthOf(node) })
  }

  /** The best leaf; null when every noted node has children. */
  get node(): ThinkNode | null {
    for (;;) {
      const leaf = this.#leaves.peek()
      if (!leaf) return null
      if (leaf.node.children.length === 0 && leaf.worth === worthOf(leaf.node)) return leaf.node
      this.#leaves.pop()
    }
  }
}

const worthOf = (node: ThinkNode): number => estimate(node) ?? -1

const compareLeaves = (a: Leaf, b: Leaf): number =>
  Number(b.isEnd) - Number(a.isEnd) || b.worth - a.worth || compareIds(a.node.id, b.node.id)

/** Compares the ids of two nodes of a tree by the order of `walk`: their numbers count as numbers. */
function compareIds(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.codePointAt(at) === b.codePointAt(at)) at += 1
  const digits = (id: string): number => {
    let end = at
    while (isDigit(id.codePointAt(end))) end += 1
    return end - at
  }
  return digits(a) - digits(b) || Number(a > b) - Number(a < b)
}

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= 48 && code <= 57
