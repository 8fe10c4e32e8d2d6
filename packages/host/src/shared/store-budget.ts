import type {
  BudgetCall,
  BudgetState,
  MaybePromise,
  RecordStore,
  Reservation,
  ReserveOptions,
  RoomWaiter,
  SettledAnswer,
  SharedBudget,
  Spending,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { closedError, downError, refusedError } from './budget-error.ts'
import { periodAt } from './budget-period.ts'
import { readBudget } from './budget-record.ts'
import {
  addCall,
  decideBudget,
  sumsOf,
  type Admission,
  type BudgetAnswer,
  type BudgetAsk,
  type BudgetQuestion,
  type BudgetRules,
  type BudgetSums,
  type Refusal,
} from './budget-rules.ts'
import { addUnits, DIMENSIONS, eachUnit, noUnits, spendingOf, unitsOf, type Units } from './budget-units.ts'
import { WaitingCalls } from './waiting-calls.ts'

/** Options of a {@link StoreBudget}. */
export interface StoreBudgetOptions {
  readonly records: RecordStore
  readonly key: string
  readonly rules: BudgetRules
  /** Names this process among those that share the budget. */
  readonly worker: string
  /** Seconds without a sign of life after which its share is given back. */
  readonly lease: number
  /** Whether calls wait for room. */
  readonly waits: boolean
  /** Hears, once, that the store does not answer, until it does again. */
  readonly onError: (error: unknown) => void
}

/** Seconds that the store may take to answer. */
const STORE_TIMEOUT = 5
/** Milliseconds after which a store that did not answer is asked again. */
const RETRY = 500

/** The reservation of a call that is counted here already, by another way. */
const COUNTED: Reservation = { addCall: () => true, settle() {}, release() {} }

/** A question that waits for its answer. */
interface PendingAsk {
  readonly ask: BudgetAsk
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (error: unknown) => void
}

type Verdict = Held | Refusal

/** One process's view of a budget in a store: its own reservations, of which it tells the sums. */
export class StoreBudget implements SharedBudget {
  readonly #options: StoreBudgetOptions
  readonly #held = new Set<Held>()
  readonly #calls = new Set<BudgetCall>()
  readonly #open: Units = noUnits()
  #unknown: BudgetQuestion['unknown'] = []
  /** What was used through this process, and what of it the store has counted. */
  readonly #spent: Units = noUnits()
  #counted: Units = noUnits()
  #lengths: (readonly [model: string, tokens: number])[] = []
  #sums: BudgetSums = { used: noUnits(), open: noUnits(), start: null }
  /** What of the sums is set aside here. */
  #summed: Units = noUnits()
  #pending: PendingAsk[] = []
  readonly #waiting = new WaitingCalls()
  #telling = false
  /** Whether something has changed that the store does not know. */
  #dirty = false
  /** Whether a reservation has ended since those who wait were served. */
  #ended = false
  /** Those who wait until the store knows everything. */
  #flushing: (() => void)[] = []
  #warned = false
  #closed = false
  #pulse: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(options: StoreBudgetOptions) {
    this.#options = options
  }

  get spent(): Spending {
    const { used, open } = this.#sums
    const untold = eachUnit(this.#spent, this.#counted, (all, told) => all - told)
    return spendingOf(eachUnit(eachUnit(used, untold, plus), open, plus))
  }

  async state(): Promise<BudgetState> {
    const { records, key, rules } = this.#options
    const { used, open, start } = await records.change(key, (value, now) => ({
      value,
      answer: sumsOf(readBudget(value, now, rules)),
    }))
    const free = eachUnit(eachUnit(rules.limit, used, minus), open, minus)
    const limited = DIMENSIONS.filter((each) => Number.isFinite(rules.limit[each]))
    const only = (all: Spending): Partial<Spending> =>
      Object.fromEntries(limited.map((each) => [each, Math.max(0, all[each])]))
    return {
      limit: only(spendingOf(rules.limit)),
      used: spendingOf(used),
      open: spendingOf(open),
      left: only(spendingOf(free)),
      until: start === null || rules.per === undefined ? null : periodAt(start, rules.per).end,
    }
  }

  reserve(estimate: Spending, { call, waiter }: ReserveOptions = {}): MaybePromise<Reservation> {
    if (call && this.#calls.has(call)) return COUNTED
    const waits = this.#options.waits && waiter !== undefined
    // Those who wait come first.
    if (waits && this.#waiting.isBehind(waiter)) throw this.#queue(waiter)
    const conclude = (verdict: Verdict): Reservation => {
      if (verdict instanceof Held) return verdict
      if (waits && verdict.later) throw this.#queue(waiter)
      throw refusedError(this.#options.rules, this.#sums, verdict)
    }
    const asked = this.#ask({ estimate, call, waits })
    if (!isThenable(asked)) return conclude(asked)
    const reserving = asked.then(conclude, (error: unknown) => {
      // The call waits for the store as it would for room.
      throw waits ? this.#queue(waiter) : error
    })
    if (waiter) this.#waiting.hears(waiter, reserving)
    return reserving
  }

  /** Whether nothing is set aside or waits here, and the store knows everything. */
  get isIdle(): boolean {
    return this.#held.size === 0 && this.#waiting.size === 0 && !this.#telling && !this.#dirty
  }

  /** Resolves when the store knows what has ended here, or does not answer. */
  async flush(): Promise<void> {
    if (this.#closed || (!this.#telling && !this.#dirty)) return
    const flushed = new Promise<void>((resolve) => this.#flushing.push(resolve))
    this.#tell()
    await flushed
  }

  /** Ends all waiting and tells the store nothing more: what is set aside is given back when its lease is over. */
  close(): void {
    this.#closed = true
    this.#flushed()
    clearTimeout(this.#retry)
    clearInterval(this.#pulse)
    this.#waiting.close()
  }

  /** Sets one more call aside; where that is not sure at once, only a budget that is not strict does. */
  addCall(held: Held): boolean {
    const { limit, strict } = this.#options.rules
    if (!this.#held.has(held)) return false
    if (limit.calls === Infinity) return true
    if (!strict) {
      const { used, open } = this.#sums
      const untold = this.#open.calls - this.#summed.calls
      if (used.calls + open.calls + untold + 1 > limit.calls) return false
      held.amounts.calls++
      this.#open.calls++
      this.#tell()
      return true
    }
    const asked = this.#ask({ estimate: { cost: 0, tokens: 0, calls: 1 }, call: undefined, waits: false })
    if (!isThenable(asked)) return asked instanceof Held && held.take(asked)
    asked.then((late) => late instanceof Held && late.release()).then(undefined, () => {})
    return false
  }

  /** Ends a reservation, with what was used. */
  end(held: Held, actual: Spending | undefined, answer: SettledAnswer): void {
    if (!this.#held.delete(held)) return
    const { amounts, call, unknown } = held
    this.#ended = true
    if (call) this.#calls.delete(call)
    addUnits(this.#open, amounts, -1)
    if (unknown !== undefined) this.#unknown = addCall(this.#unknown, unknown, -1)
    if (actual) {
      const used = unitsOf(actual)
      const { strict } = this.#options.rules
      const counts = strict && answer.estimated ? { ...eachUnit(amounts, used, Math.max), calls: used.calls } : used
      addUnits(this.#spent, counts)
      if (call && answer.outputTokens !== undefined) this.#lengths.push([call.model, answer.outputTokens])
    }
    this.#tell()
  }

  #ask(ask: BudgetAsk): MaybePromise<Verdict> {
    let verdict: Verdict | undefined
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
    this.#pending.push({
      ask,
      resolve(given) {
        verdict = given
        resolve(given)
      },
      reject,
    })
    this.#tell()
    return verdict ?? promise
  }

  #queue(waiter: RoomWaiter): XError {
    this.#waiting.add(waiter)
    return new XError('budget-exceeded', `the budget \`${this.#options.rules.name}\` has no room yet`)
  }

  /** Tells the store what is set aside and used here, and asks it for what is pending. */
  #tell(): void {
    this.#dirty = true
    if (this.#closed) {
      for (const { reject } of this.#pending.splice(0)) reject(closedError(this.#options.rules.name))
      return
    }
    if (this.#telling) return
    this.#telling = true
    this.#dirty = false
    clearTimeout(this.#retry)
    const { records, key, rules, worker, lease } = this.#options
    const pending = this.#pending.splice(0)
    const question: BudgetQuestion = {
      ...{ worker, rules, lease: lease * 1000, counted: { ...this.#counted } },
      ...{ open: { ...this.#open }, count: this.#held.size, unknown: this.#unknown, spent: { ...this.#spent } },
      lengths: this.#lengths.splice(0),
      asks: pending.map(({ ask }) => ask),
    }
    try {
      const answer = records.change(key, (value, now) => decideBudget(value, now, question))
      if (isThenable(answer)) void this.#hear(answer, question, pending)
      else this.#told(answer, question, pending)
    } catch (error) {
      this.#failed(error, question, pending)
    }
  }

  async #hear(
    answer: PromiseLike<BudgetAnswer>,
    question: BudgetQuestion,
    pending: readonly PendingAsk[],
  ): Promise<void> {
    let over = false
    const timer = setTimeout(() => {
      over = true
      this.#failed(new XError('timeout', `no answer within ${STORE_TIMEOUT} s`), question, pending)
    }, STORE_TIMEOUT * 1000)
    try {
      const told = await answer
      if (!over) this.#told(told, question, pending)
    } catch (error) {
      if (!over) this.#failed(error, question, pending)
    } finally {
      clearTimeout(timer)
    }
  }

  #told({ verdicts, sums }: BudgetAnswer, question: BudgetQuestion, pending: readonly PendingAsk[]): void {
    if (this.#closed) return
    this.#warned = false
    this.#counted = question.spent
    this.#sums = sums
    this.#summed = question.open
    for (const [index, { ask, resolve }] of pending.entries()) {
      const verdict = verdicts[index]!
      if (!('later' in verdict)) this.#summed = eachUnit(this.#summed, verdict.amounts, plus)
      resolve('later' in verdict ? verdict : this.#hold(ask, verdict))
    }
    this.#telling = false
    this.#beat()
    if (this.#dirty || this.#pending.length > 0) return this.#tell()
    this.#flushed()
    if (!this.#ended) return
    this.#ended = false
    this.#waiting.serve()
  }

  #flushed(): void {
    for (const resolve of this.#flushing.splice(0)) resolve()
  }

  #hold({ call }: BudgetAsk, { amounts, maxTokens, unknown }: Admission): Held {
    const held = new Held(this, { amounts: { ...amounts }, call, maxTokens, unknown })
    this.#held.add(held)
    if (call) this.#calls.add(call)
    addUnits(this.#open, amounts)
    if (unknown !== undefined) this.#unknown = addCall(this.#unknown, unknown)
    return held
  }

  /** Shows that this process lives as long as it has something set aside. */
  #beat(): void {
    if (this.#held.size === 0) {
      clearInterval(this.#pulse)
      this.#pulse = undefined
      return
    }
    this.#pulse ??= setInterval(() => this.#tell(), (this.#options.lease * 1000) / 3).unref()
  }

  /** Whether the question was heard is not known: the next one tells the sums anew. */
  #failed(error: unknown, { lengths }: BudgetQuestion, pending: readonly PendingAsk[]): void {
    this.#telling = false
    this.#dirty = true
    this.#lengths.push(...lengths)
    const { rules, onError } = this.#options
    for (const { reject } of pending) reject(downError(rules.name, error))
    this.#flushed()
    if (this.#closed) return
    if (!this.#warned) onError(error)
    this.#warned = true
    this.#retry = setTimeout(() => this.#tell(), RETRY)
    // Somebody who waits for the answer keeps the process.
    if (this.#waiting.size === 0 && this.#pending.length === 0) this.#retry.unref()
  }
}

const plus = (a: number, b: number): number => a + b
const minus = (a: number, b: number): number => a - b

/** What a reservation remembers. */
interface HeldInit {
  readonly amounts: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  readonly unknown: string | undefined
}

class Held implements Reservation {
  readonly amounts: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  readonly unknown: string | undefined
  readonly #budget: StoreBudget
  /** Reservations of further requests. */
  readonly #more: Held[] = []

  constructor(budget: StoreBudget, { amounts, call, maxTokens, unknown }: HeldInit) {
    this.#budget = budget
    this.amounts = amounts
    this.call = call
    this.maxTokens = maxTokens
    this.unknown = unknown
  }

  addCall(): boolean {
    return this.#budget.addCall(this)
  }

  /** Takes another reservation over, which stays open with this one. */
  take(other: Held): boolean {
    this.#more.push(other)
    return true
  }

  settle(actual: Spending, answer: SettledAnswer = {}): void {
    this.#budget.end(this, actual, answer)
    for (const other of this.#more.splice(0)) other.release()
  }

  release(): void {
    this.#budget.end(this, undefined, {})
    for (const other of this.#more.splice(0)) other.release()
  }
}
