import type { MaybePromise } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import {
  abMcts,
  bestByReward,
  bestFirst,
  bestOfN,
  depthFirst,
  forest,
  gradedMcts,
  mcts,
  proposerByModel,
  reflectiveMcts,
  search,
  searchMethod,
  searchSync,
  seededRandom,
  selfConsistency,
  type Method,
  type SearchParts,
  type SearchResult,
} from '../index.ts'
import type { Proposer } from '../search/parts.ts'

/** Parts that grade a step by its last digit and answer with the steps. */
const parts: SearchParts = {
  proposer: {
    propose: ({ node, sample }) => ({
      text: '',
      reflection: `after ${node.content}`,
      options: [3, 7, 5].map((digit) => ({ content: `${node.depth}-${sample}-${digit}` })),
    }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({ value: Number(content.at(-1)) / 10, details: `on ${content}` })),
    }),
  },
  answerer: { answer: ({ from, sample }) => ({ text: `${from[0]!.steps} by ${sample % 10}` }) },
}

const answersOf = (texts: readonly string[]): SearchParts => ({
  ...parts,
  answerer: { answer: ({ sample }) => ({ text: texts[sample % texts.length]! }) },
})

const shapeOf = ({ answer, status, trees }: SearchResult): unknown => [
  answer,
  status,
  trees.map((root) => root.toDict()),
]

const METHODS: [string, Method][] = [
  ['ab_mcts', abMcts({ nsim: 12, maxDepth: 2, acceptAt: 2 })],
  ['ab_mcts, width 4', abMcts({ nsim: 12, maxDepth: 2, acceptAt: 2, width: 4 })],
  ['reflective_mcts', reflectiveMcts({ nsim: 4, maxDepth: 2, acceptAt: 2, samples: 2 })],
  ['self-consistency', selfConsistency({ n: 9 })],
  ['best by outcome', bestByReward({ n: 4 })],
  ['best by process', bestByReward({ n: 4, rewards: 'process' })],
]

describe('answers that a verifier refuses', () => {
  const refusing: [string, Method][] = [
    ...METHODS.filter(([name]) => !name.startsWith('ab_mcts')),
    ['ab_mcts', abMcts({ nsim: 40, maxDepth: 1 })],
    ['best first', bestFirst({ maxDepth: 1 })],
    ['depth first', depthFirst({ maxDepth: 1 })],
    ['best of n', bestOfN({ n: 6 })],
    ['forest', forest(bestOfN({ n: 2 }), { size: 3, merge: 'vote' })],
    ['mcts', mcts({ nsim: 6, maxDepth: 1 })],
    ['graded mcts', gradedMcts({ nsim: 8, maxDepth: 1 })],
  ]
  const scores: Readonly<Record<string, number>> = { low: 0.1, middling: 0.5, high: 0.9, other: 0.9 }
  const scoring = (text: string) => ({ accepted: false, score: scores[text]! })

  it.each(refusing)('are chosen by their score, whatever the votes and grades say: %s', (_, method) => {
    let asked = 0
    const texts = ['low', 'low', 'high', 'middling', 'low', 'low']
    const answerer = { answer: () => ({ text: texts[asked++ % texts.length]! }) }
    const result = searchSync('Q', { ...parts, answerer, method, verifier: scoring })
    expect(asked).toBeGreaterThan(2)
    expect(result).toMatchObject({ answer: 'high', status: 'exhausted', verdict: { score: 0.9 } })
  })

  it('are chosen by votes among equals, and no merged answer replaces a better one', () => {
    const equal = answersOf(['low', 'other', 'high', 'high', 'low', 'low'])
    for (const method of [bestOfN({ n: 6 }), selfConsistency({ n: 6 })])
      expect(searchSync('Q', { ...equal, method, verifier: scoring }).answer).toBe('high')
    const merge = (): { text: string } => ({ text: 'middling' })
    const merging = { ...equal, answerer: { ...equal.answerer, merge }, method: forest(bestOfN({ n: 2 }), { size: 3 }) }
    expect(searchSync('Q', { ...merging, verifier: scoring })).toMatchObject({ verdict: { score: 0.9 } })
    expect(searchSync('Q', { ...merging, verifier: () => false })).toMatchObject({ answer: 'middling' })
  })
})

describe.each(METHODS)('%s', (_, method) => {
  it('gives one tree whatever the order and the concurrency', async () => {
    const expected = shapeOf(searchSync('Q', { ...parts, method }))
    for (const concurrency of [1, 3, 64]) {
      const later = async <T>(value: MaybePromise<T>, turns: number): Promise<T> => {
        for (let i = 0; i < turns; i++) await Promise.resolve()
        return await value
      }
      const slow: SearchParts = {
        proposer: { propose: (request, run) => later(parts.proposer.propose(request, run), (7 * request.sample) % 5) },
        grader: { grade: (request, run) => later(parts.grader.grade(request, run), request.nodes[0]!.id.length % 4) },
        answerer: { answer: (request, run) => later(parts.answerer.answer(request, run), (3 * request.sample) % 7) },
      }
      expect(shapeOf(await search('Q', { ...slow, method, concurrency }))).toEqual(expected)
    }
  })

  it.each([1, 2, 5])('keeps to a budget of %i calls and still answers', (calls) => {
    const result = searchSync('Q', { ...parts, method, budget: { calls } })
    expect(result.answer).toMatch(/by \d$/)
    expect(result.used.calls).toBeLessThanOrEqual(calls)
  })

  it('ends with the answer that the verifier accepts', () => {
    const verifier = (answer: string): boolean => answer.includes('by 1')
    const { status, answer } = searchSync('Q', { ...parts, method, verifier })
    if (status === 'verified') expect(answer).toContain('by 1')
    else expect(status).toBe('exhausted')
  })

  it('survives calls that fail', () => {
    let asked = 0
    const fails = (): never => {
      throw new Error('no answer today')
    }
    const proposer: Proposer = {
      propose: (request, run) => (asked++ % 2 ? parts.proposer.propose(request, run) : fails()),
    }
    const grader = { grade: fails }
    const { answer } = searchSync('Q', { ...parts, proposer, grader, method })
    expect(answer).toMatch(/by \d$/)
  })
})

describe('selfConsistency', () => {
  it('stops once the vote is decided', () => {
    const all = searchSync('Q', { ...answersOf(['7']), method: selfConsistency({ n: 40, atOnce: 2 }) })
    expect(all).toMatchObject({ answer: '7', used: { calls: 4 } })
    const split = searchSync('Q', { ...answersOf(['7', '8']), method: selfConsistency({ n: 10, atOnce: 2 }) })
    expect(split).toMatchObject({ answer: '7', used: { calls: 10 } })
  })

  it('asks on until it is certain with a confidence of 1, however many answers agree', () => {
    const method = selfConsistency({ n: 200, atOnce: 1, confidence: 1 })
    expect(searchSync('Q', { ...answersOf(['1']), method }).used.calls).toBe(101)
  })

  it('asks until no other answer can win if it has to be certain', () => {
    const method = selfConsistency({ n: 10, atOnce: 1, confidence: 1 })
    expect(searchSync('Q', { ...answersOf(['7']), method }).used.calls).toBe(6)
  })

  it('answers with the majority so far after a budget', () => {
    const method = selfConsistency({ n: 40, atOnce: 1 })
    const { answer } = searchSync('Q', { ...answersOf(['6', '7', '7', '8']), method, budget: { calls: 4 } })
    expect(answer).toBe('7')
  })
})

describe('bestByReward', () => {
  it('returns the answer with the best grade', () => {
    const result = searchSync('Q', { ...answersOf(['is 3', 'is 8', 'is 5']), method: bestByReward({ n: 3 }) })
    expect(result).toMatchObject({ answer: 'is 8', used: { calls: 6 } })
  })

  it('returns the answer with the best worst step', () => {
    const texts = ['first 9\nsecond 9\nthird 1', 'first 6\nsecond 7', 'first 5\nsecond 9']
    const result = searchSync('Q', { ...answersOf(texts), method: bestByReward({ n: 3, rewards: 'process' }) })
    expect(result.answer).toBe(texts[1])
    expect(result.node).toMatchObject({ grade: 0.6, ratingDetails: 'the lowest grade of a step: first 6' })
  })
})

describe('abMcts', () => {
  it('goes wider where further options are better, and deeper where the first are', () => {
    const widthFor = (first: number, further: number, seed: number): number => {
      const proposer: Proposer = {
        propose: ({ node, sample }) => {
          const digit = node.parent ? node.content.at(-1)! : sample === 0 ? first : further
          return { text: '', reflection: '', options: [{ content: `${node.id} ${sample} ${digit}` }] }
        },
      }
      const verifier = (answer: string): number => Number(/(\d) by/.exec(answer)![1]) / 10
      const { trees } = searchSync('Q', {
        ...parts,
        proposer,
        verifier,
        random: seededRandom(seed),
        method: abMcts({ nsim: 40, maxDepth: 3, rewardWeight: 1 }),
      })
      return trees[0]!.children.length
    }
    const sum = (first: number, further: number): number =>
      Array.from({ length: 20 }, (_, seed) => widthFor(first, further, seed)).reduce((a, b) => a + b)
    expect(sum(1, 8)).toBeGreaterThan(1.4 * sum(8, 1))
  })

  it('asks the model with better options more often', () => {
    const asked: Record<string, number> = { good: 0, bad: 0 }
    const proposerOf = (name: string, digit: number): Proposer => ({
      propose: ({ node, sample }) => {
        asked[name]! += 1
        return { text: '', reflection: '', options: [{ content: `${node.id} ${sample} ${digit}` }] }
      },
    })
    const proposer = proposerByModel({ good: proposerOf('good', 8), bad: proposerOf('bad', 1) })
    const method = abMcts({ nsim: 40, maxDepth: 3, models: ['good', 'bad'] })
    searchSync('Q', { ...parts, proposer, verifier: () => false, method })
    expect(asked['good']).toBeGreaterThan(2 * asked['bad']!)
    expect(asked['bad']).toBeGreaterThan(0)
  })
})

describe('proposerByModel', () => {
  const { proposer } = parts
  it('asks the first proposer by default, and fails the job of an unknown name', () => {
    expect(searchSync('Q', { ...parts, proposer: proposerByModel({ one: proposer }) }).status).toBe('accepted')
    const method = abMcts({ nsim: 1, models: ['two'] })
    const { failures } = searchSync('Q', { ...parts, proposer: proposerByModel({ one: proposer }), method })
    expect(failures[0]).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('`two`') })
    expect(() => proposerByModel({})).toThrow('without proposers')
    expect(() => proposerByModel({ one: proposer, two: {} as Proposer })).toThrow('`two` is not a proposer')
  })
})

describe('reflectiveMcts', () => {
  it('shows later attempts the reflections on failed ones, up to the maximum', () => {
    const contexts: (string | null)[] = []
    const proposer: Proposer = {
      propose: (request, run) => {
        contexts.push(request.context)
        return parts.proposer.propose(request, run)
      },
    }
    const verifier = (): { accepted: boolean; reason: string } => ({ accepted: false, reason: 'test 3 failed' })
    const method = reflectiveMcts({ nsim: 4, maxDepth: 1, reflections: 2 })
    const { trees } = searchSync('Q', { ...parts, proposer, verifier, method })
    expect(contexts[0]).toBeNull()
    expect(contexts[1]).toBe('The answer of this attempt was rated 0.00: test 3 failed')
    // Three options, of which each failed once: there is nothing left.
    expect([...trees[0]!.walk()].filter(({ fate }) => fate === 'answer')).toHaveLength(3)
  })

  it('follows the best value', () => {
    const { node } = searchSync('Q', { ...parts, method: reflectiveMcts({ nsim: 1, maxDepth: 2 }) })
    expect(node!.steps).toMatch(/^Step 1: 0-0-7\nStep 2: 1-0-7\n/)
  })

  it('counts how often the samples proposed an option', () => {
    const lists = [['a 5', 'b 5'], ['b 5', 'c 5'], ['b 5']]
    const proposer: Proposer = {
      propose: ({ sample }) => ({ text: '', reflection: '', options: lists[sample]!.map((content) => ({ content })) }),
    }
    const method = reflectiveMcts({ nsim: 1, maxDepth: 1, samples: 3 })
    expect(searchSync('Q', { ...parts, proposer, method }).node!.parent!.content).toBe('b 5')
  })
})

it.each<[string, readonly string[][], number]>([
  ['twice in one reply', [['a 5', 'a 5', 'b 5'], ['c 5']], 1],
  [
    'in two replies',
    [
      ['a 5', 'b 5'],
      ['a 5', 'c 5'],
    ],
    2,
  ],
])('an option that is proposed %s is counted by replies', (_, lists, times) => {
  const proposer: Proposer = {
    propose: ({ sample }) => ({ text: '', reflection: '', options: lists[sample]!.map((content) => ({ content })) }),
  }
  const counts: number[] = []
  const method = searchMethod(function* (search) {
    const [options] = yield* search.expand([search.root, search.root])
    counts.push(search.timesProposed(options![0]!))
  })
  searchSync('Q', { ...parts, proposer, method })
  expect(counts).toEqual([times])
})

describe('searchMethod', () => {
  it('asks for an answer if the method returns none', () => {
    const method = searchMethod(function* (search) {
      yield* search.expand([search.root])
    })
    expect(searchSync('Q', { ...parts, method })).toMatchObject({ status: 'accepted', used: { calls: 2 } })
  })

  it('runs parts side by side, in one wave each round', () => {
    const waves: number[] = []
    const method = searchMethod(function* (search) {
      const [options] = yield* search.expand([search.root])
      const answers = yield* search.together(
        options!.map(function* (option, i) {
          for (let depth = 0; depth < i; depth++) yield* search.grade([option])
          return (yield* search.answer([option]))[0]
        }),
      )
      waves.push(answers.length)
      return answers[1]
    })
    const { answer } = searchSync('Q', { ...parts, method })
    expect(answer).toContain('0-0-7')
    expect(waves).toEqual([3])
  })
})
