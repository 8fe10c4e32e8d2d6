import type { Budget, BudgetCall, Reservation } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { withRun } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hello } from '../fakes/provider.fake.ts'
import { gated } from '../fakes/gated-model.fake.ts'
import { createBudget } from './budget.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a call that does not fit beside those in flight', () => {
  test('waits for the calls in flight, first come first served', async () => {
    const budget = createBudget({ calls: 2 })
    const { ask, open, calls } = gated(budget)
    const all = [ask(), ask(), ask(), ask()]
    await turn()
    expect(calls).toHaveLength(2)
    open[0]!(1)
    await all[0]
    await turn()
    expect(calls).toHaveLength(2)
    open[1]!(1)
    const results = await Promise.allSettled(all)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  })

  test('gets the headroom that a smaller answer leaves', async () => {
    const budget = createBudget({ tokens: 150 })
    const { ask, open, calls } = gated(budget)
    const all = [ask({ max_tokens: 100 }), ask({ max_tokens: 100 })]
    await turn()
    expect(calls).toHaveLength(1)
    open[0]!(5)
    await turn()
    expect(calls).toHaveLength(2)
    open[1]!(5)
    await Promise.all(all)
    expect(budget.spent.tokens).toBe(30)
  })

  test('is refused at once if no call in flight could free enough', async () => {
    const { ask, open } = gated(createBudget({ tokens: 150 }))
    const first = ask({ max_tokens: 100 })
    await expect(ask({ max_tokens: 200 })).rejects.toMatchObject({ code: 'budget-exceeded' })
    open[0]!(5)
    await first
  })

  test('is refused at once also behind others, if it can never fit', async () => {
    const { ask, open, calls } = gated(createBudget({ tokens: 150 }))
    const all = [ask({ max_tokens: 100 }), ask({ max_tokens: 100 })]
    await turn()
    await expect(ask({ max_tokens: 200 })).rejects.toMatchObject({ code: 'budget-exceeded' })
    expect(calls).toHaveLength(1)
    open[0]!(5)
    await turn()
    open[1]!(5)
    await Promise.all(all)
  })

  test('is refused at once in a blocking call, and where the budget says so', async () => {
    const { model, open, ask } = gated(createBudget({ tokens: 150 }))
    const first = ask({ max_tokens: 100 })
    expect(() => model.createSync({ messages: hello, max_tokens: 100 })).toThrow(
      expect.objectContaining({ code: 'budget-exceeded' }) as Error,
    )
    open[0]!(5)
    await first
    const refusing = gated(createBudget({ tokens: 150, whenFull: 'refuse' }))
    const held = refusing.ask({ max_tokens: 100 })
    await expect(refusing.ask({ max_tokens: 100 })).rejects.toMatchObject({ code: 'budget-exceeded' })
    refusing.open[0]!(5)
    await held
  })

  test('stops waiting at an abort, when its stream is left, and with its run', async () => {
    const budget = createBudget({ tokens: 150 })
    const { model, ask, open, calls } = gated(budget)
    const first = ask({ max_tokens: 100 })
    const stop = new AbortController()
    const aborted = model.create({ messages: hello, max_tokens: 100 }, stop)
    const stream = model.createStream({ messages: hello, max_tokens: 100 })
    const next = stream.next()
    await turn()
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await stream.return(undefined as never)
    await next
    open[0]!(5)
    await first
    await turn()
    expect(calls).toHaveLength(1)
    expect(budget.spent).toEqual({ cost: 0.015, tokens: 15, calls: 1 })
  })

  test('waits at most for its time limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { ask, open } = gated(createBudget({ tokens: 150 }))
    const first = ask({ max_tokens: 100 })
    const late = expect(ask({ max_tokens: 100, timeout: 3 })).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('no headroom for it within 3 s') as string,
    })
    await vi.advanceTimersByTimeAsync(3001)
    await late
    open[0]!(5)
    await first
  })

  test('returns a reservation that arrives too late', async () => {
    const granted = Promise.withResolvers<Reservation>()
    let released = 0
    const elsewhere: Budget = { spent: { cost: 0, tokens: 0, calls: 0 }, reserve: () => granted.promise }
    const { model, calls } = gated(elsewhere)
    const stop = new AbortController()
    const asked = model.create({ messages: hello }, stop)
    await turn()
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
    granted.resolve({ settle() {}, release: () => released++ })
    await turn()
    expect([released, calls.length]).toEqual([1, 0])
  })
})

describe('budgets inside each other', () => {
  test('wake waiting calls when a call returns a reservation because its other budget has not decided', async () => {
    const decided = Promise.withResolvers<Reservation>()
    const elsewhere: Budget = { spent: { cost: 0, tokens: 0, calls: 0 }, reserve: () => decided.promise }
    const budget = createBudget({ tokens: 150 })
    const { ask, open, calls, model } = gated(budget)
    const refused = withRun({ budget: elsewhere }, async (run) =>
      model.create({ messages: hello, max_tokens: 100 }, { run }),
    )
    refused.catch(() => {})
    await turn()
    const waiting = ask({ max_tokens: 100 })
    await turn()
    expect(calls).toHaveLength(0)
    decided.reject(new XError('budget-exceeded', 'no'))
    await expect(refused).rejects.toMatchObject({ code: 'budget-exceeded' })
    await turn()
    open[0]!(5)
    await waiting
  })

  test('never deadlock: a waiting call holds no reservation', async () => {
    const parent = createBudget({ calls: 3 })
    const [a, b] = [createBudget({ calls: 2, parent }), createBudget({ calls: 2, parent })]
    const [one, other] = [gated(a), gated(b)]
    const all = [one.ask(), one.ask(), one.ask(), other.ask(), other.ask()]
    await turn()
    expect(one.calls.length + other.calls.length).toBe(3)
    for (const answer of [...one.open, ...other.open]) answer(1)
    const results = await Promise.allSettled(all)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(parent.spent.calls).toBe(3)
  })

  test('of two calls that need both, in different orders, never deadlock', async () => {
    const [a, b] = [createBudget({ tokens: 500 }), createBudget({ tokens: 500 })]
    const [one, other] = [gated(a), gated(b)]
    const asks = [
      [one, b],
      [other, a],
    ] as const
    const all = Array.from({ length: 12 }, async (_, index) => {
      const [{ model }, around] = asks[index % 2]!
      return await withRun({ budget: around }, async (run) =>
        model.create({ messages: hello, max_tokens: 200 }, { run }),
      )
    })
    for (let answered = 0; answered < 12; answered++) {
      await turn()
      expect(one.calls.length + other.calls.length - answered).toBeGreaterThan(0)
      const next = one.open.shift() ?? other.open.shift()
      next!(5)
    }
    await Promise.all(all)
    expect([a.spent.calls, b.spent.calls]).toEqual([12, 12])
  })

  test('count a call once, however many ways lead to a budget', async () => {
    const parent = createBudget({ calls: 5 })
    const child = createBudget({ calls: 5, parent })
    const { open, ask } = gated(child)
    const asked = ask({ budget: parent })
    await turn()
    open[0]!(1)
    await asked
    expect([parent.spent.calls, child.spent.calls]).toEqual([1, 1])
  })
})

describe('the estimate', () => {
  test('admits four calls of a model before its first answer, and then as many as fit by the longest answer', async () => {
    const budget = createBudget({ tokens: 100_000 })
    const { ask, open, calls } = gated(budget)
    const all = Array.from({ length: 60 }, () => ask())
    await turn()
    expect(calls).toHaveLength(4)
    open[0]!(5000)
    await turn()
    // Those that began before count as what is known by now.
    expect(calls).toHaveLength(19)
    for (let index = 1; index < open.length; index++) {
      open[index]!(5000)
      await turn()
    }
    const results = await Promise.allSettled(all)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
    expect(budget.spent.tokens).toBeLessThanOrEqual(100_000)
  })

  test('of one model says nothing of another, and a failed call nothing at all', async () => {
    const budget = createBudget({ tokens: 100_000 })
    const { ask, open, calls } = gated(budget, { configList: [{ apiType: 'fake', baseUrl: 'http://localhost' }] })
    const all = ['a', 'a', 'a', 'a', 'a', 'b'].map((model) => ask({ model }))
    await turn()
    expect(calls.map(({ model }) => model)).toEqual(['a', 'a', 'a', 'a'])
    open[0]!(-1)
    await turn()
    expect(calls.map(({ model }) => model)).toEqual(['a', 'a', 'a', 'a', 'a', 'b'])
    for (const answer of open.slice(1)) answer(1)
    await Promise.allSettled(all)
  })

  test('does not hold back calls that set a limit, nor those of a budget of calls', async () => {
    for (const [limit, more] of [
      [{ tokens: 100_000 }, { max_tokens: 10 }],
      [{ calls: 50 }, {}],
      [{ tokens: 100_000, perCall: { tokens: 20 } }, {}],
    ] as const) {
      const { ask, open, calls } = gated(createBudget(limit))
      const all = Array.from({ length: 20 }, () => ask(more))
      await turn()
      expect(calls).toHaveLength(20)
      for (const answer of open) answer(1)
      await Promise.all(all)
    }
  })

  test('of the first call may be more than there is', async () => {
    const { ask, open } = gated(createBudget({ tokens: 50 }))
    const [first, second] = [ask(), ask()]
    await turn()
    open[0]!(30)
    await first
    await expect(second).rejects.toMatchObject({ code: 'budget-exceeded' })
  })

  test('is exceeded at most by the usage of calls beyond their estimates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ most: fc.nat({ max: 300 }), used: fc.nat({ max: 400 }) }), { maxLength: 30 }),
        fc.nat({ max: 2000 }),
        async (sizes, limit) => {
          const budget = createBudget({ tokens: limit })
          const { ask, open, calls } = gated(budget)
          const all = sizes.map(({ most }) => ask({ max_tokens: most + 1 }))
          let beyond = 0
          for (let index = 0; index < sizes.length; index++) {
            await turn()
            if (!open[index]) break
            const size = sizes.find(({ most }) => calls[index]!['max_tokens'] === most + 1)!
            beyond += Math.max(0, size.used - size.most)
            open[index]!(size.used)
          }
          await Promise.allSettled(all)
          expect(budget.spent.tokens).toBeLessThanOrEqual(limit + beyond)
        },
      ),
      { numRuns: 30 },
    )
  })
})

test('a reservation costs the same beside sixteen thousand open ones as beside ten', async () => {
  let reads = 0
  const call = (model: string): BudgetCall => ({
    model,
    maxTokens: 1,
    maxOutput: undefined,
    estimate: () => (reads++, { cost: 0, tokens: 1, calls: 1 }),
  })
  const budget = createBudget({ calls: 1e9, tokens: 1e9 })
  const open: Reservation[] = []
  for (let index = 0; index < 16_000; index++) open.push(await budget.reserve({ cost: 0, tokens: 1, calls: 1 }))
  reads = 0
  const last = await budget.reserve({ cost: 0, tokens: 1, calls: 1 }, { call: call('m') })
  last.release()
  expect(reads).toBe(1)
  expect(budget.spent.calls).toBe(16_000)
  for (const each of open) each.release()
  expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 0 })
})

test('a remote budget may return promises, and a failure to settle is a warning', async () => {
  const log: unknown[] = []
  const elsewhere: Budget = {
    spent: { cost: 0, tokens: 0, calls: 0 },
    reserve: async (estimate) => {
      log.push(['reserve', estimate.calls])
      await turn()
      return {
        settle(actual) {
          log.push(['settle', actual])
          return Promise.reject(new Error('connection lost')) as unknown as undefined
        },
        release: () => void log.push('release'),
      }
    },
  }
  const { ask, open, warnings, model } = gated(elsewhere)
  const asked = ask()
  await turn()
  await turn()
  open[0]!(5)
  await asked
  await turn()
  expect(log).toEqual([
    ['reserve', 1],
    ['settle', { cost: 0.015, tokens: 15, calls: 1 }],
  ])
  expect(warnings()).toEqual(['budget'])
  try {
    model.createSync({ messages: hello })
    expect.unreachable()
  } catch (error) {
    expect(isXError(error, 'async-in-sync')).toBe(true)
  }
})
