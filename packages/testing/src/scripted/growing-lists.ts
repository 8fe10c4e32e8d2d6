import { isDeepStrictEqual } from 'node:util'
import { frozenCopy } from './frozen-copy.ts'

/** Number of lists that may grow at the same time, for example if several agents share a model. */
const MAX_LINES = 8

/**
 * Keeps frozen copies of lists that mostly extend an earlier list, as the requests of a chat do. Shared items are kept
 * once: the log of 10,000 turns would otherwise hold some hundred million messages.
 */
export class GrowingLists<T> {
  #lines: T[][] = []

  /** Keeps a snapshot of a list. */
  keep(list: readonly T[]): ListSnapshot<T> {
    const line = this.#lineOf(list)
    const { length } = list
    for (let i = line.length; i < length; i++) line.push(frozenCopy(list[i]!))
    return new ListSnapshot(line, length)
  }

  /** Finds the line that a list extends, and moves it to the front. */
  #lineOf(list: readonly T[]): T[] {
    const [newest] = this.#lines
    if (newest && continues(newest, list)) return newest
    const line = this.#lines.find((line) => continues(line, list)) ?? []
    this.#lines = [line, ...this.#lines.filter((other) => other !== line)].slice(0, MAX_LINES)
    return line
  }
}

/** A list as it was when it was kept. */
export class ListSnapshot<T> {
  readonly #line: readonly T[]
  readonly #length: number

  constructor(line: readonly T[], length: number) {
    this.#line = line
    this.#length = length
  }

  /** The list, frozen. */
  get list(): readonly T[] {
    return Object.freeze(this.#line.slice(0, this.#length))
  }
}

/** Tells whether a list begins with all items of a line. Frozen items are kept as they are, so most comparisons are by identity. */
function continues<T>(line: readonly T[], list: readonly T[]): boolean {
  if (line.length > list.length) return false
  for (let index = 0; index < line.length; index++) {
    if (line[index] !== list[index] && !isDeepStrictEqual(line[index], list[index])) return false
  }
  return true
}
