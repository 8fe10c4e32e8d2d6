/**
 * The step driver beside plain `async`: one operation of ten leaves, none of which waits, then all of which wait.
 * Prints nanoseconds per operation and the ratio to plain `async` (and, for the blocking face, to a plain function).
 */
import { all, runAsync, runStream, runSync, wait, type Steps } from '@x/kernel'

interface Note {
  readonly type: 'note'
}
const note: Note = { type: 'note' }
const leaves = Array.from({ length: 10 }, (_, index) => index)

function* steps(leaf: (index: number) => unknown, events: boolean): Steps<number, Note> {
  let sum = 0
  for (const index of leaves) {
    sum += (yield* wait(leaf(index), 'leaf')) as number
    if (events) yield note
  }
  return sum
}

async function plain(leaf: (index: number) => unknown): Promise<number> {
  let sum = 0
  for (const index of leaves) sum += (await leaf(index)) as number
  return sum
}

function blocking(leaf: (index: number) => unknown): number {
  let sum = 0
  for (const index of leaves) sum += leaf(index) as number
  return sum
}

async function* plainStream(leaf: (index: number) => unknown): AsyncGenerator<Note, number> {
  let sum = 0
  for (const index of leaves) {
    sum += (await leaf(index)) as number
    yield note
  }
  return sum
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const now = (index: number): unknown => index
const later = async (index: number): Promise<number> => index

const together = (): Steps<number[], Note> => all(leaves.map((index) => wait(later(index), 'leaf')))

const cases: [name: string, ours: () => unknown, theirs: () => unknown][] = [
  ['blocking, no leaf waits', () => runSync(steps(now, false)), () => blocking(now)],
  ['async, no leaf waits', () => runAsync(steps(now, false)), () => plain(now)],
  ['async, every leaf waits', () => runAsync(steps(later, false)), () => plain(later)],
  ['async, every leaf waits, ten events', () => runAsync(steps(later, true), { emit: () => {} }), () => plain(later)],
  ['stream, every leaf waits', () => drain(runStream(steps(later, true))), () => drain(plainStream(later))],
  ['ten children at once', () => runAsync(together()), () => Promise.all(leaves.map(later))],
]

async function time(run: () => unknown, times: number): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < times; index++) await run()
  return ((performance.now() - start) * 1e6) / times
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

console.log('operation of ten leaves'.padEnd(40), 'steps'.padStart(10), 'plain'.padStart(10), 'ratio'.padStart(8))
for (const [name, ours, theirs] of cases) {
  await time(ours, 2000)
  await time(theirs, 2000)
  const rounds: [number, number][] = []
  for (let round = 0; round < 11; round++) rounds.push([await time(ours, 2000), await time(theirs, 2000)])
  const own = median(rounds.map(([a]) => a))
  const other = median(rounds.map(([, b]) => b))
  const ratio = median(rounds.map(([a, b]) => a / b))
  const ns = (value: number): string => `${Math.round(value)} ns`.padStart(10)
  console.log(name.padEnd(40), ns(own), ns(other), ratio.toFixed(2).padStart(8))
}
