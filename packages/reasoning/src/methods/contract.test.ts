import { searchMethodContract } from '@x/testing'
import { describe, expect, test } from 'vitest'
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
  search,
  searchSync,
  selfConsistency,
  type Method,
} from '../index.ts'

const METHODS: Readonly<Record<string, Method>> = {
  ...Object.fromEntries(
    METHOD_NAMES.map((method) => [
      method,
      methodOf({ method, maxDepth: 3, ...(method === 'auto' && { minGain: 0.02 }) }),
    ]),
  ),
  'auto, wide, grades each': auto({ maxDepth: 2, width: 3, gradeMode: 'each' }),
  'beam, best': beam({ beamSize: 2, maxDepth: 3, answerApproach: 'best' }),
  'beam, one grading per parent, twice': beam({ maxDepth: 2, gradeMode: 'per-parent', gradeSamples: 2 }),
  'dfs, deep': dfs({ maxDepth: 6 }),
  'best first, wide, answers agree': bestFirst({ maxDepth: 3, width: 3, agree: 2 }),
  'best first, grades each': bestFirst({ maxDepth: 2, gradeMode: 'each', confirm: 2 }),
  'depth first, prunes': depthFirst({ maxDepth: 3, pruneAt: 0.4 }),
  'mcts, many': mcts({ maxDepth: 2, nsim: 8 }),
  'lats, many': lats({ maxDepth: 2, nsim: 5 }),
  'graded mcts, wide': gradedMcts({ maxDepth: 3, nsim: 8, width: 3, widenEvery: 2 }),
  'ab-mcts, wide': abMcts({ maxDepth: 2, nsim: 8, width: 3, acceptAt: 2 }),
  'reflective mcts, samples': reflectiveMcts({ maxDepth: 2, nsim: 4, samples: 2, acceptAt: 2 }),
  'best of 4': bestOfN({ n: 4 }),
  'best by process': bestByReward({ n: 3, rewards: 'process' }),
  'self-consistency, one at a time': selfConsistency({ n: 6, atOnce: 1 }),
  'forest of beams': forest(beam({ maxDepth: 2 }), { size: 3 }),
  'forest that votes': forest(bestOfN({ n: 2 }), { size: 3, merge: 'vote' }),
  'forest of forests': forest(forest(dfs({ maxDepth: 2 }), { size: 2 }), { size: 2 }),
}

for (const [name, method] of Object.entries(METHODS)) {
  searchMethodContract({ describe, test, expect }, { name, method, search, searchSync })
}
