import type {
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
import { periodAt, readBudget } from './budget-record.ts'
import {
  decideBudget,
  sumsOf,
  type Admission,
  type BudgetAnswer,
  type BudgetRules,
  type BudgetUpdate,
  type Refusal,
  type ReservationRequest,
} from './budget-rules.ts'
import { BUDGET_DIMENSIONS, eachUnit, noUnits, spendingOf, unitsOf, type Units } from './budget-units.ts'
import { CallQueue } from './call-queue.ts'
import { LocalReservations, StoreReservation } from './local-reservations.ts'
import { RecordUpdater, type RecordUpdate } from './record-updater.ts'

/** Options of a {@link StoreBudget}. */
export interface StoreBudgetOptions {
  readonly records: RecordStore
  readonly key: string
  readonly rules: BudgetRules
  /** Identifier of this process among those that share the budget. */
  readonly worker: string
  /** Seconds without a sign of life after which its reservations are released. */
  readonly lease: number
  /** True if calls wait for room. */
  readonly waits: boolean
  /** Called with the first error of a store that does not answer, and again after it has answered. */
  readonly onError: (error: unknown) => void
}

/** The reservation of a call that this budget already counts, because it was given to the call in two ways. */
const COUNTED_RESERVATION: Reservation = { amounts: noUnits(), addCall: () => true, settle() {}, release() {} }

/** A request that waits for its verdict. */
interface PendingRequest {
  readonly request: ReservationRequest
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (error: unknown) => void
}

type Verdict = StoreReservation | Refusal

/** One process's view of a budget in a store: it keeps its own reservations, and reports their sums. */
export class StoreBudget implements SharedBudget {
  readonly #options: StoreBudgetOptions
  readonly #local = new LocalReservations()
  readonly #updater: RecordUpdater<BudgetAnswer>
  readonly #queue = new CallQueue()
  #pending: PendingRequest[] = []
  /** True if a reservation has ended since the queue was last retried. */
  #hasEnded = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(options: StoreBudgetOptions) {
    const { records, key, onError } = options
    this.#options = options
    this.#updater = new RecordUpdater({
      ...{ records, key, onError },
      makeUpdate: () => this.#makeUpdate(),
      isAwaited: () => this.#queue.size > 0 || this.#pending.length > 0,
      onIdle: () => this.#retryQueue(),
    })
  }

  get spent(): Spending {
    return spendingOf(this.#local.total)
  }

  async state(): ReturnType<SharedBudget['state']> {
    const { records, key, rules } = this.#options
    const { used, open, start } = await records.change(key, (value, now) => ({
      value,
      answer: sumsOf(readBudget(value, now, rules)),
    }))
    const free = eachUnit(eachUnit(rules.limit, used, minus), open, minus)
    const limited = BUDGET_DIMENSIONS.filter((each) => Number.isFinite(rules.limit[each]))
    const limitedOnly = (all: Spending): Partial<Spending> =>
      Object.fromEntries(limited.map((each) => [each, Math.max(0, all[each])]))
    return {
      limit: limitedOnly(spendingOf(rules.limit)),
      used: spendingOf(used),
      open: spendingOf(open),
      left: limitedOnly(spendingOf(free)),
      until: start === null || rules.per === undefined ? null : periodAt(start, rules.per).end,
    }
  }

  reserve(estimate: Spending, { call, waiter }: ReserveOptions = {}): MaybePromise<Reservation> {
    if (call && this.#local.hasCall(call)) return COUNTED_RESERVATION
    if (this.#updater.isClosed) throw closedError(this.#options.rules.name)
    const waits = this.#options.waits ? waiter : undefined
    // First come, first served.
    if (waits && this.#queue.mustQueue(waits)) throw this.#enqueue(waits)
    const verdict = this.#request({ estimate, call, waits: waits !== undefined })
    if (!isThenable(verdict)) return this.#conclude(verdict, waits)
    const reserving = verdict.then(
      (late) => this.#conclude(late, waits),
      (error: unknown) => {
        // The call waits for a store that is down as it would for room.
        throw waits && isXError(error, 'connection-failed') ? this.#enqueue(waits) : error
      },
    )
    if (waits) this.#queue.awaitAnswer(waits, reserving)
    return reserving
  }

  /** True if nothing is reserved or waits here, and the record is up to date. */
  get isIdle(): boolean {
    return this.#local.isEmpty && this.#queue.size === 0 && this.#updater.isIdle
  }

  /** Resolves when the store has counted all calls that have ended here, or does not answer. */
  async flush(): Promise<void> {
    await this.#updater.flush()
  }

  /** Fails all waiting calls with `invalid-state`, and stops updating the record: reservations are released when their lease expires. */
  close(): void {
    this.#updater.close()
    clearInterval(this.#heartbeat)
    for (const { reject } of this.#pending.splice(0)) reject(closedError(this.#options.rules.name))
    this.#queue.close()
  }

  /**
   * Reserves a further request of a call, which cannot wait: a strict budget refuses it unless the store answers at once, and
   * one that is not strict decides by what this process knows.
   */
  addCall(reservation: StoreReservation): boolean {
    const { limit, strict } = this.#options.rules
    if (!this.#local.has(reservation)) return false
    if (limit.calls === Infinity) return true
    if (!strict) {
      if (this.#local.total.calls + 1 > limit.calls) return false
      this.#local.addCall(reservation)
      this.#updater.update()
      return true
    }
    const verdict = this.#request({ estimate: { cost: 0, tokens: 0, calls: 1 }, call: undefined, waits: false })
    if (verdict instanceof StoreReservation) {
      reservation.attach(verdict)
      return true
    }
    if (isThenable(verdict)) {
      verdict.then((late) => late instanceof StoreReservation && late.release()).then(undefined, () => {})
    }
    return false
  }

  /** Ends a reservation, with the spending of its call. */
  end(reservation: StoreReservation, actual: Spending | undefined, { estimated, outputTokens }: SettledAnswer): void {
    const used = actual && unitsOf(actual)
    // An estimate may be too low, so a strict budget counts at least the reservation.
    const isMinimum = this.#options.rules.strict && estimated
    const counted = used && isMinimum ? { ...eachUnit(reservation.units, used, Math.max), calls: used.calls } : used
    if (!this.#local.end(reservation, counted, outputTokens)) return
    this.#hasEnded = true
    this.#updater.update()
  }

  #conclude(verdict: Verdict, waits: RoomWaiter | undefined): Reservation {
    if (verdict instanceof StoreReservation) return verdict
    if (waits && verdict.later) throw this.#enqueue(waits)
    throw refusedError(this.#options.rules, this.#local.total, verdict)
  }

  /** Enqueues a call that waits for room; returns the error that says so. */
  #enqueue(waiter: RoomWaiter): XError {
    this.#queue.add(waiter)
    return new XError(
      'budget-exceeded',
      `the budget \`${this.#options.rules.name}\` has no room for another call yet: it waits`,
    )
  }

  /** Requests a reservation; returns no promise when the store answers at once. */
  #request(request: ReservationRequest): MaybePromise<Verdict> {
    let verdict: Verdict | undefined
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
    this.#pending.push({
      request,
      resolve(value) {
        verdict = value
        resolve(value)
      },
      reject,
    })
    this.#updater.update()
    return verdict ?? promise
  }

  /** Reports the totals of this process, with the pending requests. */
  #makeUpdate(): RecordUpdate<BudgetAnswer> {
    const { rules, worker, lease } = this.#options
    const pending = this.#pending.splice(0)
    const report = this.#local.takeReport()
    const requests = pending.map(({ request }) => request)
    const update: BudgetUpdate = { worker, rules, lease: lease * 1000, ...report, requests }
    return {
      change: (value, now) => decideBudget(value, now, update),
      onAnswer: ({ verdicts, sums }) => {
        this.#local.confirm(report, sums, amountsOf(verdicts))
        for (const [index, { request, resolve }] of pending.entries()) {
          const verdict = verdicts[index]!
          resolve('later' in verdict ? verdict : this.#reserve(request, verdict))
        }
        this.#setHeartbeat()
      },
      onFailure: (error) => {
        this.#local.takeBack(report)
        const failure = this.#updater.isClosed ? closedError(rules.name) : asFailure(rules.name, error)
        for (const { reject } of pending) reject(failure)
      },
    }
  }

  #reserve({ call }: ReservationRequest, { amounts, maxTokens, unknownModel }: Admission): StoreReservation {
    const reservation = new StoreReservation(this, { units: { ...amounts }, call, maxTokens, unknownModel })
    this.#local.add(reservation)
    return reservation
  }

  /** Retries the queue if there may be room. */
  #retryQueue(): void {
    if (!this.#hasEnded) return
    this.#hasEnded = false
    this.#queue.retry()
  }

  /** Renews the lease of this process, as long as it has reservations. */
  #setHeartbeat(): void {
    if (this.#local.isEmpty) {
      clearInterval(this.#heartbeat)
      this.#heartbeat = undefined
      return
    }
    this.#heartbeat ??= setInterval(() => this.#updater.update(), (this.#options.lease * 1000) / 3).unref()
  }
}

/** Converts the failure of an update. A damaged record is reported as it is: unlike a store that is down, it needs repair. */
const asFailure = (name: string, error: unknown): unknown =>
  isXError(error, 'invalid-state') ? error : downError(name, error)

const amountsOf = (verdicts: BudgetAnswer['verdicts']): Admission['amounts'][] =>
  verdicts.flatMap((verdict) => ('later' in verdict ? [] : [verdict.amounts]))

const minus = (a: number, b: number): number => a - b

/** Makes the error for a call that does not fit into a budget beside what is spent or reserved. */
function refusedError({ name, limit }: BudgetRules, taken: Units, refusal: Refusal): XError {
  const { amounts, unknownModel } = refusal
  if (unknownModel !== undefined) {
    return new XError(
      'budget-exceeded',
      `the budget \`${name}\` admits no further call of \`${unknownModel}\` before its first answer, which tells how much calls of it use: call again after that answer, or set \`max_tokens\``,
    )
  }
  const key = BUDGET_DIMENSIONS.find((each) => taken[each] + amounts[each] > limit[each]) ?? 'calls'
  const [max, spent, estimate] = [limit, taken, amounts].map(spendingOf) as [Spending, Spending, Spending]
  const need =
    estimate[key] === Infinity
      ? 'its price is not known: set `price` in its config entry'
      : `the call may use ${amountText(key, estimate[key])}: raise the limit, or wait for the next period`
  return new XError(
    'budget-exceeded',
    `the budget \`${name}\` of ${amountText(key, max[key])} does not hold another call: ${amountText(key, spent[key])} is spent or reserved, and ${need}`,
    { details: { limit: max, spent, estimate } },
  )
}

/** Makes the error for a call that was not admitted because the store did not answer. */
const downError = (name: string, cause: unknown): XError =>
  new XError(
    'connection-failed',
    `the budget \`${name}\` could not be asked, since its store does not answer: start the store, and call again`,
    { cause },
  )

/** Makes the error for a call after the host was closed. */
const closedError = (name: string): XError =>
  new XError('invalid-state', `the budget \`${name}\` was closed with its host: end the work before you close the host`)

const amountText = (key: keyof Spending, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
