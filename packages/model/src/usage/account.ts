import type { BudgetCall, Reservation, ReserveOptions, RoomWaiter, SettledAnswer, Spending } from '@x/interfaces'
import { AnswerLengths } from './answer-lengths.ts'
import { refusedError, unknownError } from './refused-error.ts'
import { addTo, DIMENSIONS, noSpending, sumOf, type Dimension } from './spending.ts'

/** The rules of a budget. */
export interface AccountRules {
  readonly name: string
  readonly limit: Partial<Spending>
  /** Amounts that are reserved for every call. */
  readonly perCall: Partial<Spending> | undefined
  /** Whether the most that a call can use is reserved, and not an estimate. */
  readonly strict: boolean
  /** Least output tokens of a call whose limit a strict budget lowers. */
  readonly minTokens: number
  /** Whether calls wait for room. */
  readonly waits: boolean
}

/** A call that does not fit. */
interface Refusal {
  /** Whether calls in flight may still make room. */
  readonly later: boolean
  readonly amounts: Spending
  /** The model of which so many calls are in flight that the first answer has to come before the next. */
  readonly unknownModel?: string | undefined
}

/** The reservation of a call that is counted here already, by another way. */
const COUNTED: Reservation = { addCall: () => true, settle() {}, release() {} }

/** The sums of a budget: what was settled, what is set aside, and the calls that wait for room, first come first served. */
export class Account {
  readonly #rules: AccountRules
  readonly #settled: Spending
  /** The sum of all open reservations: what a reservation costs does not depend on their number. */
  readonly #open = noSpending()
  #openCount = 0
  readonly #calls = new Set<BudgetCall>()
  readonly #waiting = new Set<RoomWaiter>()
  /** The one of those who wait that tries again, and whether there was no room for it. */
  #serving: { readonly waiter: RoomWaiter; stays: boolean } | undefined
  /** Counts what has changed the sums, and those who came to wait. */
  #changes = 0
  readonly #lengths = new Map<string, AnswerLengths<Held>>()

  constructor(rules: AccountRules, spent: Partial<Spending>) {
    this.#rules = rules
    this.#settled = { ...noSpending(), ...spent }
  }

  get spent(): Spending {
    return sumOf(this.#settled, this.#open)
  }

  reserve(estimate: Spending, { call, waiter }: ReserveOptions): Reservation {
    if (call && this.#calls.has(call)) return COUNTED
    const waits = this.#rules.waits && waiter !== undefined
    // Those who wait come first.
    const behind = waits && this.#waiting.size > 0 && waiter !== this.#serving?.waiter
    const outcome = this.#admit(estimate, call, waits, behind)
    if (outcome instanceof Held) return outcome
    if (waits && outcome.later) this.#queue(waiter)
    throw this.#refuse(outcome)
  }

  /** Sets one more call aside. */
  addCall(): boolean {
    const { calls = Infinity } = this.#rules.limit
    if (this.spent.calls + 1 > calls) return false
    this.#open.calls++
    return true
  }

  /** Ends a reservation: what it set aside is given back, and what was used is counted. */
  end(held: Held, actual: Spending | undefined, answer: SettledAnswer): void {
    const { amounts, call, lengths } = held
    this.#openCount--
    if (call) this.#calls.delete(call)
    // Sums of dollars are not exact: nothing open is nothing set aside.
    if (this.#openCount === 0) Object.assign(this.#open, noSpending())
    else addTo(this.#open, amounts, -1)
    for (const other of lengths?.end(held, answer.outputTokens) ?? []) this.#correct(other)
    if (actual) addTo(this.#settled, this.#rules.strict && answer.estimated ? mostOf(amounts, actual) : actual)
    // A reservation that is given back before anything else happened has made no room.
    const undone = !actual && held.change === this.#changes
    this.#changes++
    if (!undone) this.#serve()
  }

  #queue(waiter: RoomWaiter): void {
    if (waiter === this.#serving?.waiter) this.#serving.stays = true
    // Who waits already keeps its place.
    this.#waiting.add(waiter)
    this.#changes++
    waiter.onQueued(() => {
      if (this.#waiting.delete(waiter)) this.#serve()
    })
  }

  /** Lets those who wait try again, in their order, until there is no room for the next. */
  #serve(): void {
    if (this.#serving) return
    for (const waiter of this.#waiting) {
      this.#serving = { waiter, stays: false }
      waiter.retry()
      const { stays } = this.#serving
      this.#serving = undefined
      if (stays) return
      this.#waiting.delete(waiter)
    }
  }

  #admit(estimate: Spending, call: BudgetCall | undefined, waits: boolean, behind: boolean): Held | Refusal {
    const { limit, strict } = this.#rules
    // Only tokens and money need to be known; a call is a call.
    const limitsSize = Number.isFinite(limit.cost ?? Infinity) || Number.isFinite(limit.tokens ?? Infinity)
    if (call && strict && limitsSize) return this.#admitStrictly(call, waits, behind)
    const lengths = call && this.#lengthsOf(call)
    const output = call?.maxTokens ?? lengths?.estimate(call?.maxOutput) ?? 0
    const amounts = { ...(call?.estimate(output) ?? estimate), ...this.#rules.perCall }
    const unknown = lengths !== undefined && !lengths.known
    // Only text is estimated; how many calls a call is, is known.
    if (unknown && lengths.full) return { later: true, amounts, unknownModel: call?.model }
    if (this.#fits(amounts)) return behind ? { later: true, amounts } : this.#hold(amounts, call, lengths)
    if (this.#openCount > 0) return { later: this.#couldFit(amounts, unknown), amounts }
    // The first call of a model may be smaller than it is taken to be: it gets what is left.
    if (unknown && this.#couldFit(amounts, true)) return this.#hold(this.#atMostLeft(amounts), call, lengths)
    return { later: false, amounts }
  }

  /** Admits a call with the most it can use, or with what is left when the request can be limited to that. */
  #admitStrictly(call: BudgetCall, waits: boolean, behind: boolean): Held | Refusal {
    const most = call.maxTokens ?? call.maxOutput
    const whole = most === undefined ? undefined : call.estimate(most, true)
    if (whole && !behind && this.#fits(whole)) return this.#hold(whole, call)
    const leastOutput = Math.min(this.#rules.minTokens, most ?? Infinity)
    const least = call.estimate(leastOutput, true)
    if (waits && this.#openCount > 0) return { later: this.#couldFit(least, false), amounts: whole ?? least }
    const room = Math.min(this.#outputLeft(call), most ?? Infinity)
    if (room < leastOutput || !this.#fits(least)) return { later: false, amounts: least }
    return this.#hold(call.estimate(room, true), call, undefined, room)
  }

  #hold(amounts: Spending, call?: BudgetCall, lengths?: AnswerLengths<Held>, maxTokens?: number): Held {
    addTo(this.#open, amounts)
    this.#openCount++
    if (call) this.#calls.add(call)
    const change = ++this.#changes
    const held = new Held(this, { amounts, call, lengths, maxTokens, change })
    lengths?.begin(held)
    return held
  }

  /** Raises what a call in flight has set aside to what is known of its model by now. */
  #correct({ amounts, call, lengths }: Held): void {
    const estimate = { ...call!.estimate(lengths!.estimate(call!.maxOutput)), ...this.#rules.perCall }
    for (const key of ['cost', 'tokens'] as const) {
      const more = Math.max(0, estimate[key] - amounts[key])
      amounts[key] += more
      this.#open[key] += more
    }
  }

  #fits(amounts: Spending): boolean {
    return DIMENSIONS.every((key) => this.#settled[key] + this.#open[key] + amounts[key] <= this.#most(key))
  }

  /** Whether a call would fit if nothing else were in flight; one whose size is not known, if anything is left. */
  #couldFit(amounts: Spending, unknown: boolean): boolean {
    return DIMENSIONS.every((key) => {
      const { [key]: settled } = this.#settled
      if (unknown && key !== 'calls') return settled < (this.#rules.limit[key] ?? Infinity)
      return settled + amounts[key] <= this.#most(key)
    })
  }

  /** A limit; sums of dollars are not exact, so a millionth of it does not count. */
  #most(key: Dimension): number {
    return (this.#rules.limit[key] ?? Infinity) * (1 + 1e-6)
  }

  #left(key: Dimension): number {
    return (this.#rules.limit[key] ?? Infinity) - this.#settled[key] - this.#open[key]
  }

  #atMostLeft(amounts: Spending): Spending {
    const least = (key: Dimension): number => Math.min(amounts[key], this.#left(key))
    return { cost: least('cost'), tokens: least('tokens'), calls: amounts.calls }
  }

  /** Output tokens that there is room for. */
  #outputLeft(call: BudgetCall): number {
    const none = call.estimate(0, true)
    const some = call.estimate(MANY, true)
    const room = (['cost', 'tokens'] as const).map((key) => {
      const perToken = (some[key] - none[key]) / MANY
      return perToken > 0 ? (this.#left(key) - none[key]) / perToken : Infinity
    })
    return Math.floor(Math.min(...room))
  }

  /** Lengths of the answers of a model, where they matter: nothing else limits them, and the budget limits what they use. */
  #lengthsOf({ model, maxTokens }: BudgetCall): AnswerLengths<Held> | undefined {
    const { limit, perCall } = this.#rules
    const isEstimated = (key: Dimension): boolean => limit[key] !== undefined && perCall?.[key] === undefined
    if (maxTokens !== undefined || !(isEstimated('cost') || isEstimated('tokens'))) return undefined
    let lengths = this.#lengths.get(model)
    if (!lengths) this.#lengths.set(model, (lengths = new AnswerLengths()))
    return lengths
  }

  #refuse({ amounts, unknownModel }: Refusal): Error {
    if (unknownModel !== undefined) return unknownError(this.#rules.name, unknownModel)
    return refusedError(this.#rules, this.spent, amounts)
  }
}

/** Output tokens from which the price of one is computed. */
const MANY = 1e6

const mostOf = (a: Spending, b: Spending): Spending => ({
  cost: Math.max(a.cost, b.cost),
  tokens: Math.max(a.tokens, b.tokens),
  calls: b.calls,
})

/** What a reservation remembers. */
interface HeldInit {
  readonly amounts: Spending
  readonly call: BudgetCall | undefined
  readonly lengths: AnswerLengths<Held> | undefined
  readonly maxTokens: number | undefined
  readonly change: number
}

class Held implements Reservation {
  readonly amounts: Spending
  readonly call: BudgetCall | undefined
  readonly lengths: AnswerLengths<Held> | undefined
  readonly maxTokens: number | undefined
  /** Number of the change of the sums that it was. */
  readonly change: number
  readonly #account: Account
  #open = true

  constructor(account: Account, { amounts, call, lengths, maxTokens, change }: HeldInit) {
    this.#account = account
    this.amounts = amounts
    this.call = call
    this.lengths = lengths
    this.maxTokens = maxTokens
    this.change = change
  }

  addCall(): boolean {
    if (!this.#open || !this.#account.addCall()) return false
    this.amounts.calls++
    return true
  }

  settle(actual: Spending, answer: SettledAnswer = {}): void {
    if (this.#open) this.#end(actual, answer)
  }

  release(): void {
    if (this.#open) this.#end(undefined, {})
  }

  #end(actual: Spending | undefined, answer: SettledAnswer): void {
    this.#open = false
    this.#account.end(this, actual, answer)
  }
}
