/** A priority queue: returns the first item by a comparison, among equals the one that was added first. */
export class Heap<T> {
  readonly #compare: (a: T, b: T) => number
  readonly #items: { readonly item: T; readonly order: number }[] = []
  #added = 0

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#items.length
  }

  /** Adds an item. */
  push(item: T): void {
    const items = this.#items
    let at = items.push({ item, order: this.#added++ }) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#precedes(at, above)) break
      this.#swap(at, above)
      at = above
    }
  }

  /** Returns the first item without removing it. */
  peek(): T | undefined {
    return this.#items[0]?.item
  }

  /** Removes and returns the first item. */
  pop(): T | undefined {
    const items = this.#items
    const [first] = items
    const last = items.pop()
    if (items.length === 0 || !last) return first?.item
    items[0] = last
    for (let at = 0; ;) {
      let next = at
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < items.length && this.#precedes(below, next)) next = below
      if (next === at) return first!.item
      this.#swap(at, next)
      at = next
    }
  }

  #precedes(a: number, b: number): boolean {
    const [one, other] = [this.#items[a]!, this.#items[b]!]
    const difference = this.#compare(one.item, other.item)
    return difference < 0 || (difference === 0 && one.order < other.order)
  }

  #swap(a: number, b: number): void {
    const items = this.#items
    ;[items[a], items[b]] = [items[b]!, items[a]!]
  }
}
