import type { BudgetCall, Reservation, ReserveOptions, RoomWaiter, SettledAnswer, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { DEFAULT_ANSWER_TOKENS } from './token-estimate.ts'

/** The rules of a budget. */
export interface AccountRules {
  readonly name: string
  readonly limit: Partial<Spending>
  /** Fixed amounts to reserve for every call; undefined: estimates. */
  readonly perCall: Partial<Spending> | undefined
  /** True to reserve the most that a call can use instead of an estimate. */
  readonly strict: boolean
  /** Fewest output tokens to which a strict budget lowers the limit of a call. */
  readonly minTokens: number
  /** True if calls wait for headroom; false if they are refused. */
  readonly waits: boolean
}

/** A call that does not fit into the budget. */
interface Refusal {
  /** True if calls in flight may still free headroom. */
  readonly later: boolean
  readonly amounts: Spending
  /** Set when so many calls of this new model are in flight that the next has to wait for its first answer. */
  readonly unknownModel?: string | undefined
}

/** The reservation of a call that this budget has counted already, as one of two budgets with a common parent. */
const COUNTED_RESERVATION: Reservation = {
  amounts: { cost: 0, tokens: 0, calls: 0 },
  addCall: () => true,
  settle() {},
  release() {},
}

/** The state of a budget: settled and reserved amounts, and the queue of calls that wait for headroom, first come first served. */
export class Account {
  readonly #rules: AccountRules
  readonly #settled: Spending
  /** The sum of all open reservations, so that the work of a reservation does not grow with their number. */
  readonly #open = noSpending()
  #openCount = 0
  readonly #calls = new Set<BudgetCall>()
  readonly #waiting = new Set<RoomWaiter>()
  /** The waiting call that is retrying, and whether it stays in the queue. */
  #serving: { readonly waiter: RoomWaiter; stays: boolean } | undefined
  /** Counts changes of the sums and of the queue. */
  #changes = 0
  readonly #lengths = new Map<string, AnswerLengths<OpenReservation>>()

  constructor(rules: AccountRules, spent: Partial<Spending>) {
    this.#rules = rules
    this.#settled = { ...noSpending(), ...spent }
  }

  get spent(): Spending {
    return sumOf(this.#settled, this.#open)
  }

  reserve(estimate: Spending, { call, waiter }: ReserveOptions): Reservation {
    if (call && this.#calls.has(call)) return COUNTED_RESERVATION
    const waits = this.#rules.waits && waiter !== undefined
    // Waiting calls come first.
    const behind = waits && this.#waiting.size > 0 && waiter !== this.#serving?.waiter
    const outcome = this.#admit(estimate, call, waits, behind)
    if (outcome instanceof OpenReservation) return outcome
    if (waits && outcome.later) this.#enqueue(waiter)
    throw this.#refuse(outcome)
  }

  /** Reserves one more request of a call. */
  addCall(): boolean {
    const { calls = Infinity } = this.#rules.limit
    if (this.spent.calls + 1 > calls) return false
    this.#open.calls++
    return true
  }

  /** Ends a reservation: returns the reserved amounts and counts what was used. */
  end(reservation: OpenReservation, actual: Spending | undefined, answer: SettledAnswer): void {
    const { amounts, call, lengths } = reservation
    this.#openCount--
    if (call) this.#calls.delete(call)
    // Sums of dollars are not exact: without open reservations, the sum is set to 0.
    if (this.#openCount === 0) Object.assign(this.#open, noSpending())
    else addTo(this.#open, amounts, -1)
    for (const other of lengths?.end(reservation, answer.outputTokens) ?? []) this.#raiseEstimate(other)
    if (actual) addTo(this.#settled, this.#rules.strict && answer.estimated ? maxOf(amounts, actual) : actual)
    // A reservation that is released before any other change has freed no headroom.
    const undone = !actual && reservation.change === this.#changes
    this.#changes++
    if (!undone) this.#serveQueue()
  }

  #enqueue(waiter: RoomWaiter): void {
    if (waiter === this.#serving?.waiter) this.#serving.stays = true
    // A call that waits already keeps its place.
    this.#waiting.add(waiter)
    this.#changes++
    waiter.onQueued(() => {
      if (this.#waiting.delete(waiter)) this.#serveQueue()
    })
  }

  /** Lets waiting calls retry in order, until the next does not fit. */
  #serveQueue(): void {
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

  #admit(estimate: Spending, call: BudgetCall | undefined, waits: boolean, behind: boolean): OpenReservation | Refusal {
    const { limit, strict } = this.#rules
    // A strict budget only has to know the tokens and cost of a call.
    const limitsSize = Number.isFinite(limit.cost ?? Infinity) || Number.isFinite(limit.tokens ?? Infinity)
    if (call && strict && limitsSize) return this.#admitStrictly(call, waits, behind)
    const lengths = call && this.#lengthsOf(call)
    const output = call?.maxTokens ?? lengths?.estimate(call?.maxOutput) ?? 0
    const amounts = { ...(call?.estimate(output) ?? estimate), ...this.#rules.perCall }
    const unknown = lengths !== undefined && !lengths.known
    // Tokens and cost of a new model are unknown, so only a few calls of it start before its first answer.
    if (unknown && lengths.full) return { later: true, amounts, unknownModel: call?.model }
    if (this.#fits(amounts)) return behind ? { later: true, amounts } : this.#hold(amounts, call, lengths)
    if (this.#openCount > 0) return { later: this.#couldFit(amounts, unknown), amounts }
    // The first call of a model may be smaller than its estimate: it gets what is left.
    if (unknown && this.#couldFit(amounts, true)) return this.#hold(this.#capAtHeadroom(amounts), call, lengths)
    return { later: false, amounts }
  }

  /** Admits a call with the most it can use, or else limits its output tokens to what is left. */
  #admitStrictly(call: BudgetCall, waits: boolean, behind: boolean): OpenReservation | Refusal {
    const most = call.maxTokens ?? call.maxOutput
    const full = most === undefined ? undefined : call.estimate(most, true)
    if (full && !behind && this.#fits(full)) return this.#hold(full, call)
    const leastOutput = Math.min(this.#rules.minTokens, most ?? Infinity)
    const least = call.estimate(leastOutput, true)
    if (waits && this.#openCount > 0) return { later: this.#couldFit(least, false), amounts: full ?? least }
    const outputTokens = Math.min(this.#outputHeadroom(call), most ?? Infinity)
    if (outputTokens < leastOutput || !this.#fits(least)) return { later: false, amounts: least }
    return this.#hold(call.estimate(outputTokens, true), call, undefined, outputTokens)
  }

  #hold(
    amounts: Spending,
    call?: BudgetCall,
    lengths?: AnswerLengths<OpenReservation>,
    maxTokens?: number,
  ): OpenReservation {
    addTo(this.#open, amounts)
    this.#openCount++
    if (call) this.#calls.add(call)
    const change = ++this.#changes
    const reservation = new OpenReservation(this, { amounts, call, lengths, maxTokens, change })
    lengths?.begin(reservation)
    return reservation
  }

  /** Raises the reservation of a call in flight to the estimate from the first answer of its model. */
  #raiseEstimate({ amounts, call, lengths }: OpenReservation): void {
    const estimate = { ...call!.estimate(lengths!.estimate(call!.maxOutput)), ...this.#rules.perCall }
    for (const key of ['cost', 'tokens'] as const) {
      const more = Math.max(0, estimate[key] - amounts[key])
      amounts[key] += more
      this.#open[key] += more
    }
  }

  #fits(amounts: Spending): boolean {
    return DIMENSIONS.every((key) => this.#settled[key] + this.#open[key] + amounts[key] <= this.#limitOf(key))
  }

  /** Tells whether a call would fit without other calls in flight. A call of unknown size fits if anything is left. */
  #couldFit(amounts: Spending, unknown: boolean): boolean {
    return DIMENSIONS.every((key) => {
      const { [key]: settled } = this.#settled
      if (unknown && key !== 'calls') return settled < (this.#rules.limit[key] ?? Infinity)
      return settled + amounts[key] <= this.#limitOf(key)
    })
  }

  /** Returns a limit with a tolerance, since sums of dollars are not exact. */
  #limitOf(key: Dimension): number {
    return (this.#rules.limit[key] ?? Infinity) * (1 + LIMIT_TOLERANCE)
  }

  #headroom(key: Dimension): number {
    return (this.#rules.limit[key] ?? Infinity) - this.#settled[key] - this.#open[key]
  }

  #capAtHeadroom(amounts: Spending): Spending {
    const cap = (key: Dimension): number => Math.min(amounts[key], this.#headroom(key))
    return { cost: cap('cost'), tokens: cap('tokens'), calls: amounts.calls }
  }

  /** Returns the output tokens that the budget has headroom for. */
  #outputHeadroom(call: BudgetCall): number {
    const input = call.estimate(0, true)
    const sample = call.estimate(SAMPLE_OUTPUT_TOKENS, true)
    const headrooms = (['cost', 'tokens'] as const).map((key) => {
      const perToken = (sample[key] - input[key]) / SAMPLE_OUTPUT_TOKENS
      return perToken > 0 ? (this.#headroom(key) - input[key]) / perToken : Infinity
    })
    return Math.floor(Math.min(...headrooms))
  }

  /** Returns the answer lengths of a model, if the call sets no limit and the budget needs an estimate. */
  #lengthsOf({ model, maxTokens }: BudgetCall): AnswerLengths<OpenReservation> | undefined {
    const { limit, perCall } = this.#rules
    const isEstimated = (key: Dimension): boolean => limit[key] !== undefined && perCall?.[key] === undefined
    if (maxTokens !== undefined || !(isEstimated('cost') || isEstimated('tokens'))) return undefined
    let lengths = this.#lengths.get(model)
    if (!lengths) this.#lengths.set(model, (lengths = new AnswerLengths()))
    return lengths
  }

  #refuse({ amounts, unknownModel }: Refusal): Error {
    if (unknownModel !== undefined) return unknownModelError(this.#rules.name, unknownModel)
    return budgetExceededError(this.#rules, this.spent, amounts)
  }
}

/** Share of a limit that rounding errors may exceed. */
const LIMIT_TOLERANCE = 1e-6

/** Output tokens of the estimate from which the price of one token is computed. */
const SAMPLE_OUTPUT_TOKENS = 1e6

const maxOf = (a: Spending, b: Spending): Spending => ({
  cost: Math.max(a.cost, b.cost),
  tokens: Math.max(a.tokens, b.tokens),
  calls: b.calls,
})

/** The fields of a reservation. */
interface ReservationInit {
  readonly amounts: Spending
  readonly call: BudgetCall | undefined
  readonly lengths: AnswerLengths<OpenReservation> | undefined
  readonly maxTokens: number | undefined
  readonly change: number
}

class OpenReservation implements Reservation {
  readonly amounts: Spending
  readonly call: BudgetCall | undefined
  readonly lengths: AnswerLengths<OpenReservation> | undefined
  readonly maxTokens: number | undefined
  /** Number of the change that made the reservation. */
  readonly change: number
  readonly #account: Account
  #open = true

  constructor(account: Account, { amounts, call, lengths, maxTokens, change }: ReservationInit) {
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

/** Makes the error for a call that does not fit into a budget. */
function budgetExceededError(
  { name, limit }: { readonly name: string; readonly limit: Partial<Spending> },
  spent: Spending,
  estimate: Spending,
): XError {
  const isOver = (key: Dimension): boolean => spent[key] + estimate[key] > (limit[key] ?? Infinity)
  const key = DIMENSIONS.find(isOver) ?? 'calls'
  const need =
    estimate[key] === Infinity
      ? 'its price is not known: set `price` in its config entry'
      : `the call may use ${formatAmount(key, estimate[key])}: raise the limit or start a new budget`
  return new XError(
    'budget-exceeded',
    `${name} of ${formatAmount(key, limit[key] ?? 0)} does not hold another call: ${formatAmount(key, spent[key])} is spent or set aside, and ${need}`,
    { details: { limit: { ...limit }, spent, estimate } },
  )
}

/** Makes the error for a call of a new model while other calls of it are in flight. */
const unknownModelError = (name: string, model: string): XError =>
  new XError(
    'budget-exceeded',
    `${name} admits no further call of \`${model}\` before its first answer, which tells how much calls of it use: call again after that answer, or set \`max_tokens\``,
  )

/** Most calls of a model in flight before its first answer. */
const MAX_UNKNOWN_CALLS = 4

/** The lengths of a model's answers, from which the next answer is estimated; `C` is the type of its calls. */
class AnswerLengths<C> {
  #longest: number | undefined
  /** Calls in flight that began before the first answer. */
  readonly #unknown = new Set<C>()

  /** Notes that a call begins. */
  begin(call: C): void {
    if (!this.known) this.#unknown.add(call)
  }

  /**
   * Notes that a call has ended, with a whole answer of `outputTokens` or without one. Returns the calls in flight whose
   * estimates the first answer corrects.
   */
  end(call: C, outputTokens: number | undefined): readonly C[] {
    this.#unknown.delete(call)
    if (outputTokens === undefined) return []
    const corrected = this.known ? [] : [...this.#unknown]
    this.#unknown.clear()
    this.#longest = Math.max(this.#longest ?? 0, outputTokens)
    return corrected
  }

  /** True after the first answer. */
  get known(): boolean {
    return this.#longest !== undefined
  }

  /** True if the next call has to wait for the first answer, because `MAX_UNKNOWN_CALLS` are in flight. */
  get full(): boolean {
    return this.#unknown.size >= MAX_UNKNOWN_CALLS
  }

  /** Estimates the output tokens of the next answer: as many as the longest so far. */
  estimate(maxOutput: number | undefined): number {
    return Math.min(this.#longest ?? DEFAULT_ANSWER_TOKENS, maxOutput ?? Infinity)
  }
}

/** The dimensions that a budget limits. */
const DIMENSIONS = ['cost', 'tokens', 'calls'] as const

/** A dimension that a budget limits. */
type Dimension = (typeof DIMENSIONS)[number]

const noSpending = (): Spending => ({ cost: 0, tokens: 0, calls: 0 })

/** Adds amounts to a sum in place, or subtracts them (`sign` -1). */
function addTo(sum: Spending, more: Spending, sign: 1 | -1 = 1): void {
  for (const key of DIMENSIONS) sum[key] += sign * more[key]
}

const sumOf = (a: Spending, b: Spending): Spending => ({
  cost: a.cost + b.cost,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
})

/** Formats an amount for an error message. */
const formatAmount = (key: Dimension, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
