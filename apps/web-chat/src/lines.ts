import type { Change } from './change.ts'
import type { Item } from './item.ts'

/**
 * The lines of a chat, and at which step of its log each has changed last: a page that knows the chat up to a step lacks
 * those alone that have changed since.
 */
export class Lines {
  readonly #items: Item[] = []
  readonly #changed: number[] = []
  readonly #tell: (change: Change) => void
  #step = 0

  /** `tell` hears every change. */
  constructor(tell: (change: Change) => void) {
    this.#tell = tell
  }

  get items(): readonly Item[] {
    return this.#items
  }

  /** How many steps the log has been read. */
  get step(): number {
    return this.#step
  }

  /** What changes from now on belongs to the next step. */
  next(): void {
    this.#step++
  }

  /** The lines that may have changed since a step: also those of the step itself, of which a page may have been told a part. */
  since(step: number): number[] {
    return [...this.#items.keys()].filter((index) => this.#changed[index]! >= step)
  }

  /** Adds a line, and gives its index. */
  add(item: Item): number {
    const index = this.#items.push(item) - 1
    this.#changed[index] = this.#step
    this.#tell({ type: 'item', index, item })
    return index
  }

  /** Puts a line in place of another, unless they are equal. */
  put(index: number, item: Item): void {
    if (JSON.stringify(this.#items[index]) === JSON.stringify(item)) return
    this.#items[index] = item
    this.#changed[index] = this.#step
    this.#tell({ type: 'item', index, item })
  }

  /** Adds to the text of a spoken line. */
  addText(index: number, text: string): void {
    const item = this.#items[index]
    if (item?.kind !== 'assistant') return
    this.#items[index] = { ...item, text: item.text + text }
    this.#changed[index] = this.#step
    this.#tell({ type: 'text', index, text })
  }
}
