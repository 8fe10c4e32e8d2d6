import {
  abMcts,
  auto,
  beam,
  bestByReward,
  bestFirst,
  bestOfN,
  depthFirst,
  forest,
  gradedMcts,
  type Method,
} from '@x/reasoning'
import { stepsOf } from './rows.ts'

/** The check of answers that a search has: none, so that grades decide, or code that knows a right answer. */
export type Check = 'none' | 'verifier'

export const CHECKS: readonly Check[] = ['none', 'verifier']

/** A method that enters all cells, made as large as a budget of calls allows. */
export interface Contestant {
  readonly name: string
  readonly checks: readonly Check[]
  /** True of the answers of one prompt: what a search has to beat. */
  readonly isBestOfN?: boolean
  /** Returns the method for a number of calls, the same object for numbers at which it is the same; null if it does not fit. */
  readonly at: (calls: number) => Method | null
}

/** The method that is judged. */
export const JUDGED = 'auto'

/** Three steps turn four numbers into one. */
const maxDepth = 3
const expansions = Infinity
const nsim = 1000

/** A beam that grades the children of a parent in one call asks at most for 2 calls at the root, 4 for each path, and an answer. */
const BEAM_CALLS = { fixed: 3, perPath: 4 } as const
const BEAM_PATHS = 3
const WIDE_BEAM_PATHS = 5
const TREE_CALLS = BEAM_CALLS.fixed + BEAM_PATHS * BEAM_CALLS.perPath
const WIDE_TREE_CALLS = BEAM_CALLS.fixed + WIDE_BEAM_PATHS * BEAM_CALLS.perPath
/** About as many as one best-first search makes without false praise, and with it. */
const BEST_FIRST_CALLS = 20
const SHORT_BEST_FIRST_CALLS = 13
/** Calls for a chain and for the grades of its three steps. */
const GRADED_CHAIN_CALLS = 4

const sameAt =
  (method: Method): Contestant['at'] =>
  () =>
    method

/** Makes a method of a size, at least 1, that grows with the budget. */
const sized =
  (sizeAt: (calls: number) => number, make: (size: number) => Method): Contestant['at'] =>
  (calls) => {
    const size = Math.floor(sizeAt(calls))
    return size < 1 ? null : make(size)
  }

const BOTH: readonly Check[] = ['none', 'verifier']
const NONE: readonly Check[] = ['none']

/** More paths would be too many for one answer from all of them. */
const MAX_PATHS = 8
const widestBeam = (calls: number): number => Math.min(MAX_PATHS, (calls - BEAM_CALLS.fixed) / BEAM_CALLS.perPath)
const narrowBeam = beam({ beamSize: BEAM_PATHS, maxDepth, gradeMode: 'per-parent' })
const wideBeam = beam({ beamSize: WIDE_BEAM_PATHS, maxDepth, gradeMode: 'per-parent' })

const METHODS: readonly Contestant[] = [
  { name: 'best_of_n', checks: BOTH, isBestOfN: true, at: sized(Number, (n) => bestOfN({ n })) },
  {
    name: 'best_by_reward',
    checks: NONE,
    isBestOfN: true,
    at: sized(
      (calls) => calls / 2,
      (n) => bestByReward({ n }),
    ),
  },
  {
    name: 'best_by_reward, steps',
    checks: NONE,
    isBestOfN: true,
    at: sized(
      (calls) => calls / GRADED_CHAIN_CALLS,
      (n) => bestByReward({ n, rewards: 'process', stepsOf }),
    ),
  },
  {
    name: 'beam_search',
    checks: BOTH,
    at: sized(widestBeam, (beamSize) => beam({ beamSize, maxDepth, gradeMode: 'per-parent' })),
  },
  {
    name: 'forest of beams',
    checks: BOTH,
    at: sized(
      (calls) => (calls - 1) / TREE_CALLS,
      (size) => forest(narrowBeam, { size }),
    ),
  },
  {
    name: 'forest of wide beams',
    checks: BOTH,
    at: sized(
      (calls) => (calls - 1) / WIDE_TREE_CALLS,
      (size) => forest(wideBeam, { size }),
    ),
  },
  { name: 'best_first', checks: BOTH, at: sameAt(bestFirst({ maxDepth, expansions })) },
  { name: 'best_first, 2 agree', checks: NONE, at: sameAt(bestFirst({ maxDepth, expansions, agree: 2 })) },
  {
    name: 'best_first, 3 agree of 6',
    checks: NONE,
    at: sameAt(bestFirst({ maxDepth, expansions, agree: 3, answers: 6, confirm: 2 })),
  },
  {
    name: 'forest of best_first',
    checks: NONE,
    at: sized(
      (calls) => (calls - 1) / BEST_FIRST_CALLS,
      (size) => forest(bestFirst({ maxDepth }), { size }),
    ),
  },
  {
    name: 'forest of best_first, 2 agree',
    checks: NONE,
    at: sized(
      (calls) => (calls - 1) / SHORT_BEST_FIRST_CALLS,
      (size) => forest(bestFirst({ maxDepth, agree: 2 }), { size }),
    ),
  },
  { name: 'depth_first', checks: ['verifier'], at: sameAt(depthFirst({ maxDepth, expansions })) },
  { name: 'depth_first, 2 agree', checks: NONE, at: sameAt(depthFirst({ maxDepth, expansions, agree: 2 })) },
  { name: 'graded_mcts', checks: BOTH, at: sameAt(gradedMcts({ maxDepth, nsim })) },
  { name: 'ab_mcts', checks: BOTH, at: sameAt(abMcts({ maxDepth, nsim })) },
]

/** All contestants. The judged one plays every budget anew, since it may plan with it. */
export const CONTESTANTS: readonly Contestant[] = [
  ...METHODS,
  { name: JUDGED, checks: BOTH, at: () => auto({ maxDepth }) },
]
