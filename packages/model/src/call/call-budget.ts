import type {
  AnswerUsage,
  Budget,
  BudgetCall,
  MaybePromise,
  ModelParams,
  Reservation,
  ReserveOptions,
  RoomWaiter,
  SettledAnswer,
  Spending,
} from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { reserveInBoth } from '@x/kernel/limits'
import { redact } from '@x/kernel/redact'
import { priceFactorOf, promptOf, usageOf } from './answer-fields.ts'
import { clientOf, type ConfigCall, keptCall } from './config-call.ts'
import { sendToIo } from './wrapper-parts.ts'
import { choicesOf, outputLimit, paramsOf, withOutputLimit } from '../request/output-limit.ts'
import { costOf } from '../usage/price.ts'
import { DEFAULT_ANSWER_TOKENS, likelyTokens, maxTokensIn } from '../usage/token-estimate.ts'

/** Says that requests are held to what is left. */
export const LOWERED_WARNING = '`max_tokens` of requests is set to what is left of a strict budget'

/** The reservations of the requests of a call in its budgets, one after another: each is reserved before its request is sent. */
export class CallBudget implements BudgetCall, ReserveOptions, RoomWaiter {
  /** Lives as long as the program, so that V8 keeps the layout and the code compiled for it. */
  static readonly kept: CallBudget = new CallBudget(keptCall(), [])
  readonly #call: ConfigCall
  readonly #budgets: readonly [Budget?, Budget?]
  #maxPromptTokens: number | undefined
  /** True while the call is in the queue of a budget. */
  waiting = false
  /** True if an earlier process has handed the request in: it needs no room any more, and counts when its answer comes. */
  isHandedIn = false
  #leave: (() => void) | undefined
  #queued: PromiseWithResolvers<Reservation> | undefined
  #reservation: Reservation | undefined

  constructor(call: ConfigCall, budgets: readonly [Budget?, Budget?]) {
    this.#call = call
    this.#budgets = budgets
  }

  /** Returns the budget of a call: of its config, of its run, or both; null for none. */
  static of(call: ConfigCall): CallBudget | null {
    const { budget: ofConfig } = call.prepared.extra
    const { budget: ofRun } = call
    if (ofConfig) return new CallBudget(call, ofRun && ofRun !== ofConfig ? [ofConfig, ofRun] : [ofConfig])
    return ofRun ? new CallBudget(call, [ofRun]) : null
  }

  get call(): BudgetCall {
    return this
  }

  get model(): string {
    return this.#params.model ?? ''
  }

  /** The call as a waiter; undefined for blocking calls, which cannot wait. */
  get waiter(): RoomWaiter | undefined {
    return this.#call.run.face === 'sync' ? undefined : this
  }

  get maxTokens(): number | undefined {
    return this.#call.operation === 'embed' ? 0 : outputLimit(this.#params)
  }

  get maxOutput(): number | undefined {
    const client = clientOf(this.#call)
    const { maxOutput } = client.limitsOf?.(this.model) ?? client.capabilities ?? {}
    return maxOutput === undefined ? undefined : maxOutput * this.#choices
  }

  estimate(outputTokens: number, atMost: boolean = false): Spending {
    this.#maxPromptTokens ??= maxTokensIn(promptOf(this.#params))
    const prompt = atMost ? this.#maxPromptTokens : likelyTokens(this.#maxPromptTokens)
    const cost = this.#costOf(prompt, outputTokens, atMost)
    return { cost: cost ?? (atMost ? Infinity : 0), tokens: prompt + outputTokens, calls: 1 }
  }

  /** True for a token count. */
  get countsTokens(): boolean {
    return this.#call.operation === 'countTokens'
  }

  /** The amounts that are reserved now; without a budget, those of an answer of the expected length. */
  get expected(): Spending {
    const reserved = this.isHandedIn ? undefined : this.#reservation?.amounts
    return reserved ?? this.estimate(this.#expectedOutput)
  }

  /** Most output tokens that a provider gives for the request; `Infinity` without a limit. */
  get mostOutput(): number {
    return Math.min(this.maxTokens ?? Infinity, this.#reservation?.maxTokens ?? Infinity)
  }

  /** True if the price of the model is known. */
  get isPriced(): boolean {
    return this.#costOf(0, 0, false) !== null
  }

  /** Reserves the estimate of the call; returns a promise if the call has to wait for headroom. */
  reserve(): MaybePromise<Reservation> {
    return this.#reserveNow() ?? this.#waitInQueue()
  }

  onQueued(leave: () => void): void {
    this.waiting = true
    this.#leave = leave
  }

  retry(): void {
    try {
      const reserving = this.#reserveNow()
      if (reserving) this.#queued?.resolve(reserving)
    } catch (error) {
      this.#queued?.reject(error)
    }
  }

  /** Leaves the queue. */
  leave(): void {
    if (this.waiting) this.#leave?.()
    this.waiting = false
  }

  /** Reserves at once; returns undefined if the call has to wait. */
  #reserveNow(): MaybePromise<Reservation> | undefined {
    const [first, second] = this.#budgets
    if (!first) return UNLIMITED_RESERVATION
    const fixed = this.isHandedIn ? NO_SPENDING : this.countsTokens ? COUNT_ESTIMATE : undefined
    const estimate = fixed ?? this.estimate(this.#expectedOutput)
    // What has no size that a budget could estimate does not wait.
    const options = fixed ? {} : this
    this.waiting = false
    const orWait = (error: unknown): Promise<Reservation> | undefined => {
      if (this.waiting) return undefined
      throw error
    }
    try {
      const reserving = second ? reserveInBoth([first, second], estimate, options) : first.reserve(estimate, options)
      if (!isThenable(reserving)) return reserving
      return reserving.then(undefined, (error: unknown) => orWait(error) ?? this.#waitInQueue())
    } catch (error) {
      return orWait(error)
    }
  }

  #waitInQueue(): Promise<Reservation> {
    this.#queued = Promise.withResolvers()
    return this.#queued.promise
  }

  /** Keeps the reservation until `settle` or `release`. */
  hold(reservation: Reservation): void {
    this.#reservation = reservation
  }

  /**
   * Returns the request with the limit of tokens that a strict budget holds it to, and whether that is lower than its own;
   * undefined if the request needs no change.
   */
  limitedParams(): { readonly params: ModelParams; readonly isLowered: boolean } | undefined {
    const max = this.#reservation?.maxTokens
    return max === undefined ? undefined : withOutputLimit(this.#params, Math.floor(max / this.#choices))
  }

  /** Settles the actual usage of the call. */
  settle(actual: Spending, answer: SettledAnswer): void {
    this.#endReservation((reservation) => reservation.settle(actual, answer))
  }

  /** Releases the reservation of a call that was not made. */
  release(): void {
    this.#endReservation((reservation) => reservation.release())
  }

  /** Ends the reservation, of a remote budget by a promise, which is not awaited; a failure is a warning. */
  #endReservation(end: (reservation: Reservation) => unknown): void {
    const reservation = this.#reservation
    this.#reservation = undefined
    if (!reservation) return
    const { parts, agent, slot } = this.#call
    const ending = async (): Promise<unknown> => await end(reservation)
    ending().catch((error: unknown) => {
      const text = `the usage of a call could not be settled in its budget: ${redact(String(error), slot.secrets)}`
      if (!parts.memory.isNewWarning(`budget: ${text}`)) return
      void sendToIo(parts, { type: 'warning', agent, topic: 'budget', text })
    })
  }

  get #params(): ModelParams {
    return this.#call.prepared.params
  }

  /** Output tokens that the answer is expected to have. */
  get #expectedOutput(): number {
    const longest = this.#call.parts.memory.ledger?.longestAnswer ?? DEFAULT_ANSWER_TOKENS
    return this.maxTokens ?? Math.min(longest, this.maxOutput ?? Infinity)
  }

  get #choices(): number {
    return choicesOf(this.#params)
  }

  #costOf(prompt: number, output: number, atMost: boolean): number | null {
    const usage = usageOf(prompt, output)
    const cost = this.#costOfUsage(usage)
    if (!atMost || cost === null) return cost
    return Math.max(cost, ...dearestUsages(usage, this.#params).map((each) => this.#costOfUsage(each) ?? 0))
  }

  #costOfUsage(usage: AnswerUsage): number | null {
    const { price } = this.#call.prepared
    const cost = price
      ? costOf(usage, price)
      : clientOf(this.#call).cost({ id: '', model: this.model, created: 0, choices: [], usage })
    return cost === null ? null : cost * priceFactorOf(this.#call)
  }
}

/** The estimate of a count: one request without tokens and cost. */
const COUNT_ESTIMATE: Spending = { cost: 0, tokens: 0, calls: 1 }

/** The estimate of a request whose room is not asked for. */
export const NO_SPENDING: Spending = { cost: 0, tokens: 0, calls: 0 }

const UNLIMITED_RESERVATION: Reservation = { settle() {}, release() {} }

/**
 * Returns the usages of which one costs the most: input that is written to the cache of the provider, output that is sound or
 * images, all in the tier of service that the request asks for. A tier that costs less is not counted on.
 */
function dearestUsages(usage: AnswerUsage, params: ModelParams): AnswerUsage[] {
  const { prompt_tokens: input, completion_tokens: output } = usage
  const asked = paramsOf(params)
  const tiers = asked.flatMap(({ service_tier: tier, serviceTier, speed }) => [tier, serviceTier, speed])
  const isSpoken = asked.some(
    ({ audio, modalities }) => audio || (Array.isArray(modalities) && modalities.includes('audio')),
  )
  const written = { ...usage, cache_write_tokens: input }
  const usages = [usage, written, { ...written, cache_write_hour_tokens: input }].flatMap((each) => [
    each,
    { ...each, image_completion_tokens: output },
    ...(isSpoken ? [{ ...each, audio_completion_tokens: output }] : []),
  ])
  const named = tiers.filter((tier) => typeof tier === 'string')
  return [...usages, ...named.flatMap((tier) => usages.map((each) => ({ ...each, service_tier: tier.toLowerCase() })))]
}
