import { describe, expect, it } from 'vitest'
import { countFaults, judge, renewCounts, type Sittings } from './judge.ts'

describe('countFaults', () => {
  it('is content with what the table has', () => {
    expect(countFaults({ 'files of a': 3 }, { 'files of a': 3 })).toEqual([])
  })

  it.each([
    [{ a: 4 }, 'a: 4, and 3 before: worse'],
    [{ a: 2 }, 'a: 2, and 3 before: better'],
    [{ a: 3, b: 1 }, 'b: 1, and the table has no such figure'],
    [{}, 'a is in the table, and not counted'],
  ])('finds in %j that %s', (counts, fault) => {
    expect(countFaults(counts as Record<string, number>, { a: 3 })).toEqual([fault])
  })

  it('lets kilobytes differ by a hundredth, those of allocations by a twentieth, and nothing else', () => {
    const kept = { 'allocated by a call, kB': 70, 'packed a, kB': 700, requests: 100 }
    expect(countFaults({ 'allocated by a call, kB': 73.4, 'packed a, kB': 694, requests: 100 }, kept)).toEqual([])
    expect(countFaults({ 'allocated by a call, kB': 73.6, 'packed a, kB': 692, requests: 101 }, kept)).toHaveLength(3)
    const written = { 'characters of a change': 1000 }
    expect(countFaults({ 'characters of a change': 1009 }, written)).toEqual([])
    expect(countFaults({ 'characters of a change': 1011 }, written)).toHaveLength(1)
  })
})

describe('renewCounts', () => {
  it('writes what has changed, and keeps what is alike', () => {
    const kept = { 'allocated by a call, kB': 70, gone: 1, files: 3 }
    const counts = { 'allocated by a call, kB': 70.6, files: 2, more: 5 }
    const renewed = renewCounts(counts, kept)
    expect(renewed).toEqual({ 'allocated by a call, kB': 70, files: 2, more: 5 })
    expect(countFaults(counts, renewed)).toEqual([])
  })
})

/** Sittings of ten, with a ratio of the state now and one of no change. */
function sittings(now: readonly number[], again: readonly number[] = ROUGH): Sittings {
  const before = ROUGH.map((_, sitting) => 50 + 10 * sitting)
  return {
    before,
    again: before.map((value, sitting) => value * again[sitting]!),
    now: before.map((value, sitting) => value * now[sitting]!),
  }
}

/** Ratios of one state to itself. */
const ROUGH = [1, 0.97, 1.02, 1.04, 0.99, 1.01, 0.96, 1.03, 0.98, 1]

describe('judge', () => {
  it('finds a state alike whose ratios lie about 1', () => {
    expect(judge(sittings(ROUGH.toReversed()))).toMatchObject({ verdict: 'alike', low: 0.97, high: 1.03 })
  })

  it('finds a state worse or better whose whole interval lies beyond what no change does', () => {
    expect(judge(sittings(ROUGH.map((ratio) => ratio * 1.1))).verdict).toBe('worse')
    expect(judge(sittings(ROUGH.map((ratio) => ratio * 0.9))).verdict).toBe('better')
  })

  it('does not take for worse what a machine with much noise does to no change, too', () => {
    const now = ROUGH.map((ratio) => ratio * 1.1)
    const wild = ROUGH.map((ratio, sitting) => ratio * (sitting % 2 === 0 ? 1.3 : 0.8))
    expect(judge(sittings(now, wild)).verdict).toBe('alike')
  })

  it('does not judge by fewer than six sittings', () => {
    const { before, again, now } = sittings(ROUGH.map((ratio) => ratio * 2))
    const few = { before: before.slice(0, 5), again: again.slice(0, 5), now: now.slice(0, 5) }
    expect(judge(few)).toMatchObject({ verdict: 'too few', ratio: expect.closeTo(2, 1) })
    expect(judge({ before, now, again: again.map(() => Number.NaN) }).verdict).toBe('too few')
  })
})
