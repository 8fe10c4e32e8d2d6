import type { SearchBeliefs } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import {
  auto,
  bestByReward,
  bestFirst,
  bestOfN,
  MemorySearchJournal,
  type Method,
  searchSync,
  type SearchResult,
} from '../index.ts'
import type { Grader, Grading, Proposer } from '../search/parts.ts'
import { drawRates, TreeWorld, type TreeWorldRates } from './tree-world.fake.ts'

interface Trial {
  readonly result: SearchResult
  readonly isRight: boolean
}

function solve(
  seed: string,
  settings: {
    change?: Partial<TreeWorldRates>
    method?: Method
    calls?: number
    verified?: boolean
    around?: (proposer: Proposer) => Proposer
    graded?: (value: number, isOutcome: boolean) => number
  } = {},
): Trial {
  const { change, calls = 40, verified = false, around = (proposer) => proposer, graded = (value) => value } = settings
  const rates = drawRates(seed, change)
  const world = new TreeWorld(seed, rates)
  const { proposer, grader, answerer, verifier } = world
  const method = settings.method ?? auto({ maxDepth: rates.depth })
  const result = searchSync('Which way?', {
    proposer: around(proposer),
    grader: regraded(grader, graded),
    answerer,
    method,
    budget: { calls },
    ...(verified && { verifier }),
  })
  return { result, isRight: result.answer !== null && world.isRight(result.answer) }
}

/** A grader whose grades are mapped to others. */
const regraded = (grader: Grader, graded: (value: number, isOutcome: boolean) => number): Grader => ({
  grade: (request, run) => {
    const { grades } = grader.grade(request, run) as Grading
    return { grades: grades.map(({ value, details }) => ({ value: graded(value!, request.isOutcome), details })) }
  },
})

const seeds = (count: number): string[] => Array.from({ length: count }, (_, i) => `world ${i}`)
const shareRight = (trials: readonly Trial[]): number => trials.filter(({ isRight }) => isRight).length / trials.length

describe('auto', () => {
  it('is sure of what a verifier accepted, and believes its refusals', () => {
    const trials = seeds(60).map((seed) => solve(seed, { verified: true, calls: 60 }))
    for (const { result, isRight } of trials) {
      expect(result.status === 'verified').toBe(isRight)
      expect(result.beliefs!.confidence).toBe(isRight ? 1 : 0)
    }
    expect(shareRight(trials)).toBeGreaterThan(0.5)
  })

  it('counts what a verifier accepted as right, for later searches', () => {
    const trials = seeds(40).map((seed) => solve(seed, { verified: true, calls: 60 }))
    const solved = trials.filter(({ result }) => result.status === 'verified' && result.used.calls < 60)
    expect(solved.length).toBeGreaterThan(15)
    for (const { grader, answerer } of solved.map(({ result }) => result.beliefs!))
      expect(grader.ends.right.reduce((sum, count) => sum + count, answerer.good)).toBeGreaterThan(0.9)
  })

  it('says how sure it is, and is right about as often', () => {
    const trials = seeds(150).map((seed) => solve(seed))
    const mean = trials.reduce((sum, { result }) => sum + result.beliefs!.confidence, 0) / trials.length
    expect(Math.abs(mean - shareRight(trials))).toBeLessThan(0.12)
    const isSure = ({ result }: Trial): boolean => result.beliefs!.confidence > 0.5
    expect(shareRight(trials.filter(isSure)) - shareRight(trials.filter((trial) => !isSure(trial)))).toBeGreaterThan(
      0.25,
    )
  })

  it('is seldom sure where wrong steps are praised often', () => {
    const shareSure = (wrong: number): number => {
      const change = { praise: { right: 0.9, wrong }, standing: 1, inherits: 0, depth: 3 }
      const trials = seeds(40).map((seed) => solve(seed, { change, calls: 60 }))
      return trials.filter(({ result }) => result.beliefs!.confidence > 0.85).length / trials.length
    }
    expect(shareSure(0)).toBeGreaterThan(0.15)
    expect(shareSure(0.4)).toBeLessThan(0.15)
  })

  it('learns how often its grader praises without reason', () => {
    const falsePraise = (wrong: number): number => {
      const change = { praise: { right: 0.9, wrong }, standing: 1, inherits: 0 }
      const beliefs = seeds(30).map((seed) => solve(seed, { change, calls: 60 }).result.beliefs!)
      return beliefs.reduce((sum, { grader }) => sum + grader.steps.falsePraise, 0) / beliefs.length
    }
    expect(falsePraise(0)).toBeLessThan(falsePraise(0.15))
    expect(falsePraise(0.4)).toBeGreaterThan(0.25)
    expect(falsePraise(0.15)).toBeLessThan(falsePraise(0.4))
  })

  it('solves no less than the best of n by the same judge where grades of steps say nothing', () => {
    const change = { praise: { right: 0.3, wrong: 0.3 }, low: { right: 0.4, wrong: 0.4 }, alone: 0.4, good: 0.6 }
    const automatic = seeds(80).map((seed) => solve(seed, { change, calls: 30 }))
    const best = seeds(80).map((seed) => solve(seed, { change, calls: 30, method: bestByReward({ n: 15 }) }))
    expect(shareRight(automatic)).toBeGreaterThan(shareRight(best) - 0.1)
  })

  it('believes a grader that praises most options of a good proposer', () => {
    const change = { good: 0.8, depth: 4, praise: { right: 0.95, wrong: 0.1 }, standing: 1, inherits: 0, alone: 0.3 }
    const trials = (method?: Method): Trial[] =>
      seeds(60).map((seed) => solve(seed, { change, calls: 20, ...(method && { method }) }))
    const [automatic, best] = [trials(), trials(bestFirst({ maxDepth: 4 }))]
    expect(shareRight(automatic)).toBeGreaterThan(shareRight(best) - 0.1)
    expect(automatic.reduce((sum, { result }) => sum + result.beliefs!.confidence, 0) / 60).toBeGreaterThan(0.33)
  })

  it('reads a grader by the range that it uses', () => {
    const change = { praise: { right: 0.85, wrong: 0.05 }, judge: { right: 0.8, wrong: 0.1 } }
    const low = { right: 0.2, wrong: 0.8 }
    const shareWith = (graded: (value: number) => number): number =>
      shareRight(seeds(60).map((seed) => solve(seed, { change: { ...change, low }, calls: 60, graded })))
    const wide = shareWith((value) => value)
    for (const graded of [(value: number) => 0.75 + 0.25 * value, (value: number) => 0.29 * value])
      expect(shareWith(graded)).toBeGreaterThan(wide - 0.12)
  })

  it('does not believe in paths where all grades are the same', () => {
    const trials = seeds(30).map((seed) => solve(seed, { calls: 60, graded: () => 0.9 }))
    const mean = trials.reduce((sum, { result }) => sum + result.beliefs!.confidence, 0) / trials.length
    expect(mean).toBeLessThan(shareRight(trials) + 0.1)
  })

  it('leaves paths that a verifier refuses for answers alone, as long as its budget lasts', () => {
    const change = { praise: { right: 0.1, wrong: 0.7 }, good: 0.05, depth: 4, alone: 0.03 }
    const shareOf = (method?: Method): number =>
      shareRight(
        seeds(40).map((seed) => solve(seed, { change, calls: 300, verified: true, ...(method && { method }) })),
      )
    expect(shareOf()).toBeGreaterThan(shareOf(bestOfN({ n: 300 })) - 0.1)
  })

  it('answers alone where its grader tells no siblings apart, as well as the best of n with the same check', () => {
    const change = { depth: 4, good: 0.25, alone: 0.04, judge: { right: 0.8, wrong: 0.1 }, standing: 1 }
    const graded = (value: number, isOutcome: boolean): number => (isOutcome ? value : 0.5)
    const shareOf = (verified: boolean, method?: Method): number =>
      shareRight(
        seeds(80).map((seed) => solve(seed, { change, calls: 50, verified, graded, ...(method && { method }) })),
      )
    expect(shareOf(true)).toBeGreaterThan(shareOf(true, bestOfN({ n: 40 })) - 0.08)
    expect(shareOf(false)).toBeGreaterThan(shareOf(false, bestByReward({ n: 20 })) - 0.08)
  })

  it('stops early where nothing is to gain, and uses a budget where it is not sure', () => {
    const easy = {
      good: 0.7,
      praise: { right: 0.95, wrong: 0 },
      judge: { right: 0.95, wrong: 0 },
      slip: 0.02,
      depth: 2,
      alone: 0.7,
    }
    const calls = (change: Partial<TreeWorldRates>): number =>
      seeds(20).reduce((sum, seed) => sum + solve(seed, { change, calls: 80 }).result.used.calls, 0) / 20
    expect(calls(easy)).toBeLessThan(60)
    expect(calls({ good: 0.15, alone: 0.02, praise: { right: 0.5, wrong: 0.3 } })).toBeGreaterThan(50)
  })

  it('answers from a new end if its budget leaves no call for grades', () => {
    for (const verified of [false, true]) {
      const [from] = solve('few calls', { change: { depth: 1 }, calls: 2, verified }).result.trees[0]!.children
      expect(from!.children.map(({ fate }) => fate)).toEqual(['answer'])
    }
  })

  it('asks again for options where none is praised, before it goes on from one of them', () => {
    const optionsAfter = (praise: number): number => {
      const grades = { low: { right: 0, wrong: 0 }, inherits: 0, praise: { right: praise, wrong: praise } }
      const { trees } = solve('again', { change: { depth: 3, moves: 12, options: 3, ...grades }, calls: 5 }).result
      return trees[0]!.children.filter(({ fate }) => fate !== 'answer').length
    }
    expect(optionsAfter(0)).toBeGreaterThan(3)
    expect(optionsAfter(1)).toBe(3)
  })

  it('dives from the question where wrong steps are praised often, and nothing checks its answers', () => {
    const world = {
      depth: 3,
      moves: 14,
      options: 3,
      good: 0.3,
      standing: 1,
      inherits: 0,
      detect: 0,
      low: { right: 0, wrong: 0.3 },
    }
    const replies = (wrong: number, verified = false): number => {
      const change = { ...world, praise: { right: 0.9, wrong }, judge: { right: 0.8, wrong: 0.1 } }
      let count = 0
      const counted = (proposer: Proposer): Proposer => ({
        propose: (request, context) => {
          if (request.node.depth === 0) count += 1
          return proposer.propose(request, context)
        },
      })
      for (const seed of seeds(12)) solve(seed, { change, calls: 120, verified, around: counted })
      return count / 12
    }
    const often = replies(0.35)
    expect(often).toBeGreaterThan(6)
    expect(replies(0.35, true)).toBeLessThan(4)
    expect(replies(0.02)).toBeLessThan(3)
  })

  it('gives the same tree and the same beliefs from its journal', () => {
    const rates = drawRates('journal')
    const { proposer, grader, answerer } = new TreeWorld('journal', rates)
    const journal = new MemorySearchJournal({ question: 'Which way?' })
    const shape = (method: Method): string => {
      const { trees, beliefs } = searchSync('Which way?', {
        proposer,
        grader,
        answerer,
        method,
        journal,
        budget: { calls: 40 },
      })
      return JSON.stringify([trees, beliefs])
    }
    const first = shape(auto({ maxDepth: rates.depth }))
    expect(shape(auto({ maxDepth: rates.depth }))).toBe(first)
  })

  it('begins with the beliefs of earlier searches', () => {
    const change = { praise: { right: 0.9, wrong: 0.4 }, standing: 1 }
    const prior = seeds(12).map((seed) => solve(seed, { change, calls: 60 }).result.beliefs!)
    const beliefsWith = (method: Method): SearchBeliefs => solve('new', { calls: 1, method }).result.beliefs!
    const [beliefs, without] = [beliefsWith(auto({ prior })), beliefsWith(auto())]
    expect(beliefs.grader.steps.falsePraise).toBeGreaterThan(1.5 * without.grader.steps.falsePraise)
    expect(beliefs.grader.steps.graded).toBe(0)
  })

  it('refuses wrong options', () => {
    expect(() => auto({ prior: [{ confidence: 1 } as never] })).toThrow(/entry 0 of `prior`/)
    expect(() => auto({ width: 0 })).toThrow(/width/)
    expect(() => auto({ minGain: -1 })).toThrow(/minGain/)
    expect(() => auto({ confidence: 0.9 } as never)).toThrow(/confidence/)
  })
})
