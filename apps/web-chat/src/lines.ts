import type { Change } from './change.ts'
import type { Item } from './item.ts'

/**
 * The lines of a chat, and the step of its log at which each line changed last: a page that knows the chat up to a step needs
 * only the lines that have changed since.
 */
export class Lines {
  readonly #items: Item[] = []
  readonly #changed: number[] = []
  readonly #tell: (change: Change) => void
  #step = 0

  /** `tell` is called with every change. */
  constructor(tell: (change: Change) => void) {
    this.#tell = tell
  }

  get items(): readonly Item[] {
    return this.#items
  }

  /** Number of steps of the log that were read. */
  get step(): number {
    return this.#step
  }

  /** Begins the next step. */
  next(): void {
    this.#step++
  }

  /** Returns the lines that may have changed since a step, including those of the step itself: a page may have only a part of them. */
  since(step: number): number[] {
    return [...this.#items.keys()].filter((index) => this.#changed[index]! >= step)
  }

  /** Adds a line; returns its index. */
  add(item: Item): number {
    const index = this.#items.push(item) - 1
    this.#changed[index] = this.#step
    this.#tell({ type: 'item', index, item })
    return index
  }

  /** Replaces a line, unless it is equal. */
  put(index: number, item: Item): void {
    if (JSON.stringify(this.#items[index]) === JSON.stringify(item)) return
    this.#items[index] = item
    this.#changed[index] = this.#step
    this.#tell({ type: 'item', index, item })
  }

  /** Appends to the text of an agent's line. */
  addText(index: number, text: string): void {
    const item = this.#items[index]
    if (item?.kind !== 'assistant') return
    this.#items[index] = { ...item, text: item.text + text }
    this.#changed[index] = this.#step
    this.#tell({ type: 'text', index, text })
  }
}
