import { describe, expect, it } from 'vitest'
import {
  bestOfN,
  forest,
  gradedMcts,
  lats,
  mcts,
  OpenJobs,
  search,
  searchSync,
  type SearchParts,
  type Strategy,
} from '../index.ts'
import type { SearchJob } from '../strategy/job.ts'
import { Tree } from '../tree/tree.ts'
import { JobQueue } from './job-queue.ts'

const tree = new Tree({ question: 'Q', id: '' })
const job = (id: string, position: number, level: number): SearchJob => ({
  kind: 'answer',
  id,
  position: [position],
  level,
  sample: 0,
  from: [tree.root],
})

const strategyOf = (open: OpenJobs, isCounted: boolean): Strategy => ({
  trees: [tree],
  ask: () => open.list(),
  ...(isCounted && { jobs: open }),
  tell: (told) => void open.close(told),
  answer: null,
  best: () => ({ text: null, node: null, verdict: null, accepted: false }),
})

describe.each([
  ['that tells which jobs are new', true],
  ['that lists its jobs', false],
])('the queue of a strategy %s', (_, isCounted) => {
  const next = (queue: JobQueue): string | undefined => {
    const job = queue.peek()
    if (job) queue.start(job)
    return job?.id
  }

  it.each([
    [true, ['first', 'second', 'third']],
    [false, ['third', 'first', 'second']],
  ])('gives jobs in the serial order, or by level: %s', (isSerial, expected) => {
    const open = new OpenJobs()
    const queue = new JobQueue(strategyOf(open, isCounted))
    queue.isSerial = isSerial
    open.post(job('second', 2, 5))
    open.post(job('third', 3, 1))
    open.post(job('first', 1, 5))
    expect([next(queue), next(queue), next(queue), next(queue)]).toEqual([...expected, undefined])
  })

  it('skips a dropped job, and returns one that was posted again', () => {
    const open = new OpenJobs()
    const queue = new JobQueue(strategyOf(open, isCounted))
    open.post(job('a', 1, 0))
    open.post(job('b', 2, 0))
    expect(queue.peek()?.id).toBe('a')
    open.drop()
    expect(queue.peek()).toBeUndefined()
    open.post(job('b', 3, 0))
    expect([next(queue), next(queue)]).toEqual(['b', undefined])
  })

  it('returns a job again after its call was stopped', () => {
    const open = new OpenJobs()
    const queue = new JobQueue(strategyOf(open, isCounted))
    open.post(job('a', 1, 0))
    open.post(job('b', 2, 0))
    const a = queue.peek()!
    queue.start(a)
    queue.start(queue.peek()!)
    queue.end(a)
    open.close(a)
    queue.requeue()
    expect([next(queue), next(queue)]).toEqual(['b', undefined])
  })
})

const parts: SearchParts = {
  proposer: {
    propose: ({ node }) => ({
      text: '',
      reflection: '',
      options: [{ content: `${node.id}a` }, { content: `${node.id}b` }],
    }),
  },
  grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 0.5, details: 'so' })) }) },
  answerer: { answer: ({ sample }) => ({ text: `${sample}` }) },
}

describe('an endless method', () => {
  const nsim = 1e9
  it.each([
    ['mcts', mcts({ nsim })],
    ['mcts with virtual loss', mcts({ nsim, virtualLoss: true })],
    ['lats', lats({ nsim })],
    ['graded mcts', gradedMcts({ nsim, acceptAt: 2 })],
    ['best of n', bestOfN({ n: nsim })],
    ['forest', forest(mcts({ nsim }), { size: 3, merge: 'vote' })],
  ])('ends with the budget of calls: %s', async (_, method) => {
    const options = { ...parts, method, budget: { calls: 30 } }
    for (const result of [searchSync('Q', options), await search('Q', options)]) {
      expect(result).toMatchObject({ status: 'budget', answer: expect.any(String) })
      // A forest keeps calls in reserve for trees that have no answer.
      expect(result.used.calls).toBeGreaterThan(25)
      expect(result.used.calls).toBeLessThanOrEqual(30)
    }
  })

  it('answers in the reserved time if the first calls hang', async () => {
    let isLate = false
    const timers: { ms: number; call: () => void }[] = []
    const clock = {
      now: () => (isLate ? 8000 : 0),
      after: (ms: number, call: () => void) => (timers.push({ ms, call }), () => {}),
    }
    const answerer = { answer: () => (isLate ? { text: 'in time' } : new Promise<never>(() => {})) }
    const result = search('Q', { ...parts, answerer, clock, method: bestOfN({ n: 3 }), budget: { seconds: 10 } })
    isLate = true
    timers[0]!.call()
    expect(await result).toMatchObject({ answer: 'in time', status: 'budget' })
  })
})
