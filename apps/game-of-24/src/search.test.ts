import type { XEvent } from '@x/interfaces'
import { BareModel, GPT4, questionOf, RoundCounter, StandInClient, verifierOf } from './index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beam,
  bestFirst,
  bestOfN,
  depthFirst,
  dfs,
  forest,
  gradedMcts,
  lats,
  mcts,
  MemorySearchJournal,
  modelParts,
  search,
  searchSync,
  type Method,
  type SearchParts,
} from '@x/reasoning'

const OPTIONS = ['a good step', 'an ok step', 'a weak step', 'a bad step']
const GRADES = [0.9, 0.6, 0.4, 0.1]

/** Parts that always say the same, at the pace of a virtual clock. */
function stub(later: <T>(value: T) => T | Promise<T> = (value) => value): SearchParts {
  return {
    proposer: {
      propose: () => later({ text: '', reflection: 'fine', options: OPTIONS.map((content) => ({ content })) }),
    },
    grader: {
      grade: ({ nodes }) =>
        later({
          grades: nodes.map((node) => ({ value: GRADES[OPTIONS.indexOf(node.content)] ?? 0.5, details: 'said' })),
        }),
    },
    answerer: {
      answer: ({ from }) => later({ text: `from ${from.map((node) => node.id).join(' ')}` }),
      merge: ({ answers }) => later({ text: answers.join(' | ') }),
    },
  }
}

async function counted(method: Method, concurrency: number): Promise<{ calls: number; rounds: number }> {
  const counter = new RoundCounter(new StandInClient())
  const parts = stub((value) => counter.later(value))
  const { used } = await search('What is best?', { ...parts, method, concurrency })
  expect(counter.calls).toBe(used.calls)
  return { calls: used.calls, rounds: counter.rounds }
}

describe('rounds of model calls', () => {
  it.each<[string, Method, number, { calls: number; rounds: number }]>([
    ['beam', beam(), Infinity, { calls: 51, rounds: 9 }],
    ['beam', beam(), 8, { calls: 51, rounds: 12 }],
    ['beam', beam(), 1, { calls: 51, rounds: 51 }],
    ['beam, children graded in one call', beam({ gradeMode: 'per-parent' }), Infinity, { calls: 21, rounds: 9 }],
    ['dfs', dfs(), Infinity, { calls: 21, rounds: 9 }],
    ['forest of 5 beams', forest(beam(), { size: 5 }), Infinity, { calls: 256, rounds: 10 }],
    ['forest of 5 beams', forest(beam(), { size: 5 }), 8, { calls: 256, rounds: 34 }],
    ['mcts', mcts(), Infinity, { calls: 16, rounds: 6 }],
    ['forest of 5 mcts', forest(mcts(), { size: 5 }), Infinity, { calls: 81, rounds: 7 }],
    ['forest of 5 mcts', forest(mcts(), { size: 5 }), 8, { calls: 81, rounds: 12 }],
    ['lats', lats(), Infinity, { calls: 16, rounds: 16 }],
    ['best of 5', bestOfN(), Infinity, { calls: 5, rounds: 1 }],
  ])('%s at concurrency %3$d', async (_, method, concurrency, wanted) => {
    expect(await counted(method, concurrency)).toEqual(wanted)
  })

  it('virtual loss lets simulations choose before rewards are known', async () => {
    const exact = await counted(mcts({ nsim: 20 }), Infinity)
    const loose = await counted(mcts({ nsim: 20, virtualLoss: true }), Infinity)
    expect(loose.rounds).toBeLessThan(exact.rounds)
  })
})

const METHODS: Record<string, Method> = {
  beam: beam({ maxDepth: 3 }),
  'beam with samples': beam({ maxDepth: 3, beamSize: 2, gradeSamples: 3 }),
  'beam per parent': beam({ maxDepth: 3, gradeMode: 'per-parent', answerApproach: 'best' }),
  dfs: dfs({ maxDepth: 4 }),
  mcts: mcts({ maxDepth: 3, nsim: 12 }),
  lats: lats({ maxDepth: 3, nsim: 4 }),
  'best first': bestFirst({ maxDepth: 3 }),
  'best first, wide': bestFirst({ maxDepth: 3, width: 4, agree: 2 }),
  'best first, graded one by one': bestFirst({ maxDepth: 3, gradeMode: 'each', expansions: 6 }),
  'depth first': depthFirst({ maxDepth: 3 }),
  'graded mcts': gradedMcts({ maxDepth: 3, width: 3 }),
  'best of 7': bestOfN({ n: 7 }),
  'forest of beams': forest(beam({ maxDepth: 3, beamSize: 2 }), { size: 3 }),
  'forest of best first': forest(bestFirst({ maxDepth: 3, expansions: 5 }), { size: 2 }),
  'forest of mcts': forest(mcts({ maxDepth: 3 }), { size: 3, merge: 'vote' }),
}

const PUZZLE = '4 5 6 10'
const CALIBRATION = { ...GPT4, fixedOptions: 4, noise: { ...GPT4.noise, style: 0.3 } }

/** Ends calls in an order drawn from a seed, some of them long after the others. */
class Shuffled extends StandInClient {
  readonly #draw: () => number
  #waiting: (() => void)[] = []

  constructor(draw: () => number) {
    super({ calibration: CALIBRATION })
    this.#draw = draw
  }

  async later<T>(value: T): Promise<T> {
    await new Promise<void>((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#pass())
    })
    return value
  }

  #pass(): void {
    const [next] = this.#waiting.splice(Math.floor(this.#draw() * this.#waiting.length), 1)
    next?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#pass())
  }
}

function shuffledParts(seed: number): SearchParts {
  let state = seed
  const client = new Shuffled(() => (state = (state * 16807 + 11) % 2147483647) / 2147483647)
  const parts = modelParts({ model: new BareModel(client) })
  return {
    proposer: { propose: async (request, run) => await client.later(await parts.proposer.propose(request, run)) },
    grader: { grade: async (request, run) => await client.later(await parts.grader.grade(request, run)) },
    answerer: {
      answer: async (request, run) => await client.later(await parts.answerer.answer(request, run)),
      merge: async (request, run) => await client.later(await parts.answerer.merge!(request, run)),
    },
  }
}

const plainParts = (): SearchParts =>
  modelParts({ model: new BareModel(new StandInClient({ calibration: CALIBRATION })) })

describe('the tree does not depend on how it was searched', () => {
  describe.each(Object.entries(METHODS))('%s', (_, method) => {
    const question = questionOf(PUZZLE)
    const serial = searchSync(question, { ...plainParts(), method })
    const wanted = {
      tree: JSON.stringify(serial.trees),
      answer: serial.answer,
      status: serial.status,
      calls: serial.used.calls,
    }

    it('at concurrency 1, 7 and 64, in any order of completion', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(1, 7, 64), fc.integer({ min: 1, max: 1e6 }), async (concurrency, seed) => {
          const { trees, answer, status, used } = await search(question, {
            ...shuffledParts(seed),
            method,
            concurrency,
          })
          expect({ tree: JSON.stringify(trees), answer, status, calls: used.calls }).toEqual(wanted)
        }),
        { numRuns: 9 },
      )
    })

    it('stopped anywhere and resumed from its saved journal', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: wanted.calls }),
          fc.integer({ min: 1, max: 1e6 }),
          async (after, seed) => {
            const first = new MemorySearchJournal({ question })
            const stop = new AbortController()
            let ended = 0
            const emit = ({ type }: XEvent): void => {
              if (type === 'searchJobEnd' && ++ended > after) stop.abort()
            }
            await search(question, { ...shuffledParts(seed), method, journal: first, signal: stop.signal, emit })
            const saved: unknown = JSON.parse(JSON.stringify(first))
            const journal = new MemorySearchJournal({ question, saved })
            const known = journal.size
            let asked = 0
            const { trees, answer, status, used } = await search(question, {
              ...shuffledParts(seed + 1),
              method,
              journal,
              emit: (event) => void (event.type === 'searchJobEnd' && !event.replayed && (asked += 1)),
            })
            expect({ tree: JSON.stringify(trees), answer, status, calls: used.calls }).toEqual(wanted)
            expect(asked).toBe(wanted.calls - known)
          },
        ),
        { numRuns: 6 },
      )
    })
  })

  it.each(Object.entries(METHODS))(
    'a run that hit its budget leaves nothing false to go on from: %s',
    async (_, method) => {
      const question = questionOf(PUZZLE)
      const serial = searchSync(question, { ...plainParts(), method })
      for (const calls of [2, 5, 9, 14]) {
        const cut = new MemorySearchJournal({ question })
        await search(question, { ...shuffledParts(calls), method, journal: cut, budget: { calls } })
        const journal = new MemorySearchJournal({ question, saved: JSON.parse(JSON.stringify(cut)) })
        const { trees, answer } = await search(question, { ...shuffledParts(1), method, journal })
        expect({ answer, tree: JSON.stringify(trees) }).toEqual({
          answer: serial.answer,
          tree: JSON.stringify(serial.trees),
        })
      }
    },
  )

  const verifier = verifierOf(PUZZLE)
  const question = questionOf(PUZZLE)
  const [forests, alone] = [true, false].map((wanted) =>
    Object.entries(METHODS).filter(([name]) => name.startsWith('forest') === wanted),
  ) as [[string, Method][], [string, Method][]]

  it.each(alone)('nor does it with a verifier: %s', async (_, method) => {
    const serial = searchSync(question, { ...plainParts(), method, verifier })
    for (const seed of [1, 2, 3]) {
      const { trees, answer, status } = await search(question, {
        ...shuffledParts(seed),
        method,
        verifier,
        concurrency: 64,
      })
      expect({ answer, status, tree: JSON.stringify(trees) }).toEqual({
        answer: serial.answer,
        status: serial.status,
        tree: JSON.stringify(serial.trees),
      })
    }
  })

  // It stops at the first verified answer of any tree: which that is depends on who is faster.
  it.each(forests)('a verified answer of any tree ends a forest: %s', async (_, method) => {
    const { status, used } = searchSync(question, { ...plainParts(), method, verifier: () => true })
    expect(status).toBe('verified')
    const whole = searchSync(question, { ...plainParts(), method }).used.calls
    expect(used.calls).toBeLessThan(whole)
    for (const seed of [1, 2, 3]) {
      const found = await search(question, { ...shuffledParts(seed), method, verifier: () => true, concurrency: 64 })
      expect(found).toMatchObject({ status: 'verified', verdict: { accepted: true } })
      expect(found.used.calls).toBeLessThanOrEqual(whole)
    }
  })
})

describe('the trees of a forest differ', () => {
  it('because equal questions have different samples', () => {
    const { trees } = searchSync(questionOf(PUZZLE), { ...plainParts(), method: METHODS['forest of beams'] })
    expect(new Set(trees.map((tree) => JSON.stringify(tree))).size).toBe(3)
  })
})
