import { Heap } from './heap.ts'
import { estimate } from './terminal.ts'
import type { ThinkNode } from './think-node.ts'

interface Leaf {
  readonly node: ThinkNode
  /** True if a path ends at the node: such a leaf comes before all others. */
  readonly isEnd: boolean
  /** The estimate of the node when it was noted; below all grades if there is none. */
  readonly worth: number
  readonly position: WalkPosition
}

/**
 * Finds the leaf of a growing tree with the highest estimate, among equals the first in the order of `walk`, without a walk
 * over all leaves. Note every node when it is added and again when it is graded; one that is not noted is found once its
 * parent would be the best.
 */
export class BestLeaf {
  readonly #leaves = new Heap<Leaf>(compareLeaves)
  readonly #positions = new Map<ThinkNode, WalkPosition>()
  readonly #isEnd: (node: ThinkNode) => boolean

  constructor(root: ThinkNode, isEnd: (node: ThinkNode) => boolean = () => false) {
    this.#isEnd = isEnd
    this.note(root)
  }

  /** Adds a node that is new or has a new grade. */
  note(node: ThinkNode): void {
    this.#leaves.push({ node, isEnd: this.#isEnd(node), worth: worthOf(node), position: this.#positionOf(node) })
  }

  #positionOf(node: ThinkNode): WalkPosition {
    const path: ThinkNode[] = []
    let at: ThinkNode | null = node
    for (; at && !this.#positions.has(at); at = at.parent) path.push(at)
    let position = at ? this.#positions.get(at)! : null
    for (const next of path.toReversed()) {
      // A new node is the last child of its parent.
      position = new WalkPosition(position, next.parent?.children.lastIndexOf(next) ?? 0)
      this.#positions.set(next, position)
    }
    return position!
  }

  /** The best leaf that is not an answer; null if there is none. */
  get node(): ThinkNode | null {
    for (;;) {
      const leaf = this.#leaves.peek()
      if (!leaf) return null
      if (leaf.node.children.length === 0 && leaf.worth === worthOf(leaf.node)) return leaf.node
      this.#leaves.pop()
      // A step that a method added by itself was not noted.
      for (const child of leaf.node.children)
        if (child.fate !== 'answer' && !this.#positions.has(child)) this.note(child)
    }
  }
}

const worthOf = (node: ThinkNode): number => estimate(node) ?? -1

const compareLeaves = (a: Leaf, b: Leaf): number =>
  Number(b.isEnd) - Number(a.isEnd) || b.worth - a.worth || a.position.compare(b.position)

/**
 * The position of a node in the order of `walk`: before all nodes below it, after the siblings that were added before it.
 * Comparing two positions takes time logarithmic in their depth.
 */
export class WalkPosition {
  readonly #depth: number
  /** Number of siblings before the node. */
  readonly #index: number
  readonly #parent: WalkPosition | null
  /** A position further up, at a height that depends on the depth alone; a few such jumps reach any position above. */
  readonly #jump: WalkPosition

  constructor(parent: WalkPosition | null, index: number) {
    this.#depth = parent ? parent.#depth + 1 : 0
    this.#index = index
    this.#parent = parent
    this.#jump = parent ? parent.#jumpOfChild : this
  }

  /** Returns the jump of a child: as long as the two jumps above it if these are equally long, else to this position. */
  get #jumpOfChild(): WalkPosition {
    const first = this.#jump
    const second = first.#jump
    return this.#depth - first.#depth === first.#depth - second.#depth ? second : this
  }

  /** Compares with another position of the same tree; negative if this one comes first. */
  compare(other: WalkPosition): number {
    const depth = Math.min(this.#depth, other.#depth)
    let [a, b] = [WalkPosition.#climb(this, depth), WalkPosition.#climb(other, depth)]
    if (a === b) return this.#depth - other.#depth
    while (a.#parent !== b.#parent) {
      const jumps = a.#jump !== b.#jump
      a = jumps ? a.#jump : a.#parent!
      b = jumps ? b.#jump : b.#parent!
    }
    return a.#index - b.#index
  }

  /** Climbs from a position to its ancestor at a depth. */
  static #climb(from: WalkPosition, depth: number): WalkPosition {
    let at = from
    while (at.#depth > depth) at = at.#jump.#depth < depth ? at.#parent! : at.#jump
    return at
  }
}
