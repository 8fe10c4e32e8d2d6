import type { Budget, Reservation, Spending } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { withRun } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBudget } from './budget.ts'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'
import { failureOf, fakeProvider, hello, recordingIo, type FakeReply } from '../fakes/provider.fake.ts'

const one = { cost: 0.1, tokens: 10, calls: 1 }

/** Reserves without waiting. */
function reserved(budget: Budget, estimate: Spending): Reservation {
  const reservation = budget.reserve(estimate)
  if ('then' in reservation) throw new Error('a local budget reserves at once')
  return reservation
}

function wrapped(replies: FakeReply[], options: object, cost = 0.1) {
  const { provider, calls } = fakeProvider(replies, { cost })
  const configList = [{ model: 'm', apiType: 'fake' }]
  return {
    calls,
    model: new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io: recordingIo().io, ...options }),
  }
}

describe.each([
  ['money', { cost: 1 }],
  ['calls', { calls: 10 }],
  ['tokens', { tokens: 150, perCall: { tokens: 15 } }],
])('a limit in %s that fits ten calls', (_, limit) => {
  test('admits ten of fifty that start at once, over two wrappers', async () => {
    const budget = createBudget(limit)
    const later: FakeReply = async () => 'x'
    const [a, b] = [wrapped([later], { budget }), wrapped([later], { budget })]
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? a : b).model.create({ messages: hello })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(a.calls.length + b.calls.length).toBe(10)
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    expect(refused.every((error) => isXError(error, 'budget-exceeded'))).toBe(true)
    expect(budget.spent.calls).toBe(10)
  })

  test('and ten one after the other', async () => {
    const { model, calls } = wrapped(['x'], { budget: createBudget(limit) })
    for (let i = 0; i < 10; i++) model.createSync({ messages: hello })
    expect(() => model.createSync({ messages: hello })).toThrow(/raise the limit/u)
    expect(calls).toHaveLength(10)
  })
})

test('an undefined limit does not count as a limit', () => {
  expect(createBudget({ calls: 1, cost: undefined, tokens: undefined }).spent.calls).toBe(0)
  expect(() => createBudget({ cost: undefined })).toThrow('it has no limit')
})

test('the error names the limit and what is spent', () => {
  const budget = createBudget({ cost: 0.25, name: 'the budget of ann' })
  reserved(budget, one).settle(one)
  reserved(budget, one)
  expect(() => reserved(budget, one)).toThrow(/the budget of ann of \$0\.250000 .* \$0\.200000 is spent/u)
})

test('a refused call returns its reservation except for its request, and a hit reserves nothing', async () => {
  const budget = createBudget({ calls: 2 })
  const { model } = wrapped([failureOf('rate-limit'), 'x'], {
    budget,
    cache: createMemoryCache(),
    cacheSeed: undefined,
  })
  await expect(model.create({ messages: hello })).rejects.toThrow()
  expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 1 })
  for (let i = 0; i < 3; i++) await model.create({ messages: hello })
  expect(budget.spent).toEqual({ cost: 0.1, tokens: 15, calls: 2 })
})

test.each(['server', 'connection', 'timeout', 'truncated', 'overloaded'] as const)(
  'a call that failed with %s may be paid for, and keeps its reservation',
  async (kind) => {
    const budget = createBudget({ calls: 2, perCall: { cost: 0.3, tokens: 20 } })
    const { model } = wrapped([failureOf(kind)], { budget })
    await expect(model.create({ messages: hello })).rejects.toThrow()
    expect(budget.spent).toEqual({ cost: 0.3, tokens: 20, calls: 1 })
    expect(model.ledger).toMatchObject([{ estimated: true, usage: { totalTokens: 20, cost: 0.3 } }])
    expect(model.actualUsageSummary!.totalCost).toBe(0.3)
  },
)

test('an aborted call may be paid for, and keeps its reservation', async () => {
  const budget = createBudget({ calls: 1, tokens: 100 })
  const { model } = wrapped([() => new Promise<never>(() => {})], { budget })
  const stop = new AbortController()
  const call = model.create({ messages: hello }, stop)
  expect(budget.spent.calls).toBe(1)
  stop.abort()
  await expect(call).rejects.toMatchObject({ code: 'aborted' })
  expect(budget.spent).toEqual({ cost: 0.1, tokens: 100, calls: 1 })
})

test('a caller who leaves after a refused request keeps the reservation of the one under way', async () => {
  const budget = createBudget({ calls: 5, perCall: { cost: 0.3, tokens: 20 } })
  const refused = new XError('model-failed', 'no', { kind: 'rate-limit', retryAfterMs: 0 })
  const asked = Promise.withResolvers<void>()
  const hanging = async (): Promise<never> => (asked.resolve(), await new Promise<never>(() => {}))
  const configList = [{ model: 'm', apiType: 'fake', maxRetries: 1 }]
  const { model } = wrapped([refused, hanging], { budget, configList })
  const stop = new AbortController()
  const call = model.create({ messages: hello }, stop)
  await asked.promise
  stop.abort()
  await expect(call).rejects.toMatchObject({ code: 'aborted' })
  expect(budget.spent).toEqual({ cost: 0.3, tokens: 20, calls: 2 })
})

test('spending of a child counts in its parent; a refusal of the parent leaves no reservation in the child', () => {
  const parent = createBudget({ calls: 2 })
  const [a, b] = [createBudget({ calls: 5, parent }), createBudget({ calls: 5, parent })]
  reserved(a, one).settle({ ...one, cost: 0.3 })
  reserved(b, one).settle(one)
  expect(parent.spent).toMatchObject({ calls: 2, cost: expect.closeTo(0.4) as unknown })
  expect(() => reserved(a, one)).toThrow(/2 calls/u)
  expect(a.spent.calls).toBe(1)
})

test('earlier spending counts, also from plain JSON', async () => {
  const before = createBudget({ calls: 3 })
  reserved(before, one).settle(one)
  const saved = JSON.parse(JSON.stringify(before.spent)) as typeof before.spent
  const budget = createBudget({ calls: 3, spent: saved })
  const { model } = wrapped(['x'], { budget })
  for (let i = 0; i < 2; i++) await model.create({ messages: hello })
  await expect(model.create({ messages: hello })).rejects.toMatchObject({ code: 'budget-exceeded' })
  expect(budget.spent.calls).toBe(3)
})

test('a reservation tells its amounts, in two budgets the greater of each; unknown, it counts in each by its own', () => {
  const parent = createBudget({ tokens: 100, perCall: { tokens: 40 } })
  const budget = createBudget({ cost: 1, parent, perCall: { cost: 0.2 } })
  const both = reserved(budget, one)
  expect(both.amounts).toEqual({ cost: 0.2, tokens: 40, calls: 1 })
  both.settle(both.amounts!, { estimated: true })
  const [own, outer] = [
    { cost: 0.2, tokens: 10, calls: 1 },
    { cost: 0.1, tokens: 40, calls: 1 },
  ]
  expect([budget.spent, parent.spent]).toEqual([own, outer])
})

test('an invalid limit is refused', () => {
  expect(() => createBudget({ dollars: 1 } as never)).toThrow(
    'cannot run `createBudget`: the option `dollars` is unknown; write `cost`, in US dollars',
  )
  expect(() => createBudget({ cost: 1, spent: { cost: -1 } })).toThrow(/the `spent` of a budget: `cost` is -1;/u)
  expect(() => createBudget({ cost: Number.NaN })).toThrow(/`cost` is NaN; give a number of at least 0/u)
  expect(() => createBudget({ cost: '$0.50' } as never)).toThrow('write `cost: 0.50`, without quotes')
  expect(() => createBudget(5 as never)).toThrow('its options are 5; give an object, such as { cost: 5 }')
  const configList = [{ model: 'm', budget: 5 }]
  expect(() => new ModelWrapper({ configList } as never)).toThrow(
    'give a budget, such as `createBudget({ cost: 0.5 })`, in US dollars',
  )
})

test('`spent` is always the sum of settled and open amounts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('settle', 'release', 'leave'), fc.nat(20)), { maxLength: 30 }),
      (steps) => {
        const budget = createBudget({ calls: 1000 })
        let expected = 0
        for (const [how, tokens] of steps) {
          const reservation = reserved(budget, { cost: 0, tokens: 10, calls: 1 })
          if (how === 'settle') reservation.settle({ cost: 0, tokens, calls: 1 })
          if (how !== 'leave') reservation.release()
          expected += how === 'settle' ? tokens : how === 'leave' ? 10 : 0
        }
        expect(budget.spent.tokens).toBe(expected)
      },
    ),
  )
})

describe.each(['create', 'createSync', 'createStream'] as const)('the budget of a run that `%s` is part of', (form) => {
  const asked = async (model: ModelWrapper, { budget = null }: { budget?: Budget | null }): Promise<unknown> =>
    await withRun({ budget }, async (run) => {
      if (form !== 'createStream') return await model[form]({ messages: hello }, { run })
      return await model.createStream({ messages: hello }, { run }).result
    })

  test('has to admit the call beside the budget of the wrapper; both are settled', async () => {
    const [own, chat] = [createBudget({ calls: 5 }), createBudget({ calls: 1 })]
    const { model, calls } = wrapped(['x'], { budget: own })
    await asked(model, { budget: chat })
    await expect(asked(model, { budget: chat })).rejects.toMatchObject({ code: 'budget-exceeded' })
    const spent = { cost: 0.1, tokens: 15, calls: 1 }
    expect([own.spent, chat.spent, calls.length]).toEqual([spent, spent, 1])
    await asked(model, {})
    expect([own.spent.calls, chat.spent.calls]).toEqual([2, 1])
  })

  test('counts once if it is also the budget of the wrapper', async () => {
    const budget = createBudget({ calls: 5 })
    await asked(wrapped(['x'], { budget }).model, { budget })
    expect(budget.spent.calls).toBe(1)
  })

  test('gets its reservation back like the other budget when the call is refused', async () => {
    const [own, chat] = [createBudget({ calls: 5 }), createBudget({ calls: 1 })]
    const { model } = wrapped([failureOf('auth')], { budget: own })
    await expect(asked(model, { budget: chat })).rejects.toMatchObject({ code: 'model-failed' })
    expect([own.spent, chat.spent]).toEqual([
      { cost: 0, tokens: 0, calls: 1 },
      { cost: 0, tokens: 0, calls: 1 },
    ])
  })
})

test('equal calls of two chats at once: the one whose budget is used up does not stop the other', async () => {
  const empty = createBudget({ calls: 0 })
  const { model, calls } = wrapped([async () => 'x'], { cache: createMemoryCache(), cacheSeed: undefined })
  const [poor, rich, free] = await Promise.allSettled([
    withRun({ budget: empty }, async (run) => await model.create({ messages: hello }, { run })),
    withRun({ budget: createBudget({ calls: 1 }) }, async (run) => await model.create({ messages: hello }, { run })),
    model.create({ messages: hello }),
  ])
  expect(poor).toMatchObject({ status: 'rejected', reason: { code: 'budget-exceeded' } })
  expect([rich.status, free.status, calls.length]).toEqual(['fulfilled', 'fulfilled', 1])
})
