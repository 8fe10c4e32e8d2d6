import type { BudgetCall, RecordChange, RecordStore, Reservation } from '@x/interfaces'
import { MemoryRecords, RecordBudget } from '@x/kernel/limits'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

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
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'settle' as const,
        'settle' as const,
        'unknown' as const,
        'cut' as const,
        'release' as const,
      ),
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
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never

const LIMIT = { tokens: 150, calls: 12 }
const STEPS = fc.array(STEP, { minLength: 30, maxLength: 60, size: 'max' })
const FAULTS = fc.array(fc.nat(12), { maxLength: 200, size: 'max' })

/** A call in flight: at most the tokens that it has reserved are billed for it. */
interface OpenCall {
  readonly reservation: Reservation
  readonly worker: number
  readonly most: number
}

/** Calls of three callers, and what their provider bills for each. */
class BilledCalls {
  readonly #budgets: RecordBudget[]
  readonly #open: OpenCall[] = []
  readonly billed = { tokens: 0, calls: 0 }
  /** Tokens that were billed for streams that broke, and that nobody told the budget of. */
  untoldTokens = 0

  constructor(budgets: RecordBudget[]) {
    this.#budgets = budgets
  }

  /** The bill, with the most that calls in flight may add to it. */
  get most(): { readonly tokens: number; readonly calls: number } {
    const tokens = this.#open.reduce((sum, { most }) => sum + most, this.billed.tokens)
    return { tokens, calls: this.billed.calls + this.#open.length }
  }

  async reserve(worker: number, input: number, output: number): Promise<void> {
    const call = callOf(input, output)
    let reservation: Reservation
    try {
      reservation = await this.#budgets[worker]!.reserve(call.estimate(0), { call })
    } catch (error) {
      expect((error as { code?: string }).code).toMatch(/^(?:budget-exceeded|connection-failed)$/u)
      return
    }
    const most = input + Math.min(output, reservation.maxTokens ?? output)
    expect(reservation.amounts).toEqual({ cost: 0, tokens: most, calls: 1 })
    this.#open.push({ reservation, worker, most })
  }

  async end({ kind, which, part }: Extract<Step, { which: number }>): Promise<void> {
    const [ended] = this.#open.splice(which, 1)
    if (!ended) return
    const { reservation, most } = ended
    const tokens = Math.floor((most * part) / 100)
    if (kind === 'release') reservation.release()
    else {
      this.billed.calls++
      this.billed.tokens += tokens
      if (kind === 'settle') reservation.settle({ cost: 0, tokens, calls: 1 })
      else if (kind === 'unknown') reservation.settle(reservation.amounts!, { estimated: true })
      else {
        // A stream that broke told less than is billed.
        this.untoldTokens += tokens - Math.floor(tokens / 2)
        reservation.settle({ cost: 0, tokens: Math.floor(tokens / 2), calls: 1 }, { estimated: true })
      }
    }
    // An ended reservation counts once.
    reservation.release()
    await Promise.resolve()
  }

  /** Kills a worker: its calls are billed all that they have reserved. */
  die(worker: number, next: RecordBudget): void {
    for (const each of this.#open.filter((each) => each.worker === worker)) {
      this.#open.splice(this.#open.indexOf(each), 1)
      this.billed.tokens += each.most
      this.billed.calls++
    }
    this.#budgets[worker]!.close()
    this.#budgets[worker] = next
  }

  close(): void {
    for (const budget of this.#budgets) budget.close()
  }
}

const rulesOf = (strict: boolean) => ({
  ...{ name: 'the budget', limit: LIMIT, per: undefined, perCall: undefined, strict, minTokens: 1, waits: true },
})

describe.each([true, false])('random calls (strict: %s)', (strict) => {
  it('of workers that die, with a store that sometimes fails, are never billed more than is left', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, FAULTS, async (steps, faults) => {
        let now = 1_000_000
        let at = 0
        const records = new FaultyRecords(new MemoryRecords(() => now), () => faults[at++] ?? 0)
        let born = 0
        const start = (): RecordBudget =>
          new RecordBudget({
            ...rulesOf(strict),
            shared: { records, key: 'k', worker: `w${born++}`, lease: 30, storeTimeout: 5, onError() {} },
          })
        const calls = new BilledCalls([start(), start(), start()])
        for (const step of steps) {
          if (step.kind === 'reserve') await calls.reserve(step.worker, step.input, step.output)
          else if (step.kind === 'die') calls.die(step.worker, start())
          else if (step.kind === 'wait') now += step.seconds * 1000
          else await calls.end(step)
          expect(calls.most.tokens).toBeLessThanOrEqual(LIMIT.tokens + (strict ? 0 : calls.untoldTokens))
          expect(calls.most.calls).toBeLessThanOrEqual(LIMIT.calls)
        }
        calls.close()
      }),
      { numRuns: 60 },
    )
  })

  it('of one process are never billed more than is left, and are counted by what they told', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const budget = new RecordBudget(rulesOf(strict))
        const calls = new BilledCalls([budget, budget, budget])
        for (const step of steps) {
          if (step.kind === 'reserve') await calls.reserve(step.worker, step.input, step.output)
          else if ('which' in step) await calls.end(step)
          const { spent } = budget
          for (const key of ['tokens', 'calls'] as const) {
            const untold = strict || key === 'calls' ? 0 : calls.untoldTokens
            expect(calls.most[key]).toBeLessThanOrEqual(LIMIT[key] + untold)
            expect(spent[key]).toBeLessThanOrEqual(LIMIT[key])
            expect(spent[key]).toBeGreaterThanOrEqual(calls.most[key] - untold)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})
