import type { BudgetCall, Reservation, SettledAnswer, Spending } from '@x/interfaces'
import { addCall, type BudgetSums, type BudgetUpdate } from './budget-rules.ts'
import { addUnits, eachUnit, noUnits, spendingOf, type Units } from './budget-units.ts'

/** The totals of one process, as it reports them to the store. */
export type ReportedTotals = Pick<BudgetUpdate, 'open' | 'count' | 'unknown' | 'spent' | 'counted' | 'lengths'>

/** The reservations and spending of one process in a budget, beside the sums of all workers as last reported by the store. */
export class LocalReservations {
  readonly #reservations = new Set<StoreReservation>()
  readonly #calls = new Set<BudgetCall>()
  readonly #open: Units = noUnits()
  #unknown: BudgetUpdate['unknown'] = []
  readonly #spent: Units = noUnits()
  /** The part of `spent` that the store has counted, as far as this process knows. */
  #counted: Units = noUnits()
  #lengths: (readonly [model: string, tokens: number])[] = []
  /** Spending and reservations of all other workers; below 0 by the spending of this process in earlier periods. */
  #others: Units = noUnits()

  /** True if nothing is reserved. */
  get isEmpty(): boolean {
    return this.#reservations.size === 0
  }

  /** Spending and reservations of all workers. */
  get total(): Units {
    return eachUnit(eachUnit(this.#others, this.#spent, plus), this.#open, plus)
  }

  /** True if there is a reservation for a call. */
  hasCall(call: BudgetCall): boolean {
    return this.#calls.has(call)
  }

  has(reservation: StoreReservation): boolean {
    return this.#reservations.has(reservation)
  }

  add(reservation: StoreReservation): void {
    const { units, call, unknownModel } = reservation
    this.#reservations.add(reservation)
    if (call) this.#calls.add(call)
    addUnits(this.#open, units)
    if (unknownModel !== undefined) this.#unknown = addCall(this.#unknown, unknownModel)
  }

  /** Adds a further request to a reservation. */
  addCall(reservation: StoreReservation): void {
    reservation.units.calls++
    this.#open.calls++
  }

  /** Ends a reservation, with its spending and the length of its answer; false when it had ended. */
  end(reservation: StoreReservation, used: Units | undefined, outputTokens: number | undefined): boolean {
    if (!this.#reservations.delete(reservation)) return false
    const { units, call, unknownModel } = reservation
    if (call) this.#calls.delete(call)
    addUnits(this.#open, units, -1)
    if (unknownModel !== undefined) this.#unknown = addCall(this.#unknown, unknownModel, -1)
    if (!used) return true
    addUnits(this.#spent, used)
    if (call && outputTokens !== undefined) this.#lengths.push([call.model, outputTokens])
    return true
  }

  /** Returns the totals to report, and clears the lengths, which are reported once. */
  takeReport(): ReportedTotals {
    return {
      ...{ open: { ...this.#open }, count: this.#reservations.size, unknown: this.#unknown },
      ...{ spent: { ...this.#spent }, counted: { ...this.#counted }, lengths: this.#lengths.splice(0) },
    }
  }

  /** Notes that the store has counted a report, and the sums of all workers, which include the new reservations. */
  confirm({ open, spent }: ReportedTotals, sums: BudgetSums, admitted: readonly Units[]): void {
    const others = { ...sums.used }
    addUnits(others, sums.open)
    for (const own of [spent, open, ...admitted]) addUnits(others, own, -1)
    this.#others = others
    this.#counted = spent
  }

  /** Takes back the lengths of a report that may not have reached the store; sums are reported again in any case. */
  takeBack({ lengths }: ReportedTotals): void {
    this.#lengths.push(...lengths)
  }
}

const plus = (a: number, b: number): number => a + b

/** The budget that reservations belong to. */
interface ReservationOwner {
  addCall(reservation: StoreReservation): boolean
  /** Ends a reservation, with its spending if it has any; the second time it does nothing. */
  end(reservation: StoreReservation, actual: Spending | undefined, answer: SettledAnswer): void
}

/** The facts of a reservation. */
interface ReservationFacts {
  readonly units: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  /** The model of the call, if the model has not answered yet. */
  readonly unknownModel: string | undefined
}

/** An amount of a shared budget that this process has reserved for a call. */
export class StoreReservation implements Reservation {
  readonly units: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  readonly unknownModel: string | undefined
  readonly #owner: ReservationOwner
  /** Reservations of further requests, which end with this one. */
  readonly #more: StoreReservation[] = []

  constructor(owner: ReservationOwner, { units, call, maxTokens, unknownModel }: ReservationFacts) {
    this.#owner = owner
    this.units = units
    this.call = call
    this.maxTokens = maxTokens
    this.unknownModel = unknownModel
  }

  get amounts(): Spending {
    const sum = { ...this.units }
    for (const { units } of this.#more) addUnits(sum, units)
    return spendingOf(sum)
  }

  addCall(): boolean {
    return this.#owner.addCall(this)
  }

  /** Attaches a reservation that ends with this one. */
  attach(other: StoreReservation): void {
    this.#more.push(other)
  }

  settle(actual: Spending, answer: SettledAnswer = {}): void {
    this.#owner.end(this, actual, answer)
    for (const other of this.#more.splice(0)) other.release()
  }

  release(): void {
    this.#owner.end(this, undefined, {})
    for (const other of this.#more.splice(0)) other.release()
  }
}
