import { Heap } from './heap.ts'
import { estimate } from './terminal.ts'
import type { ThinkNode } from './think-node.ts'
import { WalkPlace } from './walk-place.ts'

interface Leaf {
  readonly node: ThinkNode
  /** Whether a path ends at the node: such a leaf comes before all others. */
  readonly isEnd: boolean
  /** The estimate of the node when it was noted; below all grades when there is none. */
  readonly worth: number
  readonly place: WalkPlace
}

/**
 * Finds the best leaf of a growing tree without a look at all of them: the one with the highest estimate, among equals the
 * first in the order of `walk`. A node is noted when it is added and again when it is graded.
 */
export class BestLeaf {
  readonly #leaves = new Heap<Leaf>(compareLeaves)
  readonly #places = new Map<ThinkNode, WalkPlace>()
  readonly #isEnd: (node: ThinkNode) => boolean

  constructor(root: ThinkNode, isEnd: (node: ThinkNode) => boolean = () => false) {
    this.#isEnd = isEnd
    this.note(root)
  }

  /** Takes in a node that is new or has a new grade. */
  note(node: ThinkNode): void {
    this.#leaves.push({ node, isEnd: this.#isEnd(node), worth: worthOf(node), place: this.#placeOf(node) })
  }

  #placeOf(node: ThinkNode): WalkPlace {
    const path: ThinkNode[] = []
    let at: ThinkNode | null = node
    for (; at && !this.#places.has(at); at = at.parent) path.push(at)
    let place = at ? this.#places.get(at)! : null
    for (const next of path.toReversed()) {
      // A node is noted when it is added, as the last child.
      place = new WalkPlace(place, next.parent?.children.lastIndexOf(next) ?? 0)
      this.#places.set(next, place)
    }
    return place!
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
  Number(b.isEnd) - Number(a.isEnd) || b.worth - a.worth || a.place.compare(b.place)
