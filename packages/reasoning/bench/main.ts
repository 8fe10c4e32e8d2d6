/**
 * Measures the processor time of a search per call, with synchronous parts, at about 1,000 and about 10,000 calls after a
 * warm-up. A cost that grows faster than the search shows as a factor above 1.
 *
 *   pnpm bench reasoning [-- method ...]
 */
import {
  abMcts,
  beam,
  bestFirst,
  bestOfN,
  depthFirst,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  reflectiveMcts,
  search,
  searchSync,
  seededRandom,
  selfConsistency,
  type Method,
  type SearchParts,
} from '../src/index.ts'

const random = seededRandom(1)
let optionCount = 0

/**
 * Makes synchronous parts whose time does not depend on the depth of a node; a repeated question gets other options. Grades
 * are ten ratings, as from a model, so that many nodes are equally good.
 */
const partsWith = (options: number): SearchParts => ({
  proposer: {
    propose: () => ({
      text: '',
      reflection: '',
      options: Array.from({ length: options }, () => ({ content: `step ${(optionCount += 1)}` })),
    }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({ value: Math.floor(10 * random(content)) / 9, details: '-' })),
    }),
  },
  answerer: {
    answer: ({ sample }) => ({ text: `answer ${sample}` }),
    merge: ({ answers }) => ({ text: answers[0]! }),
  },
})

/** The methods by name, so large that a budget of calls ends them. */
const METHODS_BY_NAME: Readonly<Record<string, (calls: number) => Method>> = {
  beam: (calls) => beam({ beamSize: calls / 10, maxDepth: 9 }),
  'beam, per parent': (calls) => beam({ beamSize: calls / 10, maxDepth: 9, gradeMode: 'per-parent' }),
  dfs: (calls) => dfs({ maxDepth: calls }),
  mcts: () => mcts({ nsim: 1e9 }),
  'mcts, virtual loss': () => mcts({ nsim: 1e9, virtualLoss: true }),
  lats: () => lats({ nsim: 1e9 }),
  best_first: () => bestFirst({ expansions: 1e9, maxDepth: 9, acceptAt: 2 }),
  'best_first, width 64': () => bestFirst({ expansions: 1e9, maxDepth: 9, acceptAt: 2, width: 64, gradeMode: 'each' }),
  depth_first: () => depthFirst({ expansions: 1e9, maxDepth: 9, acceptAt: 2, pruneAt: -1 }),
  graded_mcts: () => gradedMcts({ nsim: 1e9, acceptAt: 2 }),
  ab_mcts: () => abMcts({ nsim: 1e9, acceptAt: 2 }),
  reflective_mcts: () => reflectiveMcts({ nsim: 1e9, acceptAt: 2, maxDepth: 7 }),
  best_of_n: () => bestOfN({ n: 1e9 }),
  'self-consistency': () => selfConsistency({ n: 1e9, confidence: 2 }),
  'forest of 5 mcts': () => forest(mcts({ nsim: 1e9 }), { size: 5 }),
}

/** Measures the microseconds of processor time per call, over several searches. */
async function measure(method: Method, calls: number, repeat: number, isSync: boolean): Promise<number> {
  const start = process.cpuUsage()
  let callCount = 0
  for (let i = 0; i < repeat; i++) {
    const options = { ...partsWith(4), method, budget: { calls } }
    const { used } = isSync ? searchSync('Q', options) : await search('Q', options)
    callCount += used.calls
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / callCount
}

const names = process.argv.slice(2)
console.log('microseconds of processor time per call  1,000 calls  10,000 calls  factor')
for (const isSync of [false, true]) {
  for (const [name, make] of Object.entries(METHODS_BY_NAME)) {
    if (names.length > 0 && !names.includes(name)) continue
    await measure(make(1000), 1000, 10, isSync)
    await measure(make(10_000), 10_000, 1, isSync)
    const few = await measure(make(1000), 1000, 40, isSync)
    const many = await measure(make(10_000), 10_000, 4, isSync)
    const cells = [few.toFixed(1).padStart(11), many.toFixed(1).padStart(12), (many / few).toFixed(2).padStart(7)]
    console.log(`${name}${isSync ? ', blocking' : ''}`.padEnd(40), ...cells)
  }
}
