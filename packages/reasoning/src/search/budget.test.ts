import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  beam,
  bestFirst,
  bestOfN,
  depthFirst,
  forest,
  gradedMcts,
  lats,
  mcts,
  MemorySearchJournal,
  search,
  searchSync,
  type Method,
  type SearchParts,
} from '../index.ts'
import type { Clock } from './search-options.ts'

const OPTIONS = ['one', 'two', 'three', 'four']
const used = { calls: 1, promptTokens: 80, completionTokens: 20, cost: 0.01 }

function stub(): SearchParts & { calls: () => number } {
  let calls = 0
  const one = <T>(made: T): T => {
    calls += 1
    return { ...made, used }
  }
  const parts: SearchParts = {
    proposer: { propose: () => one({ text: '', reflection: '', options: OPTIONS.map((content) => ({ content })) }) },
    grader: { grade: ({ nodes }) => one({ grades: nodes.map(() => ({ value: 0.5, details: 'so' })) }) },
    answerer: { answer: () => one({ text: '42' }), merge: () => one({ text: 'all 42' }) },
  }
  // The count is no option: a spread leaves it out.
  return Object.defineProperty(parts, 'calls', { value: () => calls }) as SearchParts & { calls: () => number }
}

const METHODS: [string, Method, number][] = [
  ['beam', beam(), 1],
  ['mcts', mcts({ nsim: 10 }), 1],
  ['lats', lats(), 1],
  ['best first', bestFirst(), 1],
  ['depth first', depthFirst(), 1],
  ['graded mcts', gradedMcts(), 1],
  ['best of 9', bestOfN({ n: 9 }), 1],
  ['forest', forest(beam(), { size: 3 }), 4],
]

describe('a budget of calls', () => {
  it.each(METHODS)('%s keeps it to the call and still answers', async (_, method, least) => {
    for (const concurrency of [1, 5, 64]) {
      for (const calls of [least, 5, 8, 13]) {
        const parts = stub()
        const result = await search('Q', { ...parts, method, concurrency, budget: { calls } })
        expect(parts.calls()).toBeLessThanOrEqual(calls)
        expect(result.used.calls).toBe(parts.calls())
        expect(result.answer).toContain('42')
      }
    }
  })

  it('is kept by a level of many jobs with synchronous parts', async () => {
    const parts = stub()
    const options = Array.from({ length: 70 }, (_, i) => ({ content: `option ${i}` }))
    const { propose } = parts.proposer
    const proposer: SearchParts['proposer'] = {
      propose: (...asked) => ({ ...(propose(...asked) as object), text: '', reflection: '', options }),
    }
    const result = await search('Q', { ...parts, proposer, budget: { calls: 40 } })
    expect(parts.calls()).toBe(40)
    expect(result).toMatchObject({ answer: '42', status: 'budget' })
  })

  it.each([...METHODS, ['forest by vote', forest(beam(), { size: 3, merge: 'vote' }), 3] as const])(
    'that was used up is not exceeded from a journal, and gives the same result without a call: %s',
    async (_, method) => {
      for (const calls of [5, 17, 30]) {
        let file = ''
        const append = (line: string): void => void (file += line)
        const { grader, answerer, proposer } = stub()
        // Trees of several sizes.
        const propose: SearchParts['proposer']['propose'] = async (request, run) => {
          const proposal = await proposer.propose(request, run)
          return { ...proposal, options: proposal.options.slice(0, 1 + (request.sample % 3)) }
        }
        const asked = { grader, answerer, proposer: { propose }, method, budget: { calls } }
        const first = await search('Q', { ...asked, journal: new MemorySearchJournal({ question: 'Q', append }) })
        const parts = stub()
        const journal = new MemorySearchJournal({ question: 'Q', saved: file })
        const again = await search('Q', { ...parts, method, budget: { calls }, journal })
        expect(parts.calls()).toBe(0)
        expect(again).toMatchObject({ answer: first.answer, status: first.status, used: first.used })
        expect(JSON.stringify(again.trees)).toBe(JSON.stringify(first.trees))
      }
    },
  )

  it('does not end a search that fits', () => {
    expect(searchSync('Q', { ...stub(), budget: { calls: 51 } }).status).toBe('accepted')
    expect(searchSync('Q', { ...stub(), budget: { calls: 50 } }).status).toBe('budget')
  })

  it('of 0 gives no answer, and a reason', () => {
    const result = searchSync('Q', { ...stub(), budget: { calls: 0 } })
    expect(result).toMatchObject({ answer: null, status: 'budget', reason: expect.stringContaining('budget') })
  })
})

describe('other budgets', () => {
  it.each([
    ['tokens', { tokens: 1000 }],
    ['cost', { cost: 0.1 }],
  ])('%s', (_, budget) => {
    const parts = stub()
    const result = searchSync('Q', { ...parts, budget })
    expect(result).toMatchObject({ answer: '42', status: 'budget' })
    expect(parts.calls()).toBe(10)
  })

  it.each(METHODS)('are kept at any concurrency, whatever the calls use: %s', async (_, method) => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.integer({ min: 50, max: 100 })),
        fc.constantFrom(1, 3, 64),
        fc.integer({ min: 300, max: 3000 }),
        async (sizes, concurrency, tokens) => {
          const { proposer, grader, answerer } = stub()
          const sized = async <T extends object>(made: MaybePromise<T>): Promise<T> => {
            const size = sizes.next().value
            await Promise.resolve()
            return {
              ...(await made),
              used: { calls: 1, promptTokens: size - 20, completionTokens: 20, cost: size / 1e4 },
            }
          }
          const parts: SearchParts = {
            proposer: { propose: async (...asked) => await sized(proposer.propose(...asked)) },
            grader: { grade: async (...asked) => await sized(grader.grade(...asked)) },
            answerer: {
              answer: async (...asked) => await sized(answerer.answer(...asked)),
              merge: async (...asked) => await sized(answerer.merge!(...asked)),
            },
          }
          for (const budget of [{ tokens }, { cost: tokens / 1e4 }]) {
            const { used } = await search('Q', { ...parts, method, concurrency, budget })
            // What one call uses is known after it: the last one may be larger than all before.
            expect(used.promptTokens + used.completionTokens).toBeLessThanOrEqual(tokens + 50)
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  it.each([
    ['tokens', { tokens: 100_000 }],
    ['cost', { cost: 10 }],
  ])('%s that suffice let a wave of many calls wait for the size of the first, and ask them all', async (_, budget) => {
    for (const method of [bestOfN({ n: 9 }), forest(beam(), { size: 3 })]) {
      const free = await search('Q', { ...stub(), method })
      const parts = stub()
      expect(await search('Q', { ...parts, method, budget })).toMatchObject({ status: 'accepted', used: free.used })
    }
  })

  it('tokens are used up by calls at once as by one after the other', async () => {
    for (const [, method] of METHODS) {
      const counts = await Promise.all(
        [1, 64].map(async (concurrency) => {
          const { used } = await search('Q', { ...stub(), method, concurrency, budget: { tokens: 850 } })
          return used.calls
        }),
      )
      expect(counts[1]).toBe(counts[0])
    }
  })

  it('nodes', () => {
    const result = searchSync('Q', { ...stub(), budget: { nodes: 12 } })
    expect(result).toMatchObject({ answer: '42', status: 'budget' })
    expect([...result.trees[0]!.walk()].length).toBeLessThan(20)
  })

  it('seconds: calls in flight are stopped, the answer has the last fifth', async () => {
    const timers: { ms: number; call: () => void }[] = []
    let now = 0
    const clock: Clock = {
      now: () => now,
      after(ms, call) {
        timers.push({ ms, call })
        return () => {}
      },
    }
    const parts = stub()
    const hangs = { propose: () => new Promise<never>(() => {}) }
    const result = search('Q', { ...parts, proposer: hangs, clock, budget: { seconds: 10 } })
    expect(timers.map(({ ms }) => ms)).toEqual([8000])
    now = 8000
    timers[0]!.call()
    expect(await result).toMatchObject({ answer: '42', status: 'budget' })
    expect(timers.map(({ ms }) => ms)).toEqual([8000, 2000])
  })

  it('seconds: the answer is written although the timer comes before its time', async () => {
    const due: (() => void)[] = []
    let now = 0
    const clock: Clock = { now: () => now, after: (_, call) => (due.push(call), () => {}) }
    const hangs = { propose: async () => await new Promise<never>(() => {}) }
    const result = search('Q', { ...stub(), proposer: hangs, clock, budget: { seconds: 10 } })
    await Promise.resolve()
    now = 7999.5
    due[0]!()
    expect(await result).toMatchObject({ answer: '42', status: 'budget' })
  })

  it('seconds: more than a timer can wait start none, since it would end the search at once', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout')
    await search('Q', { ...stub(), budget: { seconds: 1000 } })
    expect(timer).toHaveBeenCalledWith(expect.any(Function), expect.closeTo(800_000, -2))
    timer.mockClear()
    const result = await search('Q', { ...stub(), budget: { seconds: 1e7 } })
    expect(result.status).toBe('accepted')
    expect(timer.mock.calls.filter(([, ms]) => (ms ?? 0) > 1e6)).toEqual([])
    timer.mockRestore()
  })

  it('seconds: a time that is over before its timer is set ends the search, without a timer in the past', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout')
    const result = await search('Q', { ...stub(), budget: { seconds: 1e-9 } })
    expect(result).toMatchObject({ answer: null, status: 'budget' })
    expect(timer.mock.calls.map(([, ms]) => Math.sign(ms ?? 0))).not.toContain(-1)
    timer.mockRestore()
  })

  it('seconds: an answer whose verifier hangs is returned, without its verdict', async () => {
    for (const [, method] of METHODS) {
      let now = 0
      const due: (() => void)[] = []
      const clock: Clock = { now: () => now, after: (_, call) => (due.push(call), () => {}) }
      const times = [8000, 10_000]
      const verifier = async (): Promise<never> => {
        queueMicrotask(() => {
          now = times.shift()!
          due.pop()!()
        })
        return await new Promise(() => {})
      }
      const parts = { ...stub(), method, verifier, clock, concurrency: 1 }
      const result = search('Q', { ...parts, budget: { seconds: 10 } })
      const { answer, status, reason, verdict, warnings } = await result
      expect({ answer, status, reason }).toEqual({ answer: '42', status: 'budget', reason: null })
      expect(verdict).toEqual({ accepted: false, score: 0, reason: expect.stringContaining('no verdict') })
      expect(warnings).toEqual([])
    }
  })

  it('seconds: the search does not wait for an answer that hangs', async () => {
    const due: (() => void)[] = []
    let now = 0
    const clock: Clock = {
      now: () => now,
      after(_, call) {
        due.push(call)
        if (due.length === 2) {
          now = 10_000
          queueMicrotask(call)
        }
        return () => {}
      },
    }
    const never = (): Promise<never> => new Promise(() => {})
    const result = search('Q', {
      ...stub(),
      proposer: { propose: never },
      answerer: { answer: never },
      clock,
      budget: { seconds: 10 },
    })
    now = 8000
    due[0]!()
    expect(await result).toMatchObject({ answer: null, status: 'budget' })
  })

  it.each([0, -1, Number.NaN])('refuses %d calls at once', async (concurrency) => {
    await expect(search('Q', { ...stub(), concurrency })).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('refuses a negative one', async () => {
    await expect(search('Q', { ...stub(), budget: { calls: -1 } })).rejects.toThrow(/`calls` is -1/)
  })

  it('the budget of the model ends the search, not the program', () => {
    const parts = stub()
    let left = 4
    const proposer = {
      propose: () => {
        if (left-- > 0) return parts.proposer.propose({} as never, {} as never)
        throw new XError('budget-exceeded', 'no more money')
      },
    }
    expect(searchSync('Q', { ...parts, proposer })).toMatchObject({ status: 'budget', answer: '42' })
  })
})

describe('failed calls', () => {
  const failing = (which: (n: number) => boolean): SearchParts => {
    const parts = stub()
    let n = 0
    return {
      ...parts,
      proposer: {
        propose: (...args) => {
          if (which(n++)) throw new XError('model-failed', 'the model is down', { kind: 'server' })
          return parts.proposer.propose(...args)
        },
      },
    }
  }

  it.each(METHODS.filter(([name]) => name !== 'best of 9'))(
    'cost their branch and not the search: %s',
    async (_, method) => {
      const result = await search('Q', { ...failing((n) => n === 1), method })
      expect(result.answer).toContain('42')
      expect(result.failures).toHaveLength(1)
      expect(result.failures[0]).toMatchObject({ code: 'model-failed', message: 'the model is down' })
    },
  )

  it.each(METHODS)('give a reason if all calls fail: %s', async (_, method) => {
    const fail = (): never => {
      throw new XError('model-failed', 'the model is down')
    }
    const result = await search('Q', {
      method,
      proposer: { propose: fail },
      grader: { grade: fail },
      answerer: { answer: fail },
    })
    expect(result).toMatchObject({ answer: null, status: 'exhausted' })
    expect(result.reason).toContain('the model is down')
  })

  it.each(METHODS)('of a proposer leave an answer from what there is: %s', async (_, method) => {
    for (const first of [0, 1]) {
      const { answer, status } = await search('Q', { ...failing((n) => n >= first), method, concurrency: 1 })
      expect(answer).toContain('42')
      expect(['accepted', 'exhausted']).toContain(status)
    }
  })

  it('failed grades are unknown, and the search continues', () => {
    const parts = stub()
    const grader = {
      grade: () => {
        throw new Error('no grader')
      },
    }
    const result = searchSync('Q', { ...parts, grader })
    expect(result.answer).toBe('42')
    expect(result.trees[0]!.children.map(({ grade }) => grade)).toEqual([null, null, null, null])
  })
})

describe('an abort', () => {
  it('ends the search with its best answer; no call follows', async () => {
    const stop = new AbortController()
    const parts = stub()
    const seen: AbortSignal[] = []
    const proposer = {
      propose: (_: unknown, { signal }: { signal?: AbortSignal | undefined }) => {
        seen.push(signal!)
        return new Promise<never>(() => {})
      },
    }
    const result = search('Q', { ...parts, proposer, signal: stop.signal })
    await Promise.resolve()
    stop.abort()
    expect(await result).toMatchObject({ status: 'aborted', answer: null, reason: expect.stringContaining('stopped') })
    expect(seen.map(({ aborted }) => aborted)).toEqual([true])
    expect(parts.calls()).toBe(0)
  })

  it('before the start prevents all calls', async () => {
    const parts = stub()
    expect(await search('Q', { ...parts, signal: AbortSignal.abort() })).toMatchObject({ status: 'aborted' })
    expect(parts.calls()).toBe(0)
  })
})

describe('a verifier', () => {
  it('stops the search at the first answer that it accepts', () => {
    const parts = stub()
    const result = searchSync('Q', { ...parts, method: mcts({ nsim: 50 }), verifier: (answer) => answer === '42' })
    expect(result).toMatchObject({ status: 'verified', answer: '42', verdict: { accepted: true, score: 1 } })
    expect(parts.calls()).toBe(5)
  })

  it('accepts no answer, and the status says so', () => {
    const result = searchSync('Q', { ...stub(), method: bestFirst({ expansions: 5 }), verifier: () => false })
    expect(result).toMatchObject({ status: 'exhausted', verdict: { accepted: false } })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no compiler')
      },
    ],
    ['rejects', async () => await Promise.reject(new Error('no compiler'))],
  ])('that %s costs its word and not the answer', async (_, verifier) => {
    const result = await search('Q', { ...stub(), method: bestOfN({ n: 1 }), verifier })
    expect(result).toMatchObject({ answer: '42', status: 'exhausted' })
    expect(result.verdict?.reason).toContain('no compiler')
    expect(result.warnings).toEqual(['1 of 1 verifications failed, the last with: no compiler'])
  })

  it('may return a score and a reason', () => {
    const verifier = (): { accepted: boolean; score: number; reason: string } => ({
      accepted: false,
      score: 0.4,
      reason: 'two of five tests pass',
    })
    const { verdict, node } = searchSync('Q', { ...stub(), method: mcts({ nsim: 1 }), verifier })
    expect(verdict).toEqual({ accepted: false, score: 0.4, reason: 'two of five tests pass' })
    expect(node!.ratingDetails).toBe('two of five tests pass')
  })
})

describe('MemorySearchJournal', () => {
  it('refuses an unknown version and another question', () => {
    const saved = JSON.parse(JSON.stringify(new MemorySearchJournal({ question: 'Q' }))) as object
    for (const [version, advice] of [
      [1, /version 1, .*older release wrote it: go on with a release that reads it/u],
      [4, /version 4, .*newer release wrote it: update `@x\/reasoning`/u],
      [undefined, /version undefined, .*not the journal of a search/u],
    ] as const) {
      const open = () => new MemorySearchJournal({ question: 'Q', saved: { ...saved, version } })
      expect(open).toThrow(expect.objectContaining({ code: 'unknown-state-version' }))
      expect(open).toThrow(advice)
    }
    expect(() => new MemorySearchJournal({ question: 'other', saved })).toThrow(/another question/)
    expect(new MemorySearchJournal({ question: 'Q', saved }).size).toBe(0)
  })

  it('survives a killed run: reads line by line, without a torn last line', () => {
    let file = ''
    const append = (line: string): void => {
      file += line
    }
    const first = searchSync('Q', { ...stub(), journal: new MemorySearchJournal({ question: 'Q', append }) })
    const torn = file.slice(0, Math.floor(file.length / 2))
    file = torn.slice(0, torn.lastIndexOf('\n') + 5)
    const journal = new MemorySearchJournal({ question: 'Q', saved: file, append })
    const parts = stub()
    const second = searchSync('Q', { ...parts, journal })
    expect(parts.calls()).toBeLessThan(51)
    expect(parts.calls()).toBeGreaterThan(10)
    expect(JSON.stringify(second.trees)).toBe(JSON.stringify(first.trees))
    expect(new MemorySearchJournal({ question: 'Q', saved: file }).size).toBe(51)
  })

  it('refuses changed, lost or duplicate records, and names the line', () => {
    let file = ''
    const append = (line: string): void => void (file += line)
    const journal = new MemorySearchJournal({ question: 'Q', append })
    searchSync('Q', { ...stub(), journal })
    const lines = file.split('\n')
    const refused = (saved: unknown): unknown => {
      try {
        return new MemorySearchJournal({ question: 'Q', saved }).size
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    for (const line of ['5', 'null', '["a"]', '[1,{}]', '{"a":1}', 'x']) {
      expect(refused([...lines.slice(0, 3), line, ...lines.slice(3)].join('\n'))).toBe('invalid-state')
    }
    for (const at of [1, 5, lines.length - 3]) {
      expect(refused(lines.toSpliced(at, 1).join('\n'))).toBe('invalid-state')
      expect(refused(lines.toSpliced(at, 0, lines[at]!).join('\n'))).toBe('invalid-state')
    }
    const saved = JSON.parse(JSON.stringify(journal)) as { records: Record<string, object> }
    const [first] = Object.keys(saved.records)
    expect(refused({ ...saved, records: { ...saved.records, [first!]: { outcome: {}, used: {} } } })).toBe(
      'invalid-state',
    )
    const { [first!]: _, ...others } = saved.records
    expect(refused({ ...saved, records: others })).toBe('invalid-state')
    expect(refused({ checksum: '', ...saved, records: { ...others, [first!]: saved.records[first!] } })).toBe(51)
    fc.assert(
      fc.property(fc.nat(file.length - 2), fc.nat(7), (at, bit) => {
        const flipped = `${file.slice(0, at)}${String.fromCharCode(file.charCodeAt(at) ^ (1 << bit))}${file.slice(at + 1)}`
        expect(refused(flipped)).not.toBeTypeOf(at < file.lastIndexOf('\n', file.length - 2) ? 'number' : 'symbol')
      }),
      { numRuns: 200 },
    )
  })

  it('of one method serves another as far as both ask the same jobs', () => {
    const all = [...METHODS, ['beam per parent', beam({ gradeMode: 'per-parent' }), 1] as const]
    for (const [, first] of all) {
      const journal = new MemorySearchJournal({ question: 'Q' })
      searchSync('Q', { ...stub(), method: first, journal })
      const saved: unknown = JSON.parse(JSON.stringify(journal))
      for (const [, second] of all) {
        const plain = searchSync('Q', { ...stub(), method: second })
        const result = searchSync('Q', {
          ...stub(),
          method: second,
          journal: new MemorySearchJournal({ question: 'Q', saved }),
        })
        expect(JSON.stringify(result.trees)).toBe(JSON.stringify(plain.trees))
      }
    }
  })

  it('begins anew with an empty file', () => {
    expect(new MemorySearchJournal({ question: 'Q', saved: '' }).size).toBe(0)
  })
})
