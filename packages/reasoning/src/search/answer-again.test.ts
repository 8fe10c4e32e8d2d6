import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
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
  search,
  searchSync,
  type Method,
  type SearchParts,
} from '../index.ts'
import type { Clock } from './search-options.ts'

const METHODS: [string, Method][] = [
  ['beam', beam()],
  ['beam with the best path', beam({ answerApproach: 'best' })],
  ['dfs', dfs()],
  ['mcts', mcts()],
  ['lats', lats()],
  ['best first', bestFirst()],
  ['depth first', depthFirst()],
  ['graded mcts', gradedMcts()],
  ['best of n', bestOfN()],
  ['forest', forest(beam(), { size: 3 })],
]

const STEP = 'compute ```python\nprint(6 * 7)\n```'

/** Parts whose answers come from `answer`, by the number of the answering call. */
function partsWith(answer: (call: number) => MaybePromise<string>): SearchParts & { asked: string[] } {
  const asked: string[] = []
  let answers = 0
  const write = (kind: string): MaybePromise<{ text: string }> => {
    asked.push(kind)
    const text = answer(answers++)
    return typeof text === 'string' ? { text } : Promise.resolve(text).then((text) => ({ text }))
  }
  const parts: SearchParts = {
    proposer: {
      propose: () => {
        asked.push('expand')
        return {
          text: '',
          reflection: '',
          options: [STEP, 'guess', 'TERMINATE', 'look'].map((content) => ({ content })),
        }
      },
    },
    grader: {
      grade: ({ nodes }) => {
        asked.push('grade')
        return { grades: nodes.map(() => ({ value: 0.9, details: 'good' })) }
      },
    },
    answerer: { answer: () => write('answer'), merge: () => write('merge') },
  }
  return Object.defineProperty(parts, 'asked', { value: asked }) as SearchParts & { asked: string[] }
}

const down = (): never => {
  throw new XError('model-failed', 'the model is overloaded', { kind: 'overloaded' })
}

describe.each(METHODS)('an answering call that fails: %s', (_, method) => {
  it('once is asked once more', async () => {
    for (const fail of [down, () => '  ']) {
      const parts = partsWith((call) => (call === 0 ? fail() : '42'))
      const result = await search('Q', { ...parts, method })
      expect(result).toMatchObject({ answer: '42', reason: null })
      expect(result.failures).toHaveLength(1)
      expect(result.failures[0]).toMatchObject({ kind: 'answer' })
    }
  })

  it('always leaves no answer, and never a step in its place', async () => {
    for (const fail of [down, () => '']) {
      const result = await search('Q', { ...partsWith(fail), method })
      expect(result).toMatchObject({ answer: null, status: 'exhausted', verdict: null })
      expect(result.reason).toMatch(fail === down ? /overloaded/ : /empty/)
      expect(result.node).not.toBeNull()
    }
  })

  it('is not asked again when the budget is spent', () => {
    for (const calls of [1, 6, 11]) {
      const parts = partsWith(down)
      const result = searchSync('Q', { ...parts, method, budget: { calls } })
      expect(result.answer).toBeNull()
      expect(parts.asked.length).toBeLessThanOrEqual(calls)
    }
    const spent = partsWith(() => {
      throw new XError('budget-exceeded', 'no more money')
    })
    const result = searchSync('Q', { ...spent, method: dfs({ maxDepth: 1 }) })
    expect(result).toMatchObject({ answer: null, status: 'budget' })
    expect(spent.asked.filter((kind) => kind === 'answer')).toHaveLength(1)
  })
})

it('that is too long with all paths together is written from the best one', async () => {
  const parts = partsWith(() => '42')
  const froms: number[] = []
  const answerer: SearchParts['answerer'] = {
    ...parts.answerer,
    answer(request, run) {
      froms.push(request.from.length)
      if (request.from.length > 1) throw new XError('model-failed', 'too long', { kind: 'context-overflow' })
      return parts.answerer.answer(request, run)
    },
  }
  const result = await search('Q', { ...parts, answerer, method: beam({ beamSize: 3, maxDepth: 2 }) })
  expect(froms).toEqual([3, 1])
  expect(result).toMatchObject({ answer: '42', failures: [{ kind: 'answer', errorKind: 'context-overflow' }] })
})

it('is not asked again after an abort', async () => {
  const stop = new AbortController()
  const parts = partsWith(() => {
    stop.abort()
    return down()
  })
  const result = await search('Q', { ...parts, method: dfs({ maxDepth: 1 }), signal: stop.signal })
  expect(result).toMatchObject({ answer: null, status: 'aborted' })
  expect(parts.asked.filter((kind) => kind === 'answer')).toHaveLength(1)
})

it('is asked again in the time reserved for the answer, but not after the deadline', () => {
  let now = 0
  const clock: Clock = { now: () => now, after: () => () => {} }
  const answering = (at: number): SearchParts & { asked: string[] } =>
    partsWith((call) => {
      now = at
      return call === 0 ? down() : '42'
    })
  const late = answering(10_000)
  const method = dfs({ maxDepth: 1 })
  expect(searchSync('Q', { ...late, method, clock, budget: { seconds: 10 } })).toMatchObject({ answer: null })
  expect(late.asked.filter((kind) => kind === 'answer')).toHaveLength(1)
  now = 0
  expect(searchSync('Q', { ...answering(9000), method, clock, budget: { seconds: 10 } })).toMatchObject({
    answer: '42',
  })
})

it('an answer in flight at the end of the search time is asked again in the last fifth', async () => {
  const due: (() => void)[] = []
  let now = 0
  const clock: Clock = {
    now: () => now,
    after(_, call) {
      due.push(call)
      return () => {}
    },
  }
  const parts = partsWith((call) => (call === 0 ? new Promise<never>(() => {}) : '42'))
  const result = search('Q', { ...parts, method: bestOfN({ n: 1 }), clock, budget: { seconds: 10 } })
  await Promise.resolve()
  now = 8000
  due[0]!()
  expect(await result).toMatchObject({ answer: '42' })
})

describe.each(METHODS.filter(([name]) => name !== 'best of n'))('a reply that cannot be read: %s', (_, method) => {
  it('is asked again with a note, and recorded', async () => {
    const parts = partsWith(() => '42')
    const notes: (string | null)[] = []
    const { proposer } = parts
    const refusing: SearchParts['proposer'] = {
      propose(request, run) {
        notes.push(request.repair)
        if (notes.length === 1) return { text: 'I am sorry.', reflection: '', options: [] }
        return proposer.propose(request, run)
      },
    }
    const result = await search('Q', { ...parts, proposer: refusing, method, concurrency: 1 })
    expect(notes.slice(0, 2)).toEqual([null, 'I am sorry.'])
    expect(result.answer).toBe('42')
    expect(result.trees[0]!.children).toHaveLength(4)
    expect(result.failures).toEqual([
      expect.objectContaining({ kind: 'expand', code: 'invalid-result', message: expect.stringContaining('sorry') }),
    ])
  })

  it('is asked again only once, and not at all with `repair: false`', () => {
    for (const [repair, asked] of [
      [undefined, 2],
      [false, 1],
    ] as const) {
      const parts = partsWith(() => '42')
      const notes: (string | null)[] = []
      const grader: SearchParts['grader'] = {
        grade(request) {
          notes.push(request.repair)
          return { grades: request.nodes.map(() => ({ value: null, details: 'hm' })) }
        },
      }
      const result = searchSync('Q', { ...parts, grader, method, repair })
      expect(notes.slice(0, asked)).toEqual(asked === 2 ? [null, 'hm'] : [null])
      expect(notes.filter((note) => note !== null)).toHaveLength(asked === 2 ? notes.length / 2 : 0)
      expect(result.failures.filter(({ kind }) => kind === 'grade')).toHaveLength(notes.length)
    }
  })
})
