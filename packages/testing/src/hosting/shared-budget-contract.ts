import type { Budget, HostBackend, Reservation, SharedBudget, Spending } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { BudgetCaller } from './budget-caller.ts'
import { budgetContract } from './budget-contract.ts'
import { codeOf } from './code-of.ts'
import {
  acquire,
  cutBackend,
  hasCome,
  withHosts,
  type SharedLimitsContract,
  type SharedLimitsHost,
} from './shared-limits-contract.ts'

const ONE_CALL: Spending = { cost: 0, tokens: 0, calls: 1 }
const tokens = (amount: number): Spending => ({ cost: 0, tokens: amount, calls: 1 })
const reserve = async (budget: Budget, estimate = ONE_CALL): Promise<Reservation> => await budget.reserve(estimate)

/** Adds a test that runs on a new backend, with a function that opens workers on it. */
type Check = (title: string, use: (backend: HostBackend, open: SharedLimitsContract['open']) => Promise<void>) => void

/** Checks a budget as `budgetContract` does, and that it holds over workers, whatever happens to one of them. */
export function sharedBudgetContract(runner: ContractRunner, contract: SharedLimitsContract): void {
  const { describe, test, expect } = runner
  const check: Check = (title, use) => test(title, async () => await withHosts(contract, use))
  budgetContract(runner, {
    name: contract.name,
    async create(options) {
      const backend = await contract.create()
      const host = contract.open({ ...backend, close() {} })
      return {
        budget: host.budget('team', options),
        async close() {
          await host.close()
          await backend.close()
        },
      }
    },
  })

  describe(`shared budget contract: ${contract.name}`, () => {
    checkAdmission(check, expect)
    checkWaiting(check, expect)
    checkEstimates(check, expect)
    checkLostWorkers(check, expect)
    checkStoreFaults(check, expect)
  })
}

/** Checks which calls a budget admits, and what it counts. */
function checkAdmission(check: Check, expect: ContractRunner['expect']): void {
  check('admits calls of all workers up to its limit', async (backend, open) => {
    const [one, other] = openPair(backend, open, { calls: 3 })
    const all = [await reserve(one), await reserve(other), await reserve(one)]
    for (const budget of [one, other]) expect(await codeOf(reserve(budget))).toBe('budget-exceeded')
    all[0]!.release()
    while ((await other.state()).left.calls === 0);
    const last = await reserve(other)
    for (const each of [all[1]!, all[2]!, last]) each.settle(ONE_CALL)
    await untilClosed(one)
    expect(await one.state()).toMatchObject({ used: { calls: 3 }, left: { calls: 0 }, until: null })
    expect(await codeOf(reserve(one))).toBe('budget-exceeded')
    expect(one.spent.calls).toBe(3)
  })

  check('admits exactly what fits when all ask at once', async (backend, open) => {
    const budgets = openPair(backend, open, { calls: 10 })
    const requests = Array.from({ length: 30 }, (_, n) => reserve(budgets[n % 2]!))
    const all = await Promise.allSettled(requests)
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(10)
  })

  check('counts money to the billionth of a dollar', async (backend, open) => {
    const [one, other] = openPair(backend, open, { cost: 1 })
    for (let n = 0; n < 10; n++) {
      const reservation = await reserve(n % 2 ? one : other, { cost: 0.1, tokens: 10, calls: 1 })
      reservation.settle({ cost: 0.1, tokens: 10, calls: 1 })
    }
    await untilClosed(one)
    expect(await other.state()).toMatchObject({ used: { cost: 1, tokens: 100, calls: 10 }, left: { cost: 0 } })
    expect(await codeOf(reserve(one, { cost: 0.000000001, tokens: 0, calls: 1 }))).toBe('budget-exceeded')
  })

  check('replaces an estimate by the usage', async (backend, open) => {
    const [one, other] = openPair(backend, open, { tokens: 100 })
    const large = await reserve(one, tokens(90))
    expect(await codeOf(reserve(other, tokens(20)))).toBe('budget-exceeded')
    expect(large.amounts).toEqual(tokens(90))
    large.settle(tokens(30))
    large.settle(tokens(30))
    large.release()
    await untilClosed(one)
    const second = await reserve(other, tokens(70))
    expect(await codeOf(reserve(one, tokens(1)))).toBe('budget-exceeded')
    second.release()
    await untilClosed(one)
    expect((await one.state()).left).toEqual({ tokens: 70 })
  })
}

/** Checks calls that wait for headroom. */
function checkWaiting(check: Check, expect: ContractRunner['expect']): void {
  check('lets calls wait for calls of other workers, and refuses a call that can never fit', async (backend, open) => {
    const [one, other] = openPair(backend, open, { tokens: 100 })
    const first = await reserve(one, tokens(80))
    const callers = [50, 40].map((input) => new BudgetCaller(other, { input, maxTokens: 1 }))
    const [second, third] = callers.map((caller) => caller.reserve())
    for (const each of [second, third]) expect(await hasCome(each!, backend)).toBe(false)
    expect(await codeOf(new BudgetCaller(one, { input: 200, maxTokens: 1 }).reserve())).toBe('budget-exceeded')
    first.settle(tokens(5))
    for (const each of [second!, third!]) (await each).settle(tokens(1))
    expect(callers[0]!.waits > 0).toBe(true)
  })

  check('skips a call that has left the queue', async (backend, open) => {
    const [one, other] = openPair(backend, open, { calls: 1 })
    const first = await reserve(one)
    const left = new BudgetCaller(other)
    const leaving = left.reserve()
    const next = new BudgetCaller(other).reserve()
    expect(await hasCome(leaving, backend)).toBe(false)
    left.leave()
    first.release()
    ;(await next).settle(ONE_CALL)
  })
}

/** Checks estimates by the answers of all workers. */
function checkEstimates(check: Check, expect: ContractRunner['expect']): void {
  check('learns the length of answers for all workers', async (backend, open) => {
    const [one, other] = openPair(backend, open, { tokens: 10_000 })
    const known = [one, other, one, other].map((budget) => new BudgetCaller(budget, { input: 10 }).reserve())
    const first = await Promise.all(known)
    // Before the first answer four calls are in flight at most.
    const fifth = new BudgetCaller(other, { input: 10 }).reserve()
    expect(await hasCome(fifth, backend)).toBe(false)
    for (const each of first) each.settle(tokens(20), { outputTokens: 10 })
    ;(await fifth).settle(tokens(20), { outputTokens: 10 })
    await untilClosed(one)
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) => new BudgetCaller(n % 2 ? one : other, { input: 10 }).reserve()),
    )
    expect((await one.state()).open).toMatchObject({ tokens: 400, calls: 20 })
    for (const each of many) each.release()
  })
}

/** Checks workers that die, or that are taken for dead. */
function checkLostWorkers(check: Check, expect: ContractRunner['expect']): void {
  check('counts what a dead worker has reserved when its lease is over', async (backend, open) => {
    const { at, cut } = cutBackend(backend)
    const options = { calls: 3, lease: 0.4, onError: ignore }
    const dead = open(at).budget('team', options)
    await Promise.all([reserve(dead), reserve(dead)])
    cut('fail')
    const alive = open(backend).budget('team', options)
    const last = await reserve(alive)
    // It waits as long as the calls of the dead worker may be under way.
    const waits = new BudgetCaller(alive).reserve()
    last.settle(ONE_CALL)
    expect(await codeOf(waits)).toBe('budget-exceeded')
    expect(await alive.state()).toMatchObject({ used: { calls: 3 }, open: { calls: 0 }, left: { calls: 0 } })
  })

  check('counts the usage of a worker that was taken for dead', async (backend, open) => {
    const { at, cut } = cutBackend(backend)
    const options = { calls: 5, lease: 0.4, onError: ignore }
    const late = open(at).budget('team', options)
    const reservation = await reserve(late)
    cut('fail')
    const other = open(backend).budget('team', options)
    await untilClosed(other)
    cut('none')
    reservation.settle(ONE_CALL)
    while ((await other.state()).used.calls === 0);
    expect(await other.state()).toMatchObject({ used: { calls: 1 }, open: { calls: 0 } })
  })

  for (const strict of [true, false]) {
    check(`counts a worker that comes back by its usage (strict: ${strict})`, async (backend, open) => {
      const { at, cut } = cutBackend(backend)
      const options = { tokens: 100, strict, lease: 0.4, onError: ignore }
      const dead = open(at).budget('team', options)
      const reservation = await new BudgetCaller(dead, { input: 30, maxTokens: 30 }).reserve()
      cut('fail')
      const alive = open(backend).budget('team', options)
      await untilClosed(alive)
      expect(await alive.state()).toMatchObject({ used: { tokens: 60 }, left: { tokens: 40 } })
      cut('none')
      reservation.settle(tokens(45))
      await reserve(dead, tokens(1))
      expect((await alive.state()).used.tokens).toBe(45)
    })
  }
}

/** Checks a store that does not answer, a host that is closed, and strict budgets. */
function checkStoreFaults(check: Check, expect: ContractRunner['expect']): void {
  check('waits for a store that does not answer, and refuses calls that cannot wait', async (backend, open) => {
    const { at, cut } = cutBackend(backend)
    const errors: unknown[] = []
    const budget = open(at).budget('team', { calls: 2, onError: (error) => void errors.push(error) })
    cut('fail')
    expect(await codeOf(reserve(budget))).toBe('connection-failed')
    const waits = new BudgetCaller(budget).reserve()
    expect(await hasCome(waits, backend)).toBe(false)
    expect(errors.length).toBe(1)
    cut('none')
    ;(await waits).settle(ONE_CALL)
    await untilClosed(budget)
    expect((await budget.state()).used.calls).toBe(1)
  })

  check('reports usage before its host is closed', async (backend, open) => {
    const host = open(backend)
    for (const each of [
      await reserve(host.budget('team', { calls: 9 })),
      await reserve(host.budget('team', { calls: 9 })),
    ])
      each.settle(ONE_CALL)
    const permit = await acquire(host.limiter({ m: { inFlight: 1 } }))
    permit.end({ tokens: 5 })
    await host.close()
    const other = open(backend)
    expect(await other.budget('team', { calls: 9 }).state()).toMatchObject({ used: { calls: 2 }, open: { calls: 0 } })
    ;(await acquire(other.limiter({ m: { inFlight: 1 } }))).end()
  })

  check('is never exceeded when it is strict', async (backend, open) => {
    const budgets = openPair(backend, open, { tokens: 500, strict: true })
    let used = 0
    const ask = async (n: number): Promise<void> => {
      const call = new BudgetCaller(budgets[n % 2]!, { input: 10 + (n % 7), maxTokens: 20 + (n % 11) })
      let reservation: Reservation
      try {
        reservation = await call.reserve()
      } catch {
        return
      }
      const most = reservation.maxTokens ?? call.maxTokens!
      // An answer of any length that the request allows.
      const output = n % 3 === 0 ? most : (n * 7) % (most + 1)
      used += call.estimate(output).tokens
      reservation.settle(call.estimate(output), { outputTokens: output })
    }
    await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)))
    await untilClosed(budgets[0])
    expect(used <= 500).toBe(true)
    expect((await budgets[0].state()).used.tokens).toBe(used)
  })
}

const ignore = (): void => {}

/** Waits until the store has counted every call that has ended. */
async function untilClosed(budget: SharedBudget): Promise<void> {
  while ((await budget.state()).open.calls > 0);
}

/** Opens the same budget in two workers. */
function openPair(
  backend: HostBackend,
  open: SharedLimitsContract['open'],
  options: Parameters<SharedLimitsHost['budget']>[1],
): readonly [SharedBudget, SharedBudget] {
  return [open(backend).budget('team', options), open(backend).budget('team', options)]
}
