import type { BudgetCall } from '@x/interfaces'
import { addCall, type BudgetQuestion, type BudgetSums } from './budget-rules.ts'
import { addUnits, eachUnit, noUnits, type Units } from './budget-units.ts'
import type { Held } from './held.ts'

/** What a process tells of its share. */
export type ToldShare = Pick<BudgetQuestion, 'open' | 'count' | 'unknown' | 'spent' | 'counted' | 'lengths'>

/** What one process has set aside of a budget and used, beside what it has heard of the others. */
export class OwnShare {
  readonly #held = new Set<Held>()
  readonly #calls = new Set<BudgetCall>()
  readonly #open: Units = noUnits()
  #unknown: BudgetQuestion['unknown'] = []
  readonly #spent: Units = noUnits()
  /** What of `spent` the store is known to have counted. */
  #counted: Units = noUnits()
  #lengths: (readonly [model: string, tokens: number])[] = []
  /** What was used and is set aside without what is from here; below 0 by what was used here in earlier periods. */
  #others: Units = noUnits()

  /** Whether nothing is set aside. */
  get isEmpty(): boolean {
    return this.#held.size === 0
  }

  /** What was used and is set aside, of all workers. */
  get total(): Units {
    return eachUnit(eachUnit(this.#others, this.#spent, plus), this.#open, plus)
  }

  /** Whether something is set aside for a call. */
  has(call: BudgetCall): boolean {
    return this.#calls.has(call)
  }

  holds(held: Held): boolean {
    return this.#held.has(held)
  }

  hold(held: Held): void {
    const { amounts, call, unknown } = held
    this.#held.add(held)
    if (call) this.#calls.add(call)
    addUnits(this.#open, amounts)
    if (unknown !== undefined) this.#unknown = addCall(this.#unknown, unknown)
  }

  /** Sets a further request aside with a reservation. */
  addCall(held: Held): void {
    held.amounts.calls++
    this.#open.calls++
  }

  /** Ends a reservation, with what it has used and how long its answer was; false where it had ended. */
  end(held: Held, used: Units | undefined, outputTokens: number | undefined): boolean {
    if (!this.#held.delete(held)) return false
    const { amounts, call, unknown } = held
    if (call) this.#calls.delete(call)
    addUnits(this.#open, amounts, -1)
    if (unknown !== undefined) this.#unknown = addCall(this.#unknown, unknown, -1)
    if (!used) return true
    addUnits(this.#spent, used)
    if (call && outputTokens !== undefined) this.#lengths.push([call.model, outputTokens])
    return true
  }

  /** Gives what there is to tell. */
  tell(): ToldShare {
    return {
      ...{ open: { ...this.#open }, count: this.#held.size, unknown: this.#unknown },
      ...{ spent: { ...this.#spent }, counted: { ...this.#counted }, lengths: this.#lengths.splice(0) },
    }
  }

  /** Takes over what was heard behind something told: the sums of all, with the amounts that they have of new reservations. */
  hear({ open, spent }: ToldShare, sums: BudgetSums, admitted: readonly Units[]): void {
    const others = { ...sums.used }
    addUnits(others, sums.open)
    for (const own of [spent, open, ...admitted]) addUnits(others, own, -1)
    this.#others = others
    this.#counted = spent
  }

  /** Takes back what was perhaps not heard; sums are told anew in any case. */
  unheard({ lengths }: ToldShare): void {
    this.#lengths.push(...lengths)
  }
}

const plus = (a: number, b: number): number => a + b
