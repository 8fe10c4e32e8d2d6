import { GPT4, type Calibration } from '../src/index.ts'
import { beam, bestFirst, bestOfN, depthFirst, dfs, forest, gradedMcts, lats, mcts, type Method } from '@x/reasoning'

/** One line of the bench. */
export interface Row {
  readonly name: string
  readonly method: Method
  /** Options per reply: as many as the logged model gave, or four, as the reference's prompt makes it. */
  readonly options: 'logged' | 'four'
  /** Whether answers are checked by arithmetic while searching. */
  readonly verified?: boolean
  /** Share of puzzles solved by GPT-4, as published, in percent. */
  readonly published?: string
}

/** Three steps turn four numbers into one. */
const maxDepth = 3

/** What is measured. */
export const ROWS: readonly Row[] = [
  { name: 'chain of thought', method: bestOfN({ n: 1 }), options: 'logged', published: '4.0' },
  { name: 'self-consistency, 100 chains', method: bestOfN({ n: 100 }), options: 'logged', published: '9.0' },
  {
    name: 'best of 100 chains + verifier',
    method: bestOfN({ n: 100 }),
    options: 'logged',
    verified: true,
    published: '49',
  },
  {
    name: 'beam 1, 3 grades',
    method: beam({ beamSize: 1, maxDepth, gradeSamples: 3 }),
    options: 'logged',
    published: '45',
  },
  {
    name: 'beam 5, 3 grades, best',
    method: beam({ beamSize: 5, maxDepth, gradeSamples: 3, answerApproach: 'best' }),
    options: 'logged',
    published: '62 (74: any of 5)',
  },
  { name: 'best_first, options as logged', method: bestFirst({ maxDepth }), options: 'logged' },
  {
    name: 'best_first, options as logged + verifier',
    method: bestFirst({ maxDepth }),
    options: 'logged',
    verified: true,
  },
  { name: 'beam_search', method: beam({ maxDepth }), options: 'four' },
  { name: 'dfs', method: dfs({ maxDepth }), options: 'four' },
  { name: 'mcts, 3 simulations', method: mcts({ maxDepth }), options: 'four' },
  { name: 'mcts, 30 simulations', method: mcts({ maxDepth, nsim: 30 }), options: 'four' },
  { name: 'mcts, 30 + verifier', method: mcts({ maxDepth, nsim: 30 }), options: 'four', verified: true },
  { name: 'lats, 3 simulations', method: lats({ maxDepth }), options: 'four' },
  { name: 'lats, 10 simulations', method: lats({ maxDepth, nsim: 10 }), options: 'four' },
  { name: 'forest of 5 beams', method: forest(beam({ maxDepth }), { size: 5 }), options: 'four' },
  {
    name: 'beam_search, one grade call per parent',
    method: beam({ maxDepth, gradeMode: 'per-parent' }),
    options: 'four',
  },
  { name: 'best_first', method: bestFirst({ maxDepth }), options: 'four' },
  { name: 'best_first, 2 answers agree', method: bestFirst({ maxDepth, agree: 2 }), options: 'four' },
  { name: 'best_first + verifier', method: bestFirst({ maxDepth }), options: 'four', verified: true },
  {
    name: 'best_first, width 4 + verifier',
    method: bestFirst({ maxDepth, width: 4 }),
    options: 'four',
    verified: true,
  },
  { name: 'depth_first, 2 answers agree', method: depthFirst({ maxDepth, agree: 2 }), options: 'four' },
  { name: 'depth_first + verifier', method: depthFirst({ maxDepth }), options: 'four', verified: true },
  { name: 'graded_mcts', method: gradedMcts({ maxDepth }), options: 'four' },
  { name: 'graded_mcts + verifier', method: gradedMcts({ maxDepth }), options: 'four', verified: true },
]

/** How a model is disturbed. */
export type Noise = Calibration['noise']

/** The calibration of a row under some noise. */
export const calibrationOf = (row: Row, noise: Partial<Noise> = {}): Calibration => ({
  ...GPT4,
  fixedOptions: row.options === 'four' ? 4 : null,
  noise: { ...GPT4.noise, ...noise },
})
