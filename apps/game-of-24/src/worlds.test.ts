import { intervalOf, type Interval } from '@x/eval'
import { describe, expect, it } from 'vitest'
import { puzzles } from '../bench/measure.ts'
import { Game, numbersOf, questionOf, rational, StandInClient, WORLDS, type Calibration } from './index.ts'
import { keyOf, stepOf, type Move } from './moves.ts'

const game = new Game()

const calibrationOf = (name: string): Calibration => WORLDS.find((world) => world.name === name)!.calibration

/** The interval of a share over groups of observations, such as by parent, which are not independent of each other. */
const shareOf = (groups: readonly (readonly boolean[])[]): Interval =>
  intervalOf(
    groups.filter(({ length }) => length > 0).map((group) => group.filter(Boolean).length / group.length),
    1,
  )!

/** Factor that makes an interval of 95 % one of 99.9 %: of dozens of shares one would lie outside the other. */
const WIDER = 3.29 / 1.96

/** Expects the interval of a share, which has to be narrow, to contain the share that a world names. */
function expectShare(groups: readonly (readonly boolean[])[], expected: number): void {
  const interval = shareOf(groups)
  const low = interval.value - WIDER * (interval.value - interval.low)
  const high = interval.value + WIDER * (interval.high - interval.value)
  expect(high - low).toBeLessThan(0.25)
  expect([low <= expected, expected <= high], `${low} to ${high}, not ${expected}`).toEqual([true, true])
}

function ask(client: StandInClient, sample: number, texts: { system: string; user: string }): string {
  const messages = [
    { role: 'system', content: texts.system },
    { role: 'user', content: texts.user },
  ] as const
  const { content } = client.create({ messages: [...messages] }, { sample }).choices[0]!.message
  return typeof content === 'string' ? content : ''
}

/** Most first steps of a puzzle that are looked at. */
const MAX_STEPS = 8

/** The first steps of some puzzles, each to other numbers. */
const FIRST_STEPS = puzzles('901-940').map((puzzle) => {
  const moves = game.moves(numbersOf(puzzle).map((number) => rational(number)))
  const byNumbers = new Map(moves.map((move) => [keyOf(move.left), move]))
  return { puzzle, moves, steps: [...byNumbers.values()] }
})

const GRADER = 'You are a grader. Rate the steps so far on a scale of 1 to 10.'

/** Returns the ratings of first steps that keep 24 reachable, or of others: a list for each puzzle and seed. */
function ratings(world: string, isHopeful: boolean, sample = 0): number[][] {
  return [21, 22, 23, 24].flatMap((seed) => {
    const client = new StandInClient({ seed, game, calibration: calibrationOf(world) })
    const rate = (puzzle: string, move: Move): number => {
      const user = `${questionOf(puzzle)}\nStep 1: ${stepOf(move)}`
      return Number(/Rating: (\d+)/.exec(ask(client, sample, { system: GRADER, user }))![1])
    }
    return FIRST_STEPS.map(({ puzzle, steps }) =>
      steps
        .filter(({ good }) => good === isHopeful)
        .slice(0, MAX_STEPS)
        .map((move) => rate(puzzle, move)),
    )
  })
}

const each = (groups: readonly (readonly number[])[], test: (rating: number) => boolean): boolean[][] =>
  groups.map((group) => group.map(test))

const isPraise = (rating: number): boolean => rating >= 9
const isRefusal = (rating: number): boolean => rating <= 2

describe('the grader of a world', () => {
  it.each([
    ['praise 0 %, detect 0.95', 0.001],
    ['praise 3 %, detect 0.5', 0.03],
    ['praise 10 %, detect 0', 0.1],
    ['praise 30 %, detect 0.95', 0.3],
    ['fresh praise 10 %', 0.1],
    ['fresh praise 30 %', 0.3],
    ['praise of siblings 10 %', 0.1],
    ['praise of siblings 30 %', 0.3],
    ['grades say nothing', 0.3],
    ['as logged', 0.001],
  ])('praises hopeless steps as often as named: %s', (world, share) => {
    expectShare(each(ratings(world, false), isPraise), share)
  })

  it.each([
    ['praise 30 %, detect 0.95', 0.074],
    ['blindness 10 %', 0.1 + 0.9 * 0.074],
    ['blindness 30 %', 0.3 + 0.7 * 0.074],
    ['praise of siblings 30 %', 0.074],
    ['grades say nothing', 0.3],
  ])('refuses hopeful steps as often as named: %s', (world, share) => {
    expectShare(each(ratings(world, true), isRefusal), share)
  })

  it('praises the same steps again where praise stands, and others where it is fresh', () => {
    const praisedAgain = (world: string): boolean[][] => {
      const again = each(ratings(world, false, 1), isPraise)
      return each(ratings(world, false), isPraise).map((group, i) => again[i]!.filter((_, at) => group[at]))
    }
    for (const world of ['praise 30 %, detect 0', 'praise of siblings 30 %'])
      expect(shareOf(praisedAgain(world)).value).toBe(1)
    expectShare(praisedAgain('fresh praise 30 %'), 0.3)
  })

  it('praises siblings together where the world says so, and else one by one', () => {
    /** For each two hopeless steps of one parent in a row: whether both are praised. */
    const praisedBoth = (world: string): boolean[][] =>
      each(ratings(world, false), isPraise).map((group) => group.slice(1).map((praised, i) => praised && group[i]!))
    expectShare(praisedBoth('praise of siblings 30 %'), 0.3 * 0.8)
    expectShare(praisedBoth('praise 30 %, detect 0'), 0.3 * 0.3)
  })
})

const PUZZLE = '4 5 6 10'

/** Two finished paths, of which the second ends at 24. */
const PATHS = [
  'Step 1: 10 + 6 = 16 (left: 4 5 16)\nStep 2: 16 + 5 = 21 (left: 4 21)\nStep 3: 21 + 4 = 25 (left: 25)',
  'Step 1: 10 - 6 = 4 (left: 4 5 4)\nStep 2: 5 * 4 = 20 (left: 4 20)\nStep 3: 20 + 4 = 24 (left: 24)',
]
const POOL = `${questionOf(PUZZLE)}\n\n${PATHS.map((path, i) => `--- Possibility ${i + 1} ---\n${path}`).join('\n\n')}`

it.each([0.95, 0.5, 0])('an answer from several paths takes the right one as often as named: detect %d', (detect) => {
  const client = new StandInClient({ game, calibration: calibrationOf(`praise 0 %, detect ${detect}`) })
  const answers = Array.from({ length: 1500 }, (_, sample) => ask(client, sample, { system: '', user: POOL }))
  // The other path is taken for finished with 2 %; of two finished paths, or of none, chance takes one.
  expectShare(
    answers.map((answer) => [!answer.includes('10 + 6') && !answer.includes('10 * 6')]),
    detect * 0.98 + (detect * 0.02 + (1 - detect) * 0.98) / 2,
  )
})

it('grades of answers depend on the truth, except where the judge says nothing', () => {
  const sure = (world: string, answer: string): boolean[][] => {
    const system = 'You are a grader. Rate the answer on a scale of 1 to 10.'
    return Array.from({ length: 600 }, (_, seed) => {
      const client = new StandInClient({ seed, game, calibration: calibrationOf(world) })
      const rating = ask(client, 0, { system, user: `${questionOf(PUZZLE)}\nAnswer: ${answer} = 24` })
      return [isPraise(Number(/Rating: (\d+)/.exec(rating)![1]))]
    })
  }
  const right = '(5 * (10 - 6)) + 4'
  const wrong = '10 + 6 + 5 + 4'
  expectShare(sure('weak proposer', right), 0.73)
  expectShare(sure('weak proposer', wrong), 0.13)
  for (const answer of [right, wrong]) expectShare(sure('judge says nothing', answer), 0.3)
})

describe('the proposer of a world', () => {
  const optionsOf = (world: string, sample: number): string[][] => {
    const client = new StandInClient({ seed: 5, game, calibration: calibrationOf(world) })
    return FIRST_STEPS.map(({ puzzle }) => {
      const reply = ask(client, sample, { system: 'Propose possible next steps.', user: questionOf(puzzle) })
      return [...reply.matchAll(/Option \d+: (.*)/g)].map(([, step]) => step!)
    })
  }
  const goodShare = (world: string): Interval => {
    const goodSteps = new Set(
      FIRST_STEPS.flatMap(({ puzzle, moves }) => moves.filter(({ good }) => good).map((move) => puzzle + stepOf(move))),
    )
    const samples = Array.from({ length: 8 }, (_, sample) => optionsOf(world, sample))
    return shareOf(
      FIRST_STEPS.map(({ puzzle }, i) =>
        samples.flatMap((byPuzzle) => byPuzzle[i]!.map((step) => goodSteps.has(puzzle + step))),
      ),
    )
  }

  it('sees good steps less often if weak and more often if strong', () => {
    const [weak, usual, strong] = ['weak proposer', 'praise 0 %, detect 0', 'strong proposer'].map(goodShare)
    expect(weak!.high).toBeLessThan(usual!.low)
    expect(usual!.high).toBeLessThan(strong!.low)
  })

  it('repeats itself where the world says so, and gives four options but for the logs', () => {
    const repeated = (world: string): Interval => {
      const [first, second] = [optionsOf(world, 0), optionsOf(world, 1)]
      return shareOf(first.map((steps, i) => steps.map((step) => second[i]!.includes(step))))
    }
    expect(repeated('praise 10 %, detect 0').high).toBeLessThan(repeated('proposals repeat, praise 10 %').low)
    expect(repeated('praise 10 %, detect 0').high).toBeLessThan(repeated('proposals repeat').low)
    for (const { name } of WORLDS) {
      const counts = new Set(optionsOf(name, 0).map(({ length }) => length))
      if (name === 'as logged') expect(counts.size).toBeGreaterThan(3)
      else expect(counts).toEqual(new Set([4]))
    }
  })
})

it('worlds have different names', () => {
  expect(new Set(WORLDS.map(({ name }) => name)).size).toBe(WORLDS.length)
})
