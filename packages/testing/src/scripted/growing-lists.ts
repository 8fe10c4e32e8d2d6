import { isDeepStrictEqual } from 'node:util'
import { frozenCopy } from './frozen-copy.ts'

/** Number of lists that may grow at the same time, for example when several agents share a model. */
const LINES = 8

/**
 * Keeps frozen copies of lists that mostly extend an earlier list, as the requests of a chat do. Shared items are kept
 * once: the log of 10,000 turns would otherwise hold some hundred million messages.
 */
export class GrowingLists<T> {
  #lines: T[][] = []

  /** Keeps a snapshot of a list and returns a function that restores it. */
  keep(list: readonly T[]): () => readonly T[] {
    const line = this.#lines.find((line) => continues(line, list)) ?? []
    if (line !== this.#lines[0]) {
      this.#lines = [line, ...this.#lines.filter((other) => other !== line)].slice(0, LINES)
    }
    const { length } = list
    for (let i = line.length; i < length; i++) line.push(frozenCopy(list[i]!))
    return start(line, length)
  }
}

/** Separate from `keep`, so that its closure does not hold the given list. */
const start =
  <T>(line: readonly T[], length: number) =>
  (): readonly T[] =>
    Object.freeze(line.slice(0, length))

/** Tells whether a list begins with all items of a line. Frozen items are kept as they are, so most comparisons are by identity. */
function continues<T>(line: readonly T[], list: readonly T[]): boolean {
  if (line.length > list.length) return false
  for (let index = 0; index < line.length; index++) {
    if (line[index] !== list[index] && !isDeepStrictEqual(line[index], list[index])) return false
  }
  return true
}
