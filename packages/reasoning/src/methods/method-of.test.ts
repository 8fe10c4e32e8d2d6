import { describe, expect, it } from 'vitest'
import {
  abMcts,
  auto,
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
  METHOD_NAMES,
  methodOf,
  reflectiveMcts,
  selfConsistency,
  type Method,
} from '../index.ts'

type Config = NonNullable<Parameters<typeof methodOf>[0]>

const stepsOf = (answer: string): string[] => answer.split('. ')
const normalize = (text: string): string => text.trim()

const CASES: readonly (readonly [Config & { readonly method: string }, Method])[] = [
  [
    {
      method: 'beam_search',
      beamSize: 2,
      maxDepth: 3,
      answerApproach: 'best',
      gradeMode: 'per-parent',
      gradeSamples: 2,
    },
    beam({ beamSize: 2, maxDepth: 3, answerApproach: 'best', gradeMode: 'per-parent', gradeSamples: 2 }),
  ],
  [{ method: 'dfs', maxDepth: 7, gradeSamples: 3 }, dfs({ maxDepth: 7, gradeSamples: 3 })],
  [
    { method: 'mcts', nsim: 4, explorationConstant: 2, virtualLoss: true },
    mcts({ nsim: 4, explorationConstant: 2, virtualLoss: true }),
  ],
  [{ method: 'lats', nsim: 4, maxDepth: 2 }, lats({ nsim: 4, maxDepth: 2 })],
  [
    { method: 'best_first', expansions: 9, agree: 2, widen: 1, normalize },
    bestFirst({ expansions: 9, agree: 2, widen: 1, normalize }),
  ],
  [{ method: 'depth_first', pruneAt: 0.3, confirm: 0 }, depthFirst({ pruneAt: 0.3, confirm: 0 })],
  [
    { method: 'auto', maxDepth: 3, width: 2, minGain: 0.01, gradeMode: 'each', normalize },
    auto({ maxDepth: 3, width: 2, minGain: 0.01, gradeMode: 'each', normalize }),
  ],
  [{ method: 'graded_mcts', widenEvery: 2, width: 3 }, gradedMcts({ widenEvery: 2, width: 3 })],
  [
    { method: 'ab_mcts', nsim: 6, maxDepth: 2, width: 2, acceptAt: 0.5, rewardWeight: 3, models: ['a', 'b'] },
    abMcts({ nsim: 6, maxDepth: 2, width: 2, acceptAt: 0.5, rewardWeight: 3, models: ['a', 'b'] }),
  ],
  [
    { method: 'reflective_mcts', nsim: 5, samples: 3, gradeWeight: 0.2, reflections: 1, explorationConstant: 2 },
    reflectiveMcts({ nsim: 5, samples: 3, gradeWeight: 0.2, reflections: 1, explorationConstant: 2 }),
  ],
  [{ method: 'best_of_n', nsim: 8, normalize }, bestOfN({ n: 8, normalize })],
  [
    { method: 'best_by_reward', nsim: 8, rewards: 'process', stepsOf },
    bestByReward({ n: 8, rewards: 'process', stepsOf }),
  ],
  [
    { method: 'self_consistency', nsim: 8, atOnce: 3, confidence: 0.8, normalize },
    selfConsistency({ n: 8, atOnce: 3, confidence: 0.8, normalize }),
  ],
]

describe('methodOf', () => {
  it.each(CASES)('makes the same method as the function of $method', (config, method) => {
    expect(methodOf(config).fingerprint).toBe(method.fingerprint)
    expect(methodOf({ ...config, forestSize: 3, merge: 'vote' }).fingerprint).toBe(
      forest(method, { size: 3, merge: 'vote', normalize: config.normalize }).fingerprint,
    )
    expect(methodOf({ method: config.method as 'dfs' }).fingerprint).not.toBe(method.fingerprint)
  })

  it('knows each name; explicit defaults give the same method', () => {
    expect(CASES.map(([{ method }]) => method).toSorted()).toEqual(METHOD_NAMES.toSorted())
    expect(methodOf({ method: 'ab_mcts', nsim: 20, maxDepth: 4 }).fingerprint).toBe(abMcts().fingerprint)
    expect(methodOf({ method: 'reflective_mcts', samples: 1 }).fingerprint).toBe(reflectiveMcts().fingerprint)
    expect(methodOf({ method: 'self_consistency', nsim: 20 }).fingerprint).toBe(selfConsistency().fingerprint)
    expect(methodOf({ method: 'best_by_reward', rewards: 'outcome' }).fingerprint).toBe(bestByReward().fingerprint)
  })

  it.each<[object, RegExp]>([
    [{ method: 'self_consistency', rewards: 'process' }, /`rewards`; it is an option of `best_by_reward`/],
    [{ method: 'best_of_n', atOnce: 2 }, /`atOnce`; it is an option of `self_consistency`/],
    [{ method: 'ab_mcts', samples: 2 }, /`samples`; it is an option of `reflective_mcts`/],
    [{ method: 'ab_mcts', modles: ['a'] }, /did you mean `models`/],
    [{ method: 'best_by_reward', rewards: 'steps' }, /rewards/],
    [{ method: 'self_consistency', confidence: '95 %' }, /confidence/],
  ])('refuses %j', (config, message) => {
    expect(() => methodOf(config)).toThrow(message)
  })
})
