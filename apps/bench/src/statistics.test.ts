import { describe, expect, it } from 'vitest'
import { exponent, interval, median, pairedRatio, quantile, summary } from './statistics.ts'

describe('the statistics of a run', () => {
  it('interpolate between the two values around a quantile, and skip what is no number', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(quantile([0, 10], 0.9)).toBe(9)
    expect(median([Number.NaN, 7])).toBe(7)
    expect(median([])).toBeNaN()
  })

  it('compare samples of the same round, so that a slow round counts for both', () => {
    expect(pairedRatio([10, 200, 12], [20, 400, 24])).toBe(0.5)
  })

  it('find the interval of a median by the order of its samples, and none of few', () => {
    expect(interval([9, 1, 5, 3, 7])).toEqual({ low: -Infinity, high: Infinity })
    expect(interval([6, 1, 5, 3, 2, 4])).toEqual({ low: 1, high: 6 })
    expect(interval([1, 2, 3, 4, 5, 6, 7, 8, Number.NaN, 99])).toEqual({ low: 2, high: 8 })
    expect(interval(Array.from({ length: 100 }, (_, i) => i))).toEqual({ low: 39, high: 60 })
  })

  it('find the power by which times grow', () => {
    expect(exponent([50, 100, 200], [5, 10, 20])).toBeCloseTo(1)
    expect(exponent([50, 100, 200], [2500, 10_000, 40_000])).toBeCloseTo(2)
  })

  it('sum up every metric of samples', () => {
    expect(summary([{ wall: 1 }, { wall: 3 }, { wall: 2 }])).toEqual({
      wall: { median: 2, min: 1, p25: 1.5, p75: 2.5 },
    })
    expect(summary([])).toEqual({})
  })
})
