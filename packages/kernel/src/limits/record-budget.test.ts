import type { RecordChange, RecordStore, RoomWaiter } from '@x/interfaces'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RecordBudget } from './record-budget.ts'
import { MemoryRecords } from './record-updater.ts'

afterEach(() => void vi.useRealTimers())

/** Records whose changes wait until the test continues them. */
class SlowRecords implements RecordStore {
  readonly #records = new MemoryRecords(() => 1000)
  readonly #waiting: (() => void)[] = []
  isSlow = true

  async change<T>(key: string, change: RecordChange<T>): Promise<T> {
    if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return await this.#records.change(key, change)
  }

  /** Makes the waiting changes. */
  async makeChanges(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve()
    await new Promise((resolve) => process.nextTick(resolve))
  }
}

const budgetIn = (records: RecordStore): RecordBudget =>
  new RecordBudget({
    ...{ name: 'the budget `team`', per: undefined, perCall: undefined, strict: true, minTokens: 1, waits: true },
    limit: { tokens: 100 },
    shared: { records, key: 'k', worker: 'w', lease: 30, storeTimeout: 5, onError() {} },
  })

const TOKENS = { cost: 0, tokens: 60, calls: 1 }

describe('a budget that is closed', () => {
  const closed = { code: 'invalid-state', message: expect.stringContaining('was closed with its host') as string }

  it('fails calls with a reservation in flight', async () => {
    const budget = budgetIn(new SlowRecords())
    const reserving = budget.reserve(TOKENS)
    budget.close()
    await expect(reserving).rejects.toMatchObject(closed)
    await expect(async () => await budget.reserve(TOKENS)).rejects.toMatchObject(closed)
  })

  it('fails calls that wait for room', async () => {
    const records = new SlowRecords()
    records.isSlow = false
    const budget = budgetIn(records)
    await budget.reserve(TOKENS)
    const again = Promise.withResolvers<void>()
    const waiter: RoomWaiter = { waiting: true, onQueued() {}, retry: () => again.resolve() }
    const reserve = async () => await budget.reserve(TOKENS, { waiter })
    await expect(reserve()).rejects.toMatchObject({ code: 'budget-exceeded' })
    budget.close()
    await again.promise
    await expect(reserve()).rejects.toMatchObject(closed)
  })
})

it('a call that comes while the store is asked is the next update', async () => {
  const records = new SlowRecords()
  const budget = budgetIn(records)
  const amounts = { cost: 0, tokens: 30, calls: 1 }
  const [first, second, third] = [budget.reserve(amounts), budget.reserve(amounts), budget.reserve(amounts)]
  await records.makeChanges()
  ;(await first).settle({ cost: 0, tokens: 20, calls: 1 })
  await records.makeChanges()
  await Promise.all([second, third])
  await records.makeChanges()
  records.isSlow = false
  expect(await budget.state()).toMatchObject({ used: { tokens: 20 }, open: { tokens: 60, calls: 2 } })
  budget.close()
})

it('an update that reaches the store after its timeout changes nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const records = new SlowRecords()
  const budget = budgetIn(records)
  const reserving = budget.reserve(TOKENS)
  const refused = expect(reserving).rejects.toMatchObject({ code: 'connection-failed' })
  await vi.advanceTimersByTimeAsync(5000)
  await refused
  await records.makeChanges()
  records.isSlow = false
  expect((await budget.state()).open).toEqual({ cost: 0, tokens: 0, calls: 0 })
  budget.close()
})

describe('a record that is not one of a budget', () => {
  const records = new MemoryRecords(() => 1000)
  const put = (value: unknown) => records.change('k', () => ({ value, answer: undefined }))
  const found = (): unknown => records.change('k', (value) => ({ value, answer: value }))

  it.each<[what: string, damage: (value: Record<string, never>) => unknown, code?: string]>([
    ['of another kind', () => 5],
    ['without what was used', (value) => ({ ...value, used: undefined })],
    ['with text among what was used', (value) => ({ ...value, used: { cost: 0, tokens: '0', calls: 0 } })],
    ['with text in place of workers', (value) => ({ ...value, workers: 'none' })],
    ['with half a worker', (value) => ({ ...value, workers: [{ id: 'a', until: 9e15, lease: 30_000 }] })],
    ['with a length that is no number', (value) => ({ ...value, lengths: [['m', null]] })],
    ['of a newer version', (value) => ({ ...value, version: 2 }), 'unknown-state-version'],
  ])('fails calls by its name, and is left as it is: %s', async (_, damage, code = 'invalid-state') => {
    put(undefined)
    const whole = budgetIn(records)
    await whole.reserve(TOKENS)
    whole.close()
    const damaged = damage(found() as Record<string, never>)
    put(damaged)
    const budget = budgetIn(records)
    const waiter: RoomWaiter = { waiting: true, onQueued() {}, retry() {} }
    const refused = { code, message: expect.stringContaining('record of the budget `team`') as string }
    await expect(async () => await budget.reserve(TOKENS, { waiter })).rejects.toMatchObject(refused)
    await expect(budget.state()).rejects.toMatchObject(refused)
    budget.close()
    expect(found()).toEqual(damaged)
  })
})
