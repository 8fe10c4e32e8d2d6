import { describe, expect, it } from 'vitest'
import {
  bootstrap,
  differenceOf,
  type Interval,
  intervalOf,
  kappaIntervalOf,
  kappaOf,
  meanOf,
  randomFrom,
  signTest,
} from './statistics.ts'
import { compare, type EvalCell } from './report.ts'

const rounded = ({ low, high }: Interval): readonly number[] => [low, high].map((end) => Number(end.toFixed(4)))

const ones = (right: number, n: number): number[] => Array.from({ length: n }, (_, index) => Number(index < right))

describe('the interval of a rate', () => {
  it.each([
    [81, 263, [0.2553, 0.3662]],
    [15, 148, [0.0624, 0.1605]],
    [0, 20, [0, 0.1611]],
    [1, 29, [0.0061, 0.1718]],
    [20, 20, [0.8389, 1]],
  ])('of %i of %i is that of Wilson', (right, n, wanted) => {
    const interval = intervalOf(ones(right, n), 1)!
    expect(rounded(interval)).toEqual(wanted)
    expect(interval).toMatchObject({ method: 'wilson', n })
  })

  it('of nothing is null', () => {
    expect(intervalOf([], 1)).toBeNull()
    expect(differenceOf([], 1)).toBeNull()
  })
})

/** Pairs of right and wrong by their counts: both right, the first alone, the second alone, none. */
const pairsOf = (...counts: readonly number[]): (readonly [number, number])[] =>
  (
    [
      [1, 1],
      [1, 0],
      [0, 1],
      [0, 0],
    ] as const
  ).flatMap((pair, index) => Array.from({ length: counts[index]! }, () => pair))

describe('the interval of a difference of pairs', () => {
  // Counts of table II of Newcombe 1998, by his method 10.
  it.each([
    [
      [36, 12, 2, 0],
      [0.0569, 0.3404],
    ],
    [
      [53, 0, 1, 0],
      [-0.0977, 0.0496],
    ],
    [
      [54, 0, 0, 0],
      [-0.0664, 0.0664],
    ],
  ])('of %j is that of Newcombe', (counts, wanted) => {
    expect(rounded(differenceOf(pairsOf(...counts), 1)!)).toEqual(wanted)
  })

  it('has the true difference in it about 95 times of 100', () => {
    const random = randomFrom(7)
    let inside = 0
    for (let round = 0; round < 1000; round++) {
      const pairs = Array.from({ length: 40 }, (): readonly [number, number] => {
        const luck = random()
        return [Number(luck < 0.7), Number(luck * 0.6 + random() * 0.4 < 0.5)]
      })
      const { low, high } = differenceOf(pairs, 1)!
      // P(0.6 u + 0.4 v < 0.5), for u and v even in [0, 1]
      const truth = 0.7 - 0.5
      if (low <= truth && truth <= high) inside++
    }
    expect(inside).toBeGreaterThan(930)
    expect(inside).toBeLessThan(985)
  })
})

describe('the bootstrap', () => {
  it.each([8, 20])('of %i scores has the true mean in it about 95 times of 100', (n) => {
    const random = randomFrom(n)
    let inside = 0
    for (let round = 0; round < 200; round++) {
      const scores = Array.from({ length: n }, () => (random() + random()) / 2)
      const { low, high } = bootstrap(scores, meanOf, round)
      if (low <= 0.5 && 0.5 <= high) inside++
    }
    expect(inside / 200).toBeGreaterThan(0.91)
    expect(inside / 200).toBeLessThan(0.99)
  })

  it('is the same for the same seed', () => {
    const scores = Array.from({ length: 20 }, (_, index) => (index * 0.37) % 1)
    expect(intervalOf(scores, 3)).toEqual(intervalOf(scores, 3))
    expect(intervalOf(scores, 3)).not.toEqual(intervalOf(scores, 4))
  })
})

describe('few observations', () => {
  it.each<[string, Interval | null]>([
    ['one partial score', intervalOf([0.9], 1)],
    [
      'five equal scores',
      intervalOf(
        Array.from({ length: 5 }, () => 0.9),
        1,
      ),
    ],
    [
      'two equal differences',
      differenceOf(
        [1, 2].map(() => [0.6, 0.5] as const),
        1,
      ),
    ],
    [
      'four agreeing judgements',
      kappaIntervalOf(
        [true, false, true, false].map((each) => [each, each]),
        1,
      ),
    ],
  ])('have a wide interval: %s', (_, interval) => {
    const { low, value, high } = interval!
    expect(low).toBeLessThanOrEqual(value)
    expect(high).toBeGreaterThanOrEqual(value)
    expect(high - low).toBeGreaterThan(0.4)
  })

  it.each([
    ['three answers to each of 3 tasks', 3, 0.95],
    ['three answers to each of 10 tasks', 10, 0.9],
  ])('have the truth in it 95 times of 100: %s', (_, n, rate) => {
    const random = randomFrom(n)
    const meanScore = (): number => [1, 2, 3].filter(() => random() < rate).length / 3
    const inside = Array.from({ length: 100 }, (_each, seed) => intervalOf(Array.from({ length: n }, meanScore), seed)!)
    expect(inside.filter(({ low, high }) => low <= rate && rate <= high).length).toBeGreaterThanOrEqual(93)
  })

  it('of a hundred, the interval is hardly wider than by resampling them alone', () => {
    const random = randomFrom(7)
    const differences = Array.from({ length: 100 }, () => 0.28 * (random() - 0.5))
    const width = ({ low, high }: Interval): number => high - low
    const alone = width(bootstrap(differences, meanOf, 1))
    const pairs = differences.map((difference) => [0.5 + difference, 0.5] as const)
    expect(width(differenceOf(pairs, 1)!) / alone).toBeLessThan(1.2)
    const scores = differences.map((difference) => 0.5 + difference)
    expect(width(intervalOf(scores, 1)!) / alone).toBeLessThan(1.1)
  })

  it('with a rare outcome have the truth in it 95 times of 100', () => {
    const random = randomFrom(5)
    const score = (): number => (random() < 0.03 ? 0 : 0.9)
    const inside = Array.from({ length: 200 }, (_each, seed) => intervalOf(Array.from({ length: 40 }, score), seed)!)
    expect(inside.filter(({ low, high }) => low <= 0.873 && 0.873 <= high).length).toBeGreaterThanOrEqual(186)
  })

  it('have the true kappa of a judge in it 95 times of 100', () => {
    const random = randomFrom(3)
    const judged = (_: unknown, index: number): readonly [boolean, boolean] => {
      const label = index % 2 === 0
      return [label, random() < 0.85 ? label : !label]
    }
    const inside = Array.from({ length: 100 }, (_, seed) => kappaIntervalOf(Array.from({ length: 8 }, judged), seed))
    expect(inside.filter(({ low, high }) => low <= 0.7 && 0.7 <= high).length).toBeGreaterThanOrEqual(93)
  })
})

it('tests signs exactly', () => {
  expect(signTest(0, 0)).toBe(1)
  expect(signTest(5, 0)).toBeCloseTo(0.0625, 10)
  expect(signTest(9, 1)).toBeCloseTo(22 / 1024, 10)
  expect(signTest(600, 400)).toBeLessThan(1e-9)
})

it('computes kappa', () => {
  const pairs = (both: number, first: number, second: number, none: number): (readonly [boolean, boolean])[] =>
    pairsOf(both, first, second, none).map(([one, other]) => [one === 1, other === 1])
  expect(kappaOf(pairs(20, 5, 10, 15))).toBeCloseTo(0.4, 10)
  expect(kappaOf(pairs(5, 0, 0, 5))).toBe(1)
  expect(kappaOf(pairs(25, 25, 25, 25))).toBeCloseTo(0, 10)
})

it('takes means that differ by rounding alone for equal', () => {
  const scores = { first: [0.1, 0.2, 0.3], second: [0.3, 0.2, 0.1] }
  const cells = Object.entries(scores).flatMap(([contestant, some]) =>
    some.map((score, repeat) => ({ task: 't', contestant, repeat, score }) as unknown as EvalCell),
  )
  expect(compare(cells, 'first', 'second', 1)).toMatchObject({ wins: 0, losses: 0, ties: 1, p: 1 })
})
