import { defineChat, type DefinedChat } from '@x/host'
import {
  abMcts,
  beam,
  bestFirst,
  bestOfN,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  performJob,
  reflectiveMcts,
  search,
  seededRandom,
  type Method,
  type SearchParts,
} from '@x/reasoning'

type PerformingParts = Parameters<typeof performJob>[1]
type PerformJob = NonNullable<SearchParts['perform']>

/** Methods by name, with small settings for tests. */
export const METHODS: Readonly<Record<string, () => Method>> = {
  beam: () => beam({ beamSize: 3, maxDepth: 3 }),
  dfs: () => dfs({ maxDepth: 3 }),
  mcts: () => mcts({ nsim: 5, maxDepth: 3 }),
  lats: () => lats({ nsim: 4, maxDepth: 3 }),
  'best first': () => bestFirst({ expansions: 6, maxDepth: 3, acceptAt: 2 }),
  'graded mcts': () => gradedMcts({ nsim: 6, acceptAt: 2, maxDepth: 3 }),
  'ab mcts': () => abMcts({ nsim: 8, maxDepth: 2, acceptAt: 2 }),
  'reflective mcts': () => reflectiveMcts({ nsim: 3, maxDepth: 2, acceptAt: 2 }),
  'best of n': () => bestOfN({ n: 5 }),
  forest: () => forest(beam({ beamSize: 2, maxDepth: 2 }), { size: 5 }),
}

/** Options of {@link randomParts}. */
export interface RandomPartsOptions {
  readonly seed: number
  /** Milliseconds of a call; default 0. */
  readonly ms?: number | undefined
  /** Called for every call. */
  readonly onCall?: ((key: string) => void) | undefined
}

/** Parts that propose, grade and answer by random numbers, which depend on the seed and on everything that leads to a node. */
export function randomParts({ seed, ms = 0, onCall }: RandomPartsOptions): PerformingParts {
  const random = seededRandom(seed)
  const used = { calls: 1, promptTokens: 70, completionTokens: 30, cost: 0.25, model: 'm' }
  const after = async <T>(key: string, value: T): Promise<T> => {
    onCall?.(key)
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
    return value
  }
  return {
    proposer: {
      async propose({ node, context, sample }) {
        const text = `${node.id}${node.trajectory}${context}${sample}`
        const options = Array.from({ length: 2 + Math.floor(random(text) * 3) }, (_, i) => {
          const number = random(`${text}${i}`)
          return { content: number < 0.1 ? 'TERMINATE' : `step ${Math.floor(number * 1e6)}` }
        })
        return await after(`expand ${text}`, { text, reflection: `on ${node.id}`, options, used })
      },
    },
    grader: {
      async grade({ nodes, isOutcome, context, sample }) {
        const texts = nodes.map((node) => `${node.id}${node.trajectory}${isOutcome}${context}${sample}`)
        const grades = texts.map((text) => ({ value: random(text), details: `Rating ${random(text)}` }))
        return await after(`grade ${texts.join('')}`, { grades, used })
      },
    },
    answerer: {
      async answer({ from, sample }) {
        const text = `${from.map((node) => node.steps).join('\n')}${sample}`
        return await after(`answer ${text}`, { text: `answer ${Math.floor(random(text) * 9)}`, used })
      },
      merge: async ({ question, answers, sample }) =>
        await after(`merge ${answers.join(' ')}${sample}`, { text: `${question}: ${answers.join(', ')}`, used }),
    },
  }
}

/** Input of a chat that searches. */
export interface SearchInput {
  readonly method: string
  readonly seed: number
}

/** Runs a search; returns the answer, status, trees and usage as JSON. */
export async function searchTrees({ method, seed }: SearchInput, options: SearchTreesOptions): Promise<string> {
  const { parts = randomParts({ seed }), run, perform } = options
  const result = await search('What is it?', { ...parts, method: METHODS[method]!(), run, perform })
  const { answer, status, trees, used } = result
  return JSON.stringify([answer, status, trees, used])
}

/** Options of {@link searchTrees}. */
export interface SearchTreesOptions {
  readonly parts?: PerformingParts | undefined
  readonly perform?: PerformJob | undefined
  readonly run?: Parameters<PerformJob>[2] | undefined
}

/** Returns the programs of a hosted search: one that searches, and one that runs its jobs, `concurrency` at once in each worker. */
export function searchChats(
  partsOf: (seed: number) => PerformingParts,
  concurrency: number = 16,
): readonly [solve: DefinedChat<Record<string, unknown>>, think: DefinedChat<Record<string, unknown>>] {
  const think = defineChat({
    name: 'think',
    version: '1',
    concurrency,
    keeps: 'value',
    run: async ({ input, run }) => await performJob(input['request'], partsOf(Number(input['seed'])), run),
  })
  const solve = defineChat({
    name: 'solve',
    version: '1',
    async run({ input, run, perform }) {
      const { method, seed } = input as unknown as SearchInput
      const parts = partsOf(seed)
      const performHosted: PerformJob = (_, request, { signal }) => perform(think, { seed, request }, { signal })
      return await searchTrees({ method, seed }, { parts, run, perform: performHosted })
    },
  })
  return [solve, think]
}
