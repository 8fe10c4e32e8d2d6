import type { BudgetCall, Reservation, SettledAnswer, Spending } from '@x/interfaces'
import type { Units } from './budget-units.ts'

/** The budget of reservations. */
interface Holder {
  addCall(held: Held): boolean
  /** Ends a reservation, with what was used, if anything; once. */
  end(held: Held, actual: Spending | undefined, answer: SettledAnswer): void
}

/** What a reservation remembers. */
interface HeldFacts {
  readonly amounts: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  /** The model of the call, where it had not answered yet. */
  readonly unknown: string | undefined
}

/** A part of a budget that this process has set aside for a call. */
export class Held implements Reservation {
  readonly amounts: Units
  readonly call: BudgetCall | undefined
  readonly maxTokens: number | undefined
  readonly unknown: string | undefined
  readonly #holder: Holder
  /** Reservations of further requests, which end with this one. */
  readonly #more: Held[] = []

  constructor(holder: Holder, { amounts, call, maxTokens, unknown }: HeldFacts) {
    this.#holder = holder
    this.amounts = amounts
    this.call = call
    this.maxTokens = maxTokens
    this.unknown = unknown
  }

  addCall(): boolean {
    return this.#holder.addCall(this)
  }

  /** Takes another reservation over. */
  take(other: Held): void {
    this.#more.push(other)
  }

  settle(actual: Spending, answer: SettledAnswer = {}): void {
    this.#holder.end(this, actual, answer)
    for (const other of this.#more.splice(0)) other.release()
  }

  release(): void {
    this.#holder.end(this, undefined, {})
    for (const other of this.#more.splice(0)) other.release()
  }
}
