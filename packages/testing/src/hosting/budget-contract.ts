import type { Budget, MaybePromise, Reservation, Spending } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { BudgetCaller } from './budget-caller.ts'
import { codeOf } from './code-of.ts'

/** Options that every budget takes. */
interface ContractBudgetOptions extends Partial<Spending> {
  readonly strict?: boolean
  readonly minTokens?: number
  readonly whenFull?: 'wait' | 'refuse'
  readonly perCall?: Partial<Spending>
}

/** Description of a kind of budget for {@link budgetContract}. */
export interface BudgetContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Makes a budget of which nothing is spent, such as `createBudget`, and what closes it after the test. */
  readonly create: (options: ContractBudgetOptions) => MaybePromise<OpenBudget>
}

/** A budget of a test. */
interface OpenBudget {
  readonly budget: Budget
  close(): MaybePromise<void>
}

type Check = (title: string, options: ContractBudgetOptions, use: (budget: Budget) => Promise<void>) => void

/** Limits that no test reaches. */
const WIDE: Spending = { cost: 1_000_000, tokens: 1_000_000_000, calls: 1_000_000 }

const ONE_CALL: Spending = { cost: 0, tokens: 0, calls: 1 }
const tokens = (amount: number): Spending => ({ cost: 0, tokens: amount, calls: 1 })
const reserve = async (budget: Budget, estimate = ONE_CALL): Promise<Reservation> => await budget.reserve(estimate)

/** Checks that a budget admits no more than is left, counts each call by its usage, and lets calls wait in order. */
export function budgetContract({ describe, test, expect }: ContractRunner, { name, create }: BudgetContract): void {
  const check: Check = (title, options, use) =>
    test(title, async () => {
      const opened = await create(options)
      try {
        await use(opened.budget)
      } finally {
        await opened.close()
      }
    })

  describe(`budget contract: ${name}`, () => {
    checkAmounts(check, expect)
    checkMoney(check, expect)
    checkUnknown(check, expect)
    checkQueue(check, expect)
    checkRefusals(check, expect)
    checkAnswers(check, expect)
    checkEstimates(check, expect)
    for (const strict of [true, false]) checkRandomCalls(check, expect, strict)
  })
}

/** Checks which calls a budget admits, and what it counts for each. */
function checkAmounts(check: Check, expect: ContractRunner['expect']): void {
  check('admits calls up to its limit, also when all ask at once', { calls: 10 }, async (budget) => {
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => reserve(budget)))
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(10)
    expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: 10 })
  })

  check('counts money to the billionth of a dollar', { cost: 1 }, async (budget) => {
    for (let n = 0; n < 10; n++) {
      const reservation = await reserve(budget, { cost: 0.1, tokens: 10, calls: 1 })
      reservation.settle({ cost: 0.1, tokens: 10, calls: 1 })
    }
    expect(budget.spent).toEqual({ cost: 1, tokens: 100, calls: 10 })
    expect(await codeOf(reserve(budget, { cost: 0.000000001, tokens: 0, calls: 1 }))).toBe('budget-exceeded')
  })

  for (const [name, most] of Object.entries({ cost: 0.5, tokens: 10, calls: 1 })) {
    check(`holds a limit of ${name} beside wide ones`, { ...WIDE, [name]: most }, async (budget) => {
      const used = { cost: 0.5, tokens: 10, calls: 1 }
      ;(await reserve(budget, used)).settle(used)
      expect(await codeOf(reserve(budget, used))).toBe('budget-exceeded')
      expect(budget.spent).toEqual(used)
    })
  }

  check('admits nothing by a limit of 0', { ...WIDE, calls: 0 }, async (budget) => {
    expect(await codeOf(reserve(budget))).toBe('budget-exceeded')
  })

  check('replaces an estimate by the usage, once', { tokens: 100 }, async (budget) => {
    const reservation = await reserve(budget, tokens(90))
    expect(reservation.amounts).toEqual(tokens(90))
    expect(await codeOf(reserve(budget, tokens(20)))).toBe('budget-exceeded')
    reservation.settle(tokens(30))
    reservation.settle(tokens(30))
    reservation.release()
    expect(budget.spent).toEqual(tokens(30))
    const released = await reserve(budget, tokens(70))
    released.release()
    released.settle(tokens(70))
    expect(budget.spent).toEqual(tokens(30))
  })

  check('counts a call once that reserves twice', { calls: 1 }, async (budget) => {
    const call = new BudgetCaller(budget)
    const [first, again] = [await budget.reserve(ONE_CALL, { call }), await budget.reserve(ONE_CALL, { call })]
    expect([first.amounts, again.amounts]).toEqual([ONE_CALL, { cost: 0, tokens: 0, calls: 0 }])
    again.settle(ONE_CALL)
    first.settle(ONE_CALL)
    expect(budget.spent).toEqual(ONE_CALL)
  })

  check('reserves fixed amounts where it has them', { tokens: 100, perCall: { tokens: 40 } }, async (budget) => {
    const [first] = [await new BudgetCaller(budget, { input: 1 }).reserve(), await reserve(budget)]
    expect([first.amounts, budget.spent.tokens]).toEqual([tokens(40), 80])
    expect(await codeOf(reserve(budget))).toBe('budget-exceeded')
  })
}

/** Checks fixed amounts of money, and the output that a strict budget of money leaves. */
function checkMoney(check: Check, expect: ContractRunner['expect']): void {
  check('reserves a fixed cost where it has one', { cost: 1, perCall: { cost: 0.4 } }, async (budget) => {
    const first = [await new BudgetCaller(budget, { input: 1 }).reserve(), await reserve(budget)][0]!
    expect([first.amounts?.cost, budget.spent.cost]).toEqual([0.4, 0.8])
    expect(await codeOf(reserve(budget))).toBe('budget-exceeded')
  })

  check(
    'limits the output of a call to the money that is left when it is strict',
    { cost: 1, strict: true, minTokens: 5 },
    async (budget) => {
      const facts = { input: 10, maxTokens: 500, price: 0.01 }
      const first = await new BudgetCaller(budget, facts).reserve()
      expect([first.maxTokens, first.amounts?.cost]).toEqual([90, 1])
      first.settle({ cost: 0.86, tokens: 86, calls: 1 })
      expect(await codeOf(new BudgetCaller(budget, facts).reserve())).toBe('budget-exceeded')
      expect((await new BudgetCaller(budget, { ...facts, input: 9 }).reserve()).maxTokens).toBe(5)
    },
  )
}

/** Checks requests of which nobody knows what they used. */
function checkUnknown(check: Check, expect: ContractRunner['expect']): void {
  for (const strict of [true, false]) {
    const title = strict ? 'counts all that was reserved' : 'counts what is told'
    check(`${title} when the usage is an estimate (strict: ${strict})`, { tokens: 100, strict }, async (budget) => {
      const first = await new BudgetCaller(budget, { input: 10, maxTokens: 20 }).reserve()
      expect(first.amounts).toEqual(tokens(30))
      first.settle(first.amounts!, { estimated: true })
      expect(budget.spent).toEqual(tokens(30))
      const cut = await new BudgetCaller(budget, { input: 10, maxTokens: 20 }).reserve()
      cut.settle(tokens(12), { estimated: true })
      expect(budget.spent.tokens).toBe(strict ? 60 : 42)
      const whole = await new BudgetCaller(budget, { input: 10, maxTokens: 20 }).reserve()
      whole.settle(tokens(12), { outputTokens: 2 })
      expect(budget.spent.tokens).toBe(strict ? 72 : 54)
    })
  }

  check(
    'limits the output of a call to what is left when it is strict',
    { tokens: 100, strict: true, minTokens: 5 },
    async (budget) => {
      const first = await new BudgetCaller(budget, { input: 10, maxTokens: 500 }).reserve()
      expect([first.maxTokens, first.amounts]).toEqual([90, tokens(100)])
      first.settle(tokens(86))
      expect(await codeOf(new BudgetCaller(budget, { input: 10, maxTokens: 500 }).reserve())).toBe('budget-exceeded')
      const last = await new BudgetCaller(budget, { input: 9, maxTokens: 500 }).reserve()
      expect(last.maxTokens).toBe(5)
    },
  )
}

/** Checks calls that wait for room. */
function checkQueue(check: Check, expect: ContractRunner['expect']): void {
  check('serves waiting calls in their order, and skips one that has left', { calls: 1 }, async (budget) => {
    const first = await reserve(budget)
    const served: string[] = []
    const callers = ['a', 'b', 'c', 'd'].map(() => new BudgetCaller(budget))
    const all = ['a', 'b', 'c', 'd'].map(async (name, n) => {
      const reservation = await callers[n]!.reserve()
      served.push(name)
      reservation.release()
    })
    for (const caller of callers) await queued(caller)
    expect(served).toEqual([])
    callers[1]!.leave()
    first.release()
    await Promise.all([all[0], all[2], all[3]])
    expect(served).toEqual(['a', 'c', 'd'])
  })

  check('lets no call pass those that wait', { tokens: 100 }, async (budget) => {
    const first = await reserve(budget, tokens(80))
    const served: string[] = []
    const order = []
    for (const [name, input] of [
      ['large', 50],
      ['small', 10],
    ] as const) {
      const caller = new BudgetCaller(budget, { input, maxTokens: 1 })
      order.push(caller.reserve().then(() => served.push(name)))
      await queued(caller)
    }
    expect(served).toEqual([])
    first.settle(tokens(5))
    await Promise.all(order)
    expect(served).toEqual(['large', 'small'])
  })

  check('serves the next when the first of those that wait leaves', { tokens: 100 }, async (budget) => {
    const first = await reserve(budget, tokens(80))
    const large = new BudgetCaller(budget, { input: 50, maxTokens: 1 })
    void large.reserve()
    await queued(large)
    const small = new BudgetCaller(budget, { input: 10, maxTokens: 1 })
    const reserving = small.reserve()
    await queued(small)
    large.leave()
    ;(await reserving).release()
    first.release()
  })
}

/** Checks calls that do not wait, because no call in flight could help them or because their budget says so. */
function checkRefusals(check: Check, expect: ContractRunner['expect']): void {
  check('refuses a call that no call in flight could make room for', { tokens: 100 }, async (budget) => {
    const first = await reserve(budget, tokens(80))
    expect(await codeOf(new BudgetCaller(budget, { input: 200, maxTokens: 1 }).reserve())).toBe('budget-exceeded')
    first.release()
  })

  check('refuses where it says so', { calls: 1, whenFull: 'refuse' }, async (budget) => {
    const first = await reserve(budget)
    expect(await codeOf(new BudgetCaller(budget).reserve())).toBe('budget-exceeded')
    first.release()
  })
}

/** Checks estimates by the answers of a model. */
function checkAnswers(check: Check, expect: ContractRunner['expect']): void {
  check(
    'starts four calls of a model before its first answer, which raises them',
    { tokens: 50_000 },
    async (budget) => {
      const all = Array.from({ length: 6 }, () => new BudgetCaller(budget, { input: 10 }).reserve())
      const first = await Promise.all(all.slice(0, 4))
      await turns()
      expect(budget.spent).toEqual({ cost: 0, tokens: 4 * 1034, calls: 4 })
      first[0]!.settle(tokens(5010), { outputTokens: 5000 })
      await Promise.all(all)
      expect(budget.spent).toEqual({ cost: 0, tokens: 6 * 5010, calls: 6 })
      expect(first[1]!.amounts).toEqual(tokens(5010))
    },
  )
}

/** Checks that estimates are those of one model, and no more than it can answer. */
function checkEstimates(check: Check, expect: ContractRunner['expect']): void {
  check('learns from the answers of a model for that model alone', { tokens: 50_000 }, async (budget) => {
    const settled = await new BudgetCaller(budget, { input: 10 }).reserve()
    settled.settle(tokens(5010), { outputTokens: 5000 })
    const same = await new BudgetCaller(budget, { input: 10 }).reserve()
    const other = await new BudgetCaller(budget, { input: 10, model: 'n' }).reserve()
    expect([same.amounts, other.amounts]).toEqual([tokens(5010), tokens(1034)])
  })

  check('reserves no more output than a call or its model can have', { tokens: 50_000 }, async (budget) => {
    const settled = await new BudgetCaller(budget, { input: 10 }).reserve()
    settled.settle(tokens(5010), { outputTokens: 5000 })
    const short = await new BudgetCaller(budget, { input: 10, maxTokens: 100 }).reserve()
    const small = await new BudgetCaller(budget, { input: 10, maxOutput: 200 }).reserve()
    expect([short.amounts, small.amounts]).toEqual([tokens(110), tokens(210)])
  })
}

/** Checks that random calls are billed no more than is left, whatever becomes of each. */
function checkRandomCalls(check: Check, expect: ContractRunner['expect'], strict: boolean): void {
  const limit = { tokens: 300, calls: 25 }
  for (const seed of [1, 2, 3, 4]) {
    const title = `never lets calls be billed more than ${strict ? 'its limit' : 'its limit and what they did not tell'}`
    check(`${title} (seed ${seed})`, { ...limit, strict, minTokens: 1 }, async (budget) => {
      const random = randomOf(seed)
      const open: { readonly reservation: Reservation; readonly most: number }[] = []
      const billed = { tokens: 0, calls: 0 }
      let untold = 0
      for (let step = 0; step < 80; step++) {
        if (random(3) > 0) {
          const call = new BudgetCaller(budget, { input: 1 + random(20), maxTokens: 1 + random(20) })
          const reserving = Promise.resolve().then(() => budget.reserve(call.estimate(0), { call }))
          if (await codeOf(reserving)) continue
          const reservation = await reserving
          open.push({ reservation, most: call.estimate(reservation.maxTokens ?? call.maxTokens!).tokens })
        } else {
          const [ended] = open.splice(random(open.length), 1)
          if (!ended) continue
          const told = endRandomly(ended, random, billed)
          untold += billed.tokens - told.before - told.tokens
        }
        const most = open.reduce((sum, each) => sum + each.most, billed.tokens)
        expect(most <= limit.tokens + (strict ? 0 : untold)).toBe(true)
        expect(billed.calls + open.length <= limit.calls).toBe(true)
        expect(budget.spent.tokens >= most - (strict ? 0 : untold)).toBe(true)
      }
      expect(billed.calls > 5).toBe(true)
    })
  }
}

/** Ends a call in one of all ways; tells the tokens that the budget was told of, and those that were billed before. */
function endRandomly(
  { reservation, most }: { readonly reservation: Reservation; readonly most: number },
  random: (below: number) => number,
  billed: { tokens: number; calls: number },
): { readonly tokens: number; readonly before: number } {
  const before = billed.tokens
  const how = random(4)
  if (how === 0) {
    reservation.release()
    return { tokens: 0, before }
  }
  const used = 1 + random(most)
  billed.tokens += used
  billed.calls++
  // The outcome is unknown, or a stream broke and told a part.
  const told = how === 1 ? reservation.amounts! : tokens(how === 2 ? Math.floor(used / 2) : used)
  reservation.settle(told, { estimated: how < 3 })
  return { tokens: Math.min(told.tokens, used), before }
}

/** Whole numbers that a seed decides, from 0 to below a number. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Waits until a call is in the queue of its budget. */
async function queued(caller: BudgetCaller): Promise<void> {
  while (!caller.waiting) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits for some turns of the event loop, in which calls that need not wait get on. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}
