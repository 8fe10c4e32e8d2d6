import type {
  BudgetCall,
  MaybePromise,
  Reservation,
  ReserveOptions,
  RoomWaiter,
  SettledAnswer,
  SharedBudget,
  Spending,
} from '@x/interfaces'
import { isThenable } from '../steps.ts'
import { isXError, XError } from '../x-error.ts'
import {
  addUnits,
  BUDGET_DIMENSIONS,
  decideBudget,
  decideRequest,
  drop,
  eachUnit,
  estimateByLength,
  hold,
  isEstimatedByLength,
  limitUnits,
  noteLength,
  noUnits,
  periodAt,
  readBudget,
  spendingOf,
  sumsOf,
  unitsOf,
  type Admission,
  type BudgetAnswer,
  type BudgetRecord,
  type BudgetRules,
  type BudgetSums,
  type BudgetUpdate,
  type BudgetWorker,
  type GivenAmounts,
  type HeldReservations,
  type Refusal,
  type ReservationRequest,
  type Units,
} from './budget-rules.ts'
import { RecordUpdater, type RecordPlace, type RecordUpdate } from './record-updater.ts'
import { WaiterQueue } from './waiter-queue.ts'

/** Delay before an update that failed is made again. */
const RETRY_DELAY_MS = 500

/** Options of a {@link RecordBudget}; its amounts are in US dollars, tokens and calls. */
export interface RecordBudgetOptions extends Omit<BudgetRules, 'limit' | 'perCall'> {
  readonly limit: GivenAmounts
  /** Fixed amounts to reserve for every call; undefined: estimates. */
  readonly perCall: GivenAmounts | undefined
  /** True if calls wait for room; false if they are refused. */
  readonly waits: boolean
  /** The record that the budget shares with other workers; undefined: it has a record of its own. */
  readonly shared?: (RecordPlace & { readonly key: string }) | undefined
  /** Amounts that were spent before; only for a record of its own. */
  readonly spent?: GivenAmounts | undefined
}

/** The reservation of a call that this budget already counts, because it was given to the call in two ways. */
const COUNTED_RESERVATION: Reservation = { amounts: noUnits(), settle() {}, release() {} }

type Verdict = Admission | Refusal

/**
 * A budget over a record. Calls that find no room wait in order, and a call that ends makes room for them. In a record of its
 * own everything is decided at once; in a shared one this is the view of one process, and the store decides.
 */
export class RecordBudget implements SharedBudget {
  readonly #rules: BudgetRules
  readonly #waits: boolean
  readonly #record: OwnRecord | SharedRecord
  readonly #queue: WaiterQueue
  readonly #calls = new Set<BudgetCall>()
  /** Reservations of models that have not answered yet. */
  readonly #unknown = new Map<string, Set<OpenReservation>>()
  /** Counts the requests and the reservations. */
  #changes = 0
  /** True if a reservation has ended since the queue was last served. */
  #hasEnded = false

  constructor({ limit, perCall, waits, shared, spent = {}, ...rules }: RecordBudgetOptions) {
    this.#rules = { ...rules, limit: limitUnits(limit), perCall: perCall && withoutUndefined(perCall) }
    this.#waits = waits
    this.#queue = new WaiterQueue({ polls: shared !== undefined })
    this.#record = shared
      ? new SharedRecord(this.#rules, shared, {
          isAwaited: () => this.#queue.size > 0,
          onIdle: () => this.#serveQueue(),
        })
      : new OwnRecord(this.#rules, unitsOf({ ...noUnits(), ...withoutUndefined(spent) }))
  }

  get spent(): Spending {
    return spendingOf(this.#record.total)
  }

  async state(): ReturnType<SharedBudget['state']> {
    const { limit, per } = this.#rules
    const { used, open, start } = await this.#record.read()
    const limited = BUDGET_DIMENSIONS.filter((each) => Number.isFinite(limit[each]))
    const limitedOnly = (all: Units): Partial<Spending> => {
      const amounts = spendingOf(all)
      return Object.fromEntries(limited.map((each) => [each, Math.max(0, amounts[each])]))
    }
    return {
      limit: limitedOnly(limit),
      used: spendingOf(used),
      open: spendingOf(open),
      left: limitedOnly(eachUnit(eachUnit(limit, used, minus), open, minus)),
      until: start === null || per === undefined ? null : periodAt(start, per).end,
    }
  }

  reserve(estimate: Spending, { call, waiter }: ReserveOptions = {}): MaybePromise<Reservation> {
    if (call && this.#calls.has(call)) return COUNTED_RESERVATION
    const record = this.#record
    if (record.isClosed) throw closedError(this.#rules.name)
    const waits = this.#waits ? waiter : undefined
    // First come, first served.
    const behind = waits !== undefined && this.#queue.mustWait(waits)
    // A shared record is not asked for a call behind others. Its own one tells at once that a call can never fit.
    if (behind && record.isShared) throw this.#enqueue(waits)
    this.#changes++
    const verdict = record.request({ estimate, call, waits: waits !== undefined, behind })
    if (!isThenable(verdict)) return this.#conclude(verdict, call, waits)
    const reserving = verdict.then(
      (late) => this.#conclude(late, call, waits),
      (error: unknown) => {
        // The call waits for a store that is down as it would for room.
        throw waits && isXError(error, 'connection-failed') ? this.#enqueue(waits) : error
      },
    )
    if (waits) this.#queue.awaitAnswer(waits, reserving)
    return reserving
  }

  /** True if nothing is reserved or waits here, and the record knows everything. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && this.#record.isIdle
  }

  /** Resolves when the record knows all calls that have ended here, or does not answer. */
  async flush(): Promise<void> {
    await this.#record.flush()
  }

  /** Refuses all waiting calls with `invalid-state`, and tells the record nothing more: reservations count as spent when their lease expires. */
  close(): void {
    this.#record.close()
    this.#queue.close()
  }

  /** Ends a reservation, with the spending of its call. */
  end(reservation: OpenReservation, actual: Spending | undefined, { estimated, outputTokens }: SettledAnswer): void {
    const { call, units, admission } = reservation
    const { strict } = this.#rules
    if (call) this.#calls.delete(call)
    if (admission.unknownModel !== undefined) this.#unknown.get(admission.unknownModel)?.delete(reservation)
    const used = actual && unitsOf(actual)
    const learned =
      used && call && outputTokens !== undefined && isEstimatedByLength(this.#rules, call) ? call.model : undefined
    if (learned !== undefined) this.#raise(learned, outputTokens!)
    // A request whose usage is unknown may have used all that was reserved.
    const counted = used && strict && estimated ? eachUnit(units, used, Math.max) : used
    // A reservation that is released before any other change has freed no room.
    const isUndone = !used && !this.#record.isShared && reservation.change === this.#changes
    if (!isUndone) this.#hasEnded = true
    this.#changes++
    this.#record.end(admission, counted, learned === undefined ? undefined : [learned, outputTokens!])
    if (!this.#record.isShared) this.#serveQueue()
  }

  #conclude(verdict: Verdict, call: BudgetCall | undefined, waits: RoomWaiter | undefined): Reservation {
    if (!('later' in verdict)) return this.#open(verdict, call)
    if (waits && verdict.later) throw this.#enqueue(waits)
    throw refusedError(this.#rules, this.#record.total, verdict)
  }

  #open(admission: Admission, call: BudgetCall | undefined): Reservation {
    const reservation = new OpenReservation(this, admission, call, ++this.#changes)
    if (call) this.#calls.add(call)
    const { unknownModel } = admission
    if (unknownModel === undefined) return reservation
    const known = this.#unknown.get(unknownModel)
    if (known) known.add(reservation)
    else this.#unknown.set(unknownModel, new Set([reservation]))
    return reservation
  }

  /** Raises the reservations of calls in flight to the estimate from the first answer of their model. */
  #raise(model: string, outputTokens: number): void {
    const unknown = this.#unknown.get(model)
    if (!unknown) return
    this.#unknown.delete(model)
    for (const { call, units } of unknown) {
      const estimate = estimateByLength(this.#rules, call!, outputTokens)
      const more = eachUnit(estimate, units, (all, known) => Math.max(0, all - known))
      more.calls = 0
      addUnits(units, more)
      addUnits(this.#record.held.open, more)
    }
  }

  /** Enqueues a call that waits for room; returns the error that says so. */
  #enqueue(waiter: RoomWaiter): XError {
    this.#queue.add(waiter)
    return new XError('budget-exceeded', `${this.#rules.name} has no room for another call yet: it waits`)
  }

  /** Lets waiting calls try again if there may be room. */
  #serveQueue(): void {
    if (!this.#hasEnded) return
    this.#hasEnded = false
    this.#queue.serve()
  }
}

/** The amounts of a budget that are reserved for one call. */
class OpenReservation implements Reservation {
  readonly admission: Admission
  readonly call: BudgetCall | undefined
  /** Number of the change that made the reservation. */
  readonly change: number
  readonly #budget: RecordBudget
  #isOpen = true

  constructor(budget: RecordBudget, admission: Admission, call: BudgetCall | undefined, change: number) {
    this.#budget = budget
    this.admission = admission
    this.call = call
    this.change = change
  }

  get units(): Units {
    return this.admission.amounts
  }

  get amounts(): Spending {
    return spendingOf(this.units)
  }

  get maxTokens(): number | undefined {
    return this.admission.maxTokens
  }

  settle(actual: Spending, answer: SettledAnswer = {}): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#budget.end(this, actual, answer)
  }

  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#budget.end(this, undefined, {})
  }
}

/** The length of an answer of a model, in output tokens. */
type AnswerLength = readonly [model: string, tokens: number]

/** The record of a budget that nobody else changes: it is changed in place. */
class OwnRecord {
  readonly isShared = false
  readonly isClosed = false
  readonly held: BudgetWorker
  readonly #rules: BudgetRules
  readonly #record: BudgetRecord

  constructor(rules: BudgetRules, used: Units) {
    this.#rules = rules
    const nothing = { open: noUnits(), count: 0, unknown: [], spent: noUnits() }
    this.held = { id: '', until: Infinity, lease: Infinity, ...nothing }
    this.#record = { start: null, used, workers: [this.held], lengths: [] }
  }

  get total(): Units {
    return eachUnit(this.#record.used, this.held.open, plus)
  }

  get isIdle(): boolean {
    return this.held.count === 0
  }

  read(): BudgetSums {
    return sumsOf(this.#record)
  }

  request(request: ReservationRequest): Verdict {
    return decideRequest(this.#record, this.held, this.#rules, request)
  }

  end(admission: Admission, used: Units | undefined, length: AnswerLength | undefined): void {
    drop(this.held, admission)
    if (used) addUnits(this.#record.used, used)
    if (length) noteLength(this.#record, ...length)
  }

  async flush(): Promise<void> {}

  close(): void {}
}

/** A request that waits for the verdict of a shared record. */
interface PendingRequest {
  readonly request: ReservationRequest
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (error: unknown) => void
}

/** The share of one process in a shared record, beside the sums of all workers as the store last told them. */
class SharedRecord {
  readonly isShared = true
  readonly held: HeldReservations = { open: noUnits(), count: 0, unknown: [] }
  readonly #rules: BudgetRules
  readonly #place: RecordPlace & { readonly key: string }
  readonly #updater: RecordUpdater<BudgetAnswer>
  #pending: PendingRequest[] = []
  readonly #spent: Units = noUnits()
  /** The part of `spent` that the store has counted, as far as this process knows. */
  #counted: Units = noUnits()
  #lengths: AnswerLength[] = []
  /** Spending and reservations of all other workers; below 0 by the spending of this process in earlier periods. */
  #others: Units = noUnits()

  constructor(
    rules: BudgetRules,
    place: RecordPlace & { readonly key: string },
    { isAwaited, onIdle }: { readonly isAwaited: () => boolean; readonly onIdle: () => void },
  ) {
    this.#rules = rules
    this.#place = place
    this.#updater = new RecordUpdater({
      place,
      key: place.key,
      durable: true,
      onIdle,
      makeUpdate: () => this.#makeUpdate(),
      again: { delayMs: RETRY_DELAY_MS, isAwaited: () => isAwaited() || this.#pending.length > 0 },
    })
  }

  get isClosed(): boolean {
    return this.#updater.isClosed
  }

  get isIdle(): boolean {
    return this.held.count === 0 && this.#updater.isIdle
  }

  get total(): Units {
    return eachUnit(eachUnit(this.#others, this.#spent, plus), this.held.open, plus)
  }

  async read(): Promise<BudgetSums> {
    const { records, key } = this.#place
    return await records.change(key, (value, now) => ({ value, answer: sumsOf(readBudget(value, now, this.#rules)) }))
  }

  /** Requests a reservation; returns no promise when the store answers at once. */
  request(request: ReservationRequest): MaybePromise<Verdict> {
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

  end(admission: Admission, used: Units | undefined, length: AnswerLength | undefined): void {
    drop(this.held, admission)
    if (used) addUnits(this.#spent, used)
    if (length) this.#lengths.push(length)
    this.#updater.update()
  }

  async flush(): Promise<void> {
    await this.#updater.flush()
  }

  close(): void {
    this.#updater.close()
    for (const { reject } of this.#pending.splice(0)) reject(closedError(this.#rules.name))
  }

  /** Reports the totals of this process, with the pending requests. */
  #makeUpdate(): RecordUpdate<BudgetAnswer> {
    const { worker, lease } = this.#place
    const pending = this.#pending.splice(0)
    const { open, count, unknown } = this.held
    const update: BudgetUpdate = {
      worker,
      rules: this.#rules,
      lease: lease * 1000,
      open: { ...open },
      count,
      unknown,
      spent: { ...this.#spent },
      counted: { ...this.#counted },
      lengths: this.#lengths.splice(0),
      requests: pending.map(({ request }) => request),
    }
    return {
      change: (value, now) => decideBudget(value, now, update),
      onAnswer: (answer) => this.#onAnswer(update, answer, pending),
      onFailure: (error) => {
        // A report that has not arrived is made again. Sums are totals, and lengths are told once.
        this.#lengths.push(...update.lengths)
        const failure = this.isClosed ? closedError(this.#rules.name) : asFailure(this.#rules.name, error)
        for (const { reject } of pending) reject(failure)
      },
    }
  }

  #onAnswer(update: BudgetUpdate, { verdicts, sums }: BudgetAnswer, pending: readonly PendingRequest[]): void {
    const others = { ...sums.used }
    addUnits(others, sums.open)
    addUnits(others, update.spent, -1)
    addUnits(others, update.open, -1)
    for (const [index, { resolve }] of pending.entries()) {
      const verdict = verdicts[index]!
      if (!('later' in verdict)) {
        // The sums of the record include it.
        addUnits(others, verdict.amounts, -1)
        hold(this.held, verdict)
      }
      resolve(verdict)
    }
    this.#others = others
    this.#counted = update.spent
    this.#updater.beat(this.held.count > 0)
  }
}

/** Converts the failure of an update. A record that is damaged or of another version is reported as it is: unlike a store that is down, waiting mends nothing. */
const asFailure = (name: string, error: unknown): unknown =>
  isXError(error, 'invalid-state') || isXError(error, 'unknown-state-version') ? error : downError(name, error)

const withoutUndefined = (amounts: GivenAmounts): Partial<Spending> =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined))

const minus = (a: number, b: number): number => a - b
const plus = (a: number, b: number): number => a + b

/** Makes the error for a call that does not fit into a budget beside what is spent or reserved. */
function refusedError({ name, limit, per }: BudgetRules, taken: Units, { amounts, unknownModel }: Refusal): XError {
  if (unknownModel !== undefined) {
    return new XError(
      'budget-exceeded',
      `${name} admits no further call of \`${unknownModel}\` before its first answer, which tells how much calls of it use: call again after that answer, or set \`max_tokens\``,
    )
  }
  const key = BUDGET_DIMENSIONS.find((each) => taken[each] + amounts[each] > limit[each]) ?? 'calls'
  const [max, spent, estimate] = [limit, taken, amounts].map(spendingOf) as [Spending, Spending, Spending]
  const instead = per === undefined ? 'start a new budget' : 'wait for the next period'
  const need =
    estimate[key] === Infinity
      ? 'its price is not known: set `price` in its config entry'
      : `the call may use ${amountText(key, estimate[key])}: raise the limit or ${instead}`
  return new XError(
    'budget-exceeded',
    `${name} of ${amountText(key, max[key])} does not hold another call: ${amountText(key, spent[key])} is spent or reserved, and ${need}`,
    { details: { limit: max, spent, estimate } },
  )
}

/** Makes the error for a call that was not admitted because the store did not answer. */
const downError = (name: string, cause: unknown): XError =>
  new XError(
    'connection-failed',
    `${name} could not be asked, since its store does not answer: start the store, and call again`,
    { cause },
  )

/** Makes the error for a call after the host was closed. */
const closedError = (name: string): XError =>
  new XError('invalid-state', `${name} was closed with its host: end the work before you close the host`)

const amountText = (key: keyof Spending, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
