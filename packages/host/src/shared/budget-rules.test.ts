import type { BudgetCall, RecordChange, RecordStore, Reservation, Spending } from '@x/interfaces'
import { MemoryRecords } from '@x/kernel/limiter'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideBudget, type BudgetRules, type BudgetUpdate, type ReservationRequest } from './budget-rules.ts'
import { limitUnits, noUnits } from './budget-units.ts'
import { StoreBudget } from './store-budget.ts'

const DAY_MS = 86_400_000
const rulesOf = (limit: Partial<Spending>, more: Partial<BudgetRules> = {}): BudgetRules => ({
  ...{ name: 'team', per: undefined, perCall: undefined, strict: false, minTokens: 1024, limit: limitUnits(limit) },
  ...more,
})
const update = (rules: BudgetRules, more: Partial<BudgetUpdate> = {}): BudgetUpdate => ({
  ...{ worker: 'a', lease: 30_000, rules, counted: noUnits(), open: noUnits(), count: 0, unknown: [] },
  ...{ spent: noUnits(), lengths: [], requests: [], ...more },
})
const request = (tokens: number): ReservationRequest => ({
  estimate: { cost: 0, tokens, calls: 1 },
  call: undefined,
  waits: false,
})
const units = (tokens: number, calls = 1) => ({ cost: 0, tokens, calls })

describe('the period of a budget', () => {
  it('starts each day by the clock of the store, with the calls in flight', () => {
    const rules = rulesOf({ tokens: 100 }, { per: 'day' })
    const late = 5 * DAY_MS - 1000
    const first = decideBudget(undefined, late, update(rules, { requests: [request(60), request(30)] }))
    const settled = update(rules, { open: units(30), count: 1, spent: units(60) })
    const before = decideBudget(first.value, late + 500, { ...settled, requests: [request(20)] })
    expect(before.answer.verdicts).toMatchObject([{ later: true }])
    const after = decideBudget(before.value, late + 2000, { ...settled, requests: [request(80)] })
    expect(after.answer).toMatchObject({
      verdicts: [{ later: true }],
      sums: { used: { tokens: 0 }, start: 5 * DAY_MS },
    })
    expect(
      decideBudget(after.value, late + 2001, { ...settled, requests: [request(70)] }).answer.verdicts,
    ).toMatchObject([{ amounts: { tokens: 70 } }])
  })

  it.each([
    ['a day', 5 * DAY_MS + 1000, 5 * DAY_MS - 1000],
    ['a week', 15 * DAY_MS, 8 * DAY_MS],
  ])('forgets nothing when the clock is set back over %s', (_, now, back) => {
    const rules = rulesOf({ tokens: 100 }, { per: 'day' })
    const used = decideBudget(undefined, now, update(rules, { spent: units(90) }))
    const other = update(rules, { worker: 'b', requests: [request(20)] })
    expect(decideBudget(used.value, back, other).answer.verdicts).toMatchObject([{ later: false }])
    const next = Math.max(now, back) + DAY_MS
    expect(decideBudget(used.value, next, other).answer.verdicts).toMatchObject([{ amounts: { tokens: 20 } }])
  })

  it('is a calendar month in UTC, or a number of seconds', () => {
    const month = rulesOf({ tokens: 100 }, { per: 'month' })
    const at = (text: string): number => Date.parse(text)
    const used = decideBudget(undefined, at('2026-12-31T23:59:59Z'), update(month, { spent: units(90) }))
    expect(used.answer.sums.start).toBe(at('2026-12-01T00:00:00Z'))
    const next = decideBudget(used.value, at('2027-01-01T00:00:00Z'), update(month, { spent: units(90) }))
    expect(next.answer.sums).toMatchObject({ used: { tokens: 0 }, start: at('2027-01-01T00:00:00Z') })
    const short = decideBudget(undefined, 12_345, update(rulesOf({ tokens: 1 }, { per: 10 })))
    expect(short.answer.sums.start).toBe(10_000)
  })
})

describe('the update of a worker', () => {
  it('counts once however often it arrives', () => {
    const rules = rulesOf({ tokens: 100 })
    const report = update(rules, { spent: units(40), open: units(10), count: 1 })
    let value: unknown
    for (let n = 0; n < 3; n++) value = decideBudget(value, 1000 + n, report).value
    expect(decideBudget(value, 2000, report).answer.sums).toMatchObject({ used: { tokens: 40 }, open: { tokens: 10 } })
  })

  it('changes nothing when nothing is new', () => {
    const rules = rulesOf({ tokens: 100 })
    const report = update(rules, { spent: units(40), open: units(10), count: 1 })
    const first = decideBudget(undefined, 1000, report)
    expect(decideBudget(first.value, 1500, { ...report, requests: [request(80)] }).value).toBe(first.value)
  })

  it.each([null, 1, 'text', [], { used: 1 }])('is refused when the store holds %j', (value) => {
    expect(() => decideBudget(value, 1000, update(rulesOf({ calls: 1 })))).toThrow('not one of a budget')
  })
})

/** A store in memory that sometimes fails, before or after a change is made. */
class FaultyRecords implements RecordStore {
  readonly #records: MemoryRecords
  readonly #fault: () => number

  constructor(records: MemoryRecords, fault: () => number) {
    this.#records = records
    this.#fault = fault
  }

  async change<T>(key: string, change: RecordChange<T>): Promise<T> {
    await Promise.resolve()
    const fault = this.#fault()
    if (fault === 1) throw new Error('cut before the change')
    const answer = this.#records.change(key, change)
    if (fault === 2) throw new Error('cut after the change')
    return answer
  }
}

const callOf = (input: number, maxTokens: number): BudgetCall => ({
  ...{ model: 'm', maxTokens, maxOutput: undefined },
  estimate: (output) => ({ cost: 0, tokens: input + output, calls: 1 }),
})

const STEP = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      worker: fc.nat(2),
      input: fc.integer({ min: 1, max: 20 }),
      output: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('settle' as const, 'settle' as const, 'release' as const),
      which: fc.nat(3),
      part: fc.integer({ min: 50, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), worker: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 10, max: 40 }) }),
  },
)

const LIMIT_TOKENS = 150
const STEPS = fc.array(STEP, { minLength: 30, maxLength: 60, size: 'max' })
const FAULTS = fc.array(fc.nat(12), { maxLength: 200, size: 'max' })

describe('random calls of workers that die, with a store that sometimes fails', () => {
  it.each([true, false])('never spend more than is left (strict: %s)', async (strict) => {
    await fc.assert(
      fc.asyncProperty(STEPS, FAULTS, async (steps, faults) => {
        let now = 1_000_000
        let at = 0
        const records = new MemoryRecords(() => now)
        const faulty = new FaultyRecords(records, () => faults[at++] ?? 0)
        const rules = rulesOf({ tokens: LIMIT_TOKENS }, { strict, minTokens: 1 })
        let born = 0
        const start = (): StoreBudget =>
          new StoreBudget({
            ...{ records: faulty, key: 'k', rules, worker: `w${born++}`, lease: 30, waits: true, onError() {} },
          })
        const workers = [start(), start(), start()]
        const open: { reservation: Reservation; worker: number; input: number; most: number }[] = []
        /** Tokens that calls have used, and that calls of dead workers may have used. */
        let used = 0
        let lost = 0
        /** True if the lease of a living worker may have expired. */
        let isLate = false
        for (const step of steps) {
          if (step.kind === 'reserve') {
            const { worker, input, output } = step
            try {
              const call = callOf(input, output)
              const reservation = await workers[worker]!.reserve(call.estimate(0), { call })
              const most = Math.min(output, reservation.maxTokens ?? output)
              open.push({ reservation, worker, input, most })
            } catch (error) {
              expect((error as { code?: string }).code).toMatch(/^(?:budget-exceeded|connection-failed)$/u)
            }
          } else if (step.kind === 'die') {
            const dead = open.filter(({ worker }) => worker === step.worker)
            // Their calls may have used all that was reserved.
            for (const { input, most } of dead) lost += input + most
            for (const each of dead) open.splice(open.indexOf(each), 1)
            workers[step.worker]!.close()
            workers[step.worker] = start()
          } else if (step.kind === 'wait') {
            now += step.seconds * 1000
            isLate = true
          } else {
            const [ended] = open.splice(step.which, 1)
            if (!ended) continue
            const tokens = ended.input + Math.floor((ended.most * step.part) / 100)
            if (step.kind === 'release') ended.reservation.release()
            else {
              used += tokens
              ended.reservation.settle({ cost: 0, tokens, calls: 1 })
            }
            await Promise.resolve()
          }
          const pending = open.reduce((sum, { input, most }) => sum + input + most, 0)
          if (strict) expect(used + lost + pending).toBeLessThanOrEqual(LIMIT_TOKENS)
          else if (lost === 0 && !isLate) expect(used + pending).toBeLessThanOrEqual(LIMIT_TOKENS)
        }
        for (const worker of workers) worker.close()
      }),
      { numRuns: 40 },
    )
  })
})
