import type {
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
import { isThenable, isXError, XError } from '@x/kernel'
import { closedError, downError, refusedError } from './budget-error.ts'
import { periodAt } from './budget-period.ts'
import { readBudget } from './budget-record.ts'
import {
  decideBudget,
  sumsOf,
  type Admission,
  type BudgetAnswer,
  type BudgetAsk,
  type BudgetQuestion,
  type BudgetRules,
  type Refusal,
} from './budget-rules.ts'
import { DIMENSIONS, eachUnit, spendingOf, unitsOf } from './budget-units.ts'
import { Held } from './held.ts'
import { OwnShare } from './own-share.ts'
import { RecordTeller, type RecordQuestion } from './record-teller.ts'
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
  readonly #share = new OwnShare()
  readonly #teller: RecordTeller<BudgetAnswer>
  readonly #waiting = new WaitingCalls()
  #pending: PendingAsk[] = []
  /** Whether a reservation has ended since those who wait were served. */
  #hasEnded = false
  #pulse: NodeJS.Timeout | undefined

  constructor(options: StoreBudgetOptions) {
    const { records, key, onError } = options
    this.#options = options
    this.#teller = new RecordTeller({
      ...{ records, key, onError },
      question: () => this.#question(),
      isAwaited: () => this.#waiting.size > 0 || this.#pending.length > 0,
      onQuiet: () => this.#serve(),
    })
  }

  get spent(): Spending {
    return spendingOf(this.#share.total)
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
    if (call && this.#share.has(call)) return COUNTED
    if (this.#teller.isClosed) throw closedError(this.#options.rules.name)
    const waits = this.#options.waits ? waiter : undefined
    // Those who wait come first.
    if (waits && this.#waiting.isBehind(waits)) throw this.#queue(waits)
    const asked = this.#ask({ estimate, call, waits: waits !== undefined })
    if (!isThenable(asked)) return this.#conclude(asked, waits)
    const reserving = asked.then(
      (verdict) => this.#conclude(verdict, waits),
      (error: unknown) => {
        // The call waits for the store as it would for room.
        throw waits && isXError(error, 'connection-failed') ? this.#queue(waits) : error
      },
    )
    if (waits) this.#waiting.hears(waits, reserving)
    return reserving
  }

  /** Whether nothing is set aside or waits here, and the store knows everything. */
  get isIdle(): boolean {
    return this.#share.isEmpty && this.#waiting.size === 0 && this.#teller.isQuiet
  }

  /** Resolves when the store knows what has ended here, or does not answer. */
  async flush(): Promise<void> {
    await this.#teller.flush()
  }

  /** Ends all waiting, with `invalid-state`, and tells the store nothing more: what is set aside is given back when its lease is over. */
  close(): void {
    this.#teller.close()
    clearInterval(this.#pulse)
    for (const { reject } of this.#pending.splice(0)) reject(closedError(this.#options.rules.name))
    this.#waiting.close()
  }

  /** Sets one more call aside; where that is not sure at once, only a budget that is not strict does. */
  addCall(held: Held): boolean {
    const { limit, strict } = this.#options.rules
    if (!this.#share.holds(held)) return false
    if (limit.calls === Infinity) return true
    if (!strict) {
      if (this.#share.total.calls + 1 > limit.calls) return false
      this.#share.addCall(held)
      this.#teller.tell()
      return true
    }
    const asked = this.#ask({ estimate: { cost: 0, tokens: 0, calls: 1 }, call: undefined, waits: false })
    if (asked instanceof Held) {
      held.take(asked)
      return true
    }
    if (isThenable(asked)) asked.then((late) => late instanceof Held && late.release()).then(undefined, () => {})
    return false
  }

  /** Ends a reservation, with what was used. */
  end(held: Held, actual: Spending | undefined, { estimated, outputTokens }: SettledAnswer): void {
    const used = actual && unitsOf(actual)
    const isAtMost = this.#options.rules.strict && estimated
    const counts = used && isAtMost ? { ...eachUnit(held.amounts, used, Math.max), calls: used.calls } : used
    if (!this.#share.end(held, counts, outputTokens)) return
    this.#hasEnded = true
    this.#teller.tell()
  }

  #conclude(verdict: Verdict, waits: RoomWaiter | undefined): Reservation {
    if (verdict instanceof Held) return verdict
    if (waits && verdict.later) throw this.#queue(waits)
    throw refusedError(this.#options.rules, this.#share.total, verdict)
  }

  /** Lets a call wait for room; gives the error that says so. */
  #queue(waiter: RoomWaiter): XError {
    this.#waiting.add(waiter)
    return new XError('budget-exceeded', `the budget \`${this.#options.rules.name}\` has no room yet`)
  }

  /** Asks the store; what is there at once needs no promise. */
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
    this.#teller.tell()
    return verdict ?? promise
  }

  /** Tells what is set aside and used here, and asks for what is pending. */
  #question(): RecordQuestion<BudgetAnswer> {
    const { rules, worker, lease } = this.#options
    const pending = this.#pending.splice(0)
    const told = this.#share.tell()
    const asks = pending.map(({ ask }) => ask)
    const question: BudgetQuestion = { worker, rules, lease: lease * 1000, ...told, asks }
    return {
      change: (value, now) => decideBudget(value, now, question),
      onAnswer: ({ verdicts, sums }) => {
        this.#share.hear(told, sums, amountsOf(verdicts))
        for (const [index, { ask, resolve }] of pending.entries()) {
          const verdict = verdicts[index]!
          resolve('later' in verdict ? verdict : this.#hold(ask, verdict))
        }
        this.#beat()
      },
      onFailure: (error) => {
        this.#share.unheard(told)
        const failure = this.#teller.isClosed ? closedError(rules.name) : asFailure(rules.name, error)
        for (const { reject } of pending) reject(failure)
      },
    }
  }

  #hold({ call }: BudgetAsk, { amounts, maxTokens, unknown }: Admission): Held {
    const held = new Held(this, { amounts: { ...amounts }, call, maxTokens, unknown })
    this.#share.hold(held)
    return held
  }

  /** Lets those who wait try again, where there may be room. */
  #serve(): void {
    if (!this.#hasEnded) return
    this.#hasEnded = false
    this.#waiting.serve()
  }

  /** Shows that this process lives as long as it has something set aside. */
  #beat(): void {
    if (this.#share.isEmpty) {
      clearInterval(this.#pulse)
      this.#pulse = undefined
      return
    }
    this.#pulse ??= setInterval(() => this.#teller.tell(), (this.#options.lease * 1000) / 3).unref()
  }
}

/** A damaged record does not come back by waiting, as a store does. */
const asFailure = (name: string, error: unknown): unknown =>
  isXError(error, 'invalid-state') ? error : downError(name, error)

const amountsOf = (verdicts: BudgetAnswer['verdicts']): Admission['amounts'][] =>
  verdicts.flatMap((verdict) => ('later' in verdict ? [] : [verdict.amounts]))

const minus = (a: number, b: number): number => a - b
