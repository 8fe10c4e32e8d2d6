import { isDeepStrictEqual } from 'node:util'
import { frozenCopy } from './frozen-copy.ts'

/** How many lists may grow at the same time, as when several agents share a model. */
const LINES = 8

/**
 * Keeps frozen copies of lists most of which are an earlier one with more at its end, as the requests of a chat are. What
 * they share is kept once: the log of 10,000 turns would otherwise hold some hundred million messages.
 */
export class GrowingLists<T> {
  #lines: T[][] = []

  /** Keeps a list as it is now; gives what gives it back. */
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

/** Stands apart from `keep`, so that it does not hold on to the list that was given. */
const start =
  <T>(line: readonly T[], length: number) =>
  (): readonly T[] =>
    Object.freeze(line.slice(0, length))

/** Whether a list begins with all of a line. What is frozen was kept itself, so that most items are the same object. */
function continues<T>(line: readonly T[], list: readonly T[]): boolean {
  if (line.length > list.length) return false
  for (let index = 0; index < line.length; index++) {
    if (line[index] !== list[index] && !isDeepStrictEqual(line[index], list[index])) return false
  }
  return true
}
