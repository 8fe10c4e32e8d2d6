/**
 * The place of a node in the order of `walk`: before all nodes below it, after the siblings that were added before it. Two
 * places are compared in a time that grows with the logarithm of their depth.
 */
export class WalkPlace {
  readonly #depth: number
  /** Number of the siblings before it. */
  readonly #index: number
  readonly #parent: WalkPlace | null
  /** A place further up, at a height that depends on the depth alone; a few such jumps lead to any place above. */
  readonly #jump: WalkPlace

  constructor(parent: WalkPlace | null, index: number) {
    this.#depth = parent ? parent.#depth + 1 : 0
    this.#index = index
    this.#parent = parent
    this.#jump = parent ? parent.#jumpOfChild : this
  }

  /** A jump as long as the two above it together, where these are equally long; otherwise a jump to the place itself. */
  get #jumpOfChild(): WalkPlace {
    const first = this.#jump
    const second = first.#jump
    return this.#depth - first.#depth === first.#depth - second.#depth ? second : this
  }

  /** Compares with another place of the same tree; negative when this one comes first. */
  compare(other: WalkPlace): number {
    const depth = Math.min(this.#depth, other.#depth)
    let [a, b] = [WalkPlace.#climb(this, depth), WalkPlace.#climb(other, depth)]
    if (a === b) return this.#depth - other.#depth
    while (a.#parent !== b.#parent) {
      const jumps = a.#jump !== b.#jump
      a = jumps ? a.#jump : a.#parent!
      b = jumps ? b.#jump : b.#parent!
    }
    return a.#index - b.#index
  }

  /** Climbs from a place to the one above it at a depth. */
  static #climb(from: WalkPlace, depth: number): WalkPlace {
    let at = from
    while (at.#depth > depth) at = at.#jump.#depth < depth ? at.#parent! : at.#jump
    return at
  }
}
