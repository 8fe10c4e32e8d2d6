import { GPT4, type Calibration } from '../src/index.ts'
import {
  abMcts,
  beam,
  bestByReward,
  bestFirst,
  bestOfN,
  depthFirst,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  reflectiveMcts,
  selfConsistency,
  type Method,
} from '@x/reasoning'

/** One line of the bench. */
export interface Row {
  readonly name: string
  readonly method: Method
  /** Options per reply: as many as the logged model gave, or four, as the thinker's prompt asks. */
  readonly options: 'logged' | 'four'
  /** True if a verifier checks answers during the search. */
  readonly verified?: boolean
  /** Spread of the fixed preferences in proposals; default: that of the calibration. */
  readonly proposalSpread?: number
  /** Names of the models among which the method chooses, each with the share of good moves that it overlooks. */
  readonly models?: Readonly<Record<string, number>>
  /** Share of puzzles solved by GPT-4, as published, in percent. */
  readonly published?: string
}

/** Three steps turn four numbers into one. */
const maxDepth = 3

/** The rows of the bench. */
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
  { name: 'ab_mcts', method: abMcts({ maxDepth }), options: 'four' },
  { name: 'ab_mcts + verifier', method: abMcts({ maxDepth }), options: 'four', verified: true },
  {
    name: 'ab_mcts of a good and a bad model + verifier',
    method: abMcts({ maxDepth, models: ['good', 'bad'] }),
    options: 'four',
    verified: true,
    models: { good: 0, bad: 0.8 },
  },
  { name: 'reflective_mcts', method: reflectiveMcts({ maxDepth }), options: 'four' },
  { name: 'reflective_mcts + verifier', method: reflectiveMcts({ maxDepth }), options: 'four', verified: true },
  { name: 'self-consistency, at most 100 chains', method: selfConsistency({ n: 100 }), options: 'logged' },
  { name: 'best of 20 chains by their grade', method: bestByReward({ n: 20 }), options: 'logged' },
  {
    name: 'best of 20 chains by the grades of their steps',
    method: bestByReward({ n: 20, rewards: 'process', stepsOf }),
    options: 'logged',
  },
  ...[
    { name: 'best_first', method: bestFirst({ maxDepth }) },
    { name: 'forest of 5 beams', method: forest(beam({ maxDepth }), { size: 5 }) },
    { name: 'beam_search', method: beam({ maxDepth }) },
    { name: 'graded_mcts', method: gradedMcts({ maxDepth }) },
    { name: 'best_first + verifier', method: bestFirst({ maxDepth }), verified: true },
  ].map((row) => ({ ...row, name: `${row.name}, proposals repeat`, options: 'four' as const, proposalSpread: 2 })),
]

/** The steps of a chain of thought, without the answer below them. */
export function stepsOf(answer: string): string[] {
  return answer.split('\n').filter((line) => line.includes('(left:'))
}

/** Disturbances of a model. */
export interface Noise {
  /** Shares of replies in odd styles, of grades by chance, and of good moves that the thinker does not see. */
  readonly style: number
  readonly grade: number
  readonly proposal: number
  /** Spread of the preferences that repeat themselves in proposals: with 0.3 nearly every sample is another, with 4 few are. */
  readonly spread: number
}

/** The calibration of a row under some noise. */
export const calibrationOf = (row: Row, noise: Partial<Noise> = {}): Calibration => ({
  ...GPT4,
  fixedOptions: row.options === 'four' ? 4 : null,
  spread: { ...GPT4.spread, proposal: noise.spread ?? row.proposalSpread ?? GPT4.spread.proposal },
  noise: {
    style: noise.style ?? GPT4.noise.style,
    grade: noise.grade ?? GPT4.noise.grade,
    proposal: noise.proposal ?? GPT4.noise.proposal,
  },
})
