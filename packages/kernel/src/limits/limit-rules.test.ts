import type { RateLimits } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { countLimit, decideLimit, type LimitCorrection } from './limit-rules.ts'

/** Numbers that a seed decides, in [0, 1). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Workers of a simulation, in a time of its own. */
interface Load {
  readonly limits: RateLimits
  readonly workers: number
  /** Calls that each worker has under way or waiting at most. */
  readonly concurrency: number
  /** Seconds that are simulated. */
  readonly seconds: number
  /** Milliseconds of a call. */
  readonly duration: number
  readonly tokens: number
  /** Milliseconds for which the first worker is alone. */
  readonly alone: number
}

/** Lets workers ask for calls as often as they may; gives when each got one. */
function simulate(
  { limits, workers, concurrency, seconds, duration, tokens, alone }: Load,
  random: () => number,
): number[][] {
  const start = 1_000_000 + Math.floor(random() * 10_000)
  let value: unknown
  const got: number[][] = Array.from({ length: workers }, () => [])
  const all = got.map((_, id) => ({ id, next: start + (id === 0 ? 0 : alone) + id * 7, ends: [] as number[] }))
  for (let now = start; now < start + seconds * 1000; now++) {
    for (const worker of all) {
      const before = worker.ends.length
      worker.ends = worker.ends.filter((end) => end > now)
      if (worker.next > now && worker.ends.length === before) continue
      const wants = Array.from({ length: concurrency - worker.ends.length }, () => tokens)
      const question = { worker: String(worker.id), limits, lease: 30_000, held: worker.ends.length, wants, pause: 0 }
      const decided = decideLimit(value, now, { ...question, corrections: [] })
      value = decided.value
      const { granted, again } = decided.answer
      for (let n = 0; n < granted; n++) {
        got[worker.id]!.push(now - start)
        worker.ends.push(now + duration * (0.5 + random()))
      }
      worker.next = now + again
    }
  }
  return got
}

/** The most calls in any time of so many milliseconds. */
function mostWithin(times: readonly number[], ms: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  let first = 0
  return sorted.reduce((most, time, index) => {
    while (sorted[first]! <= time - ms) first++
    return Math.max(most, index - first + 1)
  }, 0)
}

const LOADS: readonly (readonly [string, Load, most: number])[] = [
  ['requests a minute', load({ limits: { requests: 600 } }), 600],
  ['few requests a minute', load({ limits: { requests: 120 } }), 120],
  ['requests a second', load({ limits: { requests: 50, per: 1 } }), 50],
  ['tokens a minute', load({ limits: { tokens: 60_000 }, tokens: 100 }), 600],
  ['calls under way', load({ limits: { inFlight: 8 }, duration: 400 }), Infinity],
  ['calls that take long', load({ limits: { inFlight: 12 }, duration: 4000, seconds: 60 }), Infinity],
]

function load(given: Partial<Load> & Pick<Load, 'limits'>): Load {
  return { workers: 4, concurrency: 30, seconds: 25, duration: 50, tokens: 10, alone: 6000, ...given }
}

describe.each(LOADS)('a limit of %s', (_, each, most) => {
  it.each([
    [1, 0],
    [2, 700],
    [3, 6000],
  ])('is kept, and every worker gets at least half its share (seed %i, one alone for %i ms)', (seed, alone) => {
    const got = simulate({ ...each, alone }, randomOf(seed))
    expect(mostWithin(got.flat(), (each.limits.per ?? 60) * 1000)).toBeLessThanOrEqual(most)
    const span = each.duration > 1000 ? 40_000 : 10_000
    for (const from of [6000, 8000, 12_000]) {
      const counts = got.map((times) => times.filter((time) => time >= from && time < from + span).length)
      const share = counts.reduce((sum, count) => sum + count, 0) / counts.length
      expect(share).toBeGreaterThan(0)
      expect(Math.min(...counts), counts.join(', ')).toBeGreaterThanOrEqual(share / 2)
    }
  })
})

const asked = {
  worker: 'a',
  lease: 30_000,
  held: 0,
  wants: [] as number[],
  corrections: [] as LimitCorrection[],
  pause: 0,
}
const NOW = 1_000_000_000

describe('decideLimit', () => {
  it('uses a limit of a minute in a minute', () => {
    const got = simulate(load({ limits: { requests: 600 }, workers: 1, seconds: 125 }), randomOf(1))
    expect(got[0]!.length).toBeGreaterThan(1100)
  })

  it('corrects the tokens of a call in the part of the period where it counts', () => {
    const limits = { tokens: 1000 }
    const first = decideLimit(undefined, NOW, { ...asked, limits, wants: [900, 200] })
    expect(first.answer.granted).toBe(1)
    const corrections = [{ slot: first.answer.slot, requests: 0, tokens: -800 }]
    const second = decideLimit(first.value, NOW + 5000, { ...asked, limits, corrections, wants: [200] })
    expect(second.answer.granted).toBe(1)
    expect(countLimit(second.value, NOW + 5000, limits)).toMatchObject({ requests: 2, tokens: 300 })
    const late = decideLimit(second.value, NOW + 70_000, { ...asked, limits, corrections })
    expect(countLimit(late.value, NOW + 70_000, limits)).toMatchObject({ requests: 0, tokens: 0 })
  })

  it('lets a call above the whole limit go alone', () => {
    const limits = { tokens: 1000 }
    const first = decideLimit(undefined, NOW, { ...asked, limits, wants: [5000, 1] })
    expect(first.answer.granted).toBe(1)
    const second = decideLimit(first.value, NOW + 30_000, { ...asked, limits, wants: [5000] })
    expect(second.answer.granted).toBe(0)
    expect(decideLimit(second.value, NOW + 63_000, { ...asked, limits, wants: [5000] }).answer.granted).toBe(1)
  })

  it('gives the calls of a worker without a sign of life to others', () => {
    const limits = { inFlight: 2 }
    const dead = decideLimit(undefined, NOW, { ...asked, limits, wants: [1, 1] })
    const other = { ...asked, worker: 'b', limits, wants: [1, 1] }
    const early = decideLimit(dead.value, NOW + 29_000, other)
    expect(early.answer.granted).toBe(0)
    expect(decideLimit(early.value, NOW + 30_001, other).answer.granted).toBe(2)
  })

  it('stops everybody for as long as a provider says, and no longer than a minute', () => {
    const limits = { requests: 100 }
    const told = decideLimit(undefined, NOW, { ...asked, limits, pause: 3_600_000 })
    const other = { ...asked, worker: 'b', limits, wants: [1] }
    expect(decideLimit(told.value, NOW + 59_000, other).answer).toMatchObject({ granted: 0, again: 1000 })
    expect(decideLimit(told.value, NOW + 60_001, other).answer.granted).toBe(1)
  })

  it('waits no longer when the clock of the store is set back, and forgets nothing', () => {
    const limits = { requests: 1, inFlight: 5 }
    const before = decideLimit(undefined, NOW, { ...asked, limits, wants: [1] })
    const back = NOW - 3_600_000
    const other = { ...asked, worker: 'b', limits, wants: [1] }
    const after = decideLimit(before.value, back, other)
    expect(after.answer.granted).toBe(0)
    expect(countLimit(after.value, back + 31_000, limits).inFlight).toBe(0)
    expect(decideLimit(after.value, back + 63_000, other).answer.granted).toBe(1)
  })

  it('changes nothing where somebody only looks', () => {
    const limits = { inFlight: 1 }
    const full = decideLimit(undefined, NOW, { ...asked, limits, wants: [1] })
    const other = { ...asked, worker: 'b', limits, wants: [1] }
    const first = decideLimit(full.value, NOW + 10, other)
    expect(first.value).not.toBe(full.value)
    expect(decideLimit(first.value, NOW + 60, other).value).toBe(first.value)
  })

  it.each([null, 1, 'text', {}, { slots: 1 }])('begins anew where the store holds %j', (value) => {
    expect(decideLimit(value, NOW, { ...asked, limits: { requests: 1 }, wants: [1] }).answer.granted).toBe(1)
  })
})

describe('a record that is not one of limits', () => {
  const limits: RateLimits = { requests: 5 }
  const question = {
    ...{ worker: 'a', limits, lease: 30_000, held: 0, wants: [1], corrections: [], pause: 0 },
  } as const
  const { value } = decideLimit(undefined, 1000, question)
  const worker = value.workers[0]!

  it.each([
    ['of another kind', 'text'],
    ['without its parts', { per: 60_000, workers: [], paused: 0 }],
    ['with a part that is none', { ...value, slots: [[1, 'two', 3]] }],
    ['with text in place of workers', { ...value, workers: 'none' }],
    ['with half a worker', { ...value, workers: [{ ...worker, served: null }] }],
    ['with a pause that is no number', { ...value, paused: 'for ever' }],
  ])('begins anew: %s', (_, damaged) => {
    expect(decideLimit(damaged, 2000, question)).toEqual(decideLimit(undefined, 2000, question))
    expect(countLimit(damaged, 2000, limits)).toEqual(countLimit(undefined, 2000, limits))
  })

  it('is refused when a newer package wrote it, since this one would forget its counts', () => {
    const refused = expect.objectContaining({ code: 'unknown-state-version', details: { version: 2, known: [1] } })
    expect(() => decideLimit({ ...value, version: 2 }, 2000, question)).toThrow(refused)
    expect(() => countLimit({ ...value, version: 2 }, 2000, limits)).toThrow(refused)
    expect(decideLimit({ ...value, version: 1 }, 2000, question)).toEqual(decideLimit(value, 2000, question))
  })

  it('is none that JSON has carried', () => {
    const carried: unknown = JSON.parse(JSON.stringify(value))
    expect(countLimit(carried, 1000, limits)).toMatchObject({ requests: 1, inFlight: 1 })
  })
})
