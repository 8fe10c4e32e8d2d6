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
import { clientOf, type ConfigCall } from './config-call.ts'
import { isThenable } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { promptOf, promptTokens, usageOf } from './answer-usage.ts'
import { costOf } from '../usage/price.ts'
import { reserveInBoth } from '@x/kernel/budget'
import { USUAL_ANSWER } from '../usage/answer-lengths.ts'
import { mostTokensIn } from '../usage/text-size.ts'

/** The part of its budgets that one call has: reserved before it is made, settled afterwards. */
export class CallBudget implements BudgetCall, ReserveOptions, RoomWaiter {
  readonly #call: ConfigCall
  readonly #budgets: readonly [Budget, Budget?]
  #prompt: { readonly usual: number; readonly most: number } | undefined
  /** Whether it is in the queue of a budget. */
  waiting = false
  #leave: (() => void) | undefined
  #queued: PromiseWithResolvers<Reservation> | undefined
  #held: Reservation | undefined

  constructor(call: ConfigCall, budgets: readonly [Budget, Budget?]) {
    this.#call = call
    this.#budgets = budgets
  }

  /** Gives the budget of a call; null when it has none. */
  static of(call: ConfigCall): CallBudget | null {
    const { budget: own } = call.prepared.extra
    const { budget: around } = call
    if (own) return new CallBudget(call, around && around !== own ? [own, around] : [own])
    return around ? new CallBudget(call, [around]) : null
  }

  get call(): BudgetCall {
    return this
  }

  get model(): string {
    return this.#params.model ?? ''
  }

  /** The caller, unless it must not wait. */
  get waiter(): RoomWaiter | undefined {
    return this.#call.run.face === 'sync' ? undefined : this
  }

  get maxTokens(): number | undefined {
    return outputLimit(this.#params)
  }

  get maxOutput(): number | undefined {
    const client = clientOf(this.#call)
    const { maxOutput } = client.limitsOf?.(this.model) ?? client.capabilities ?? {}
    return maxOutput === undefined ? undefined : maxOutput * this.#choices
  }

  estimate(outputTokens: number, atMost: boolean = false): Spending {
    this.#prompt ??= { usual: promptTokens(this.#params), most: mostTokensIn(promptOf(this.#params)) }
    const prompt = atMost ? this.#prompt.most : this.#prompt.usual
    const cost = this.#costOf(prompt, outputTokens, atMost)
    return { cost: cost ?? (atMost ? Infinity : 0), tokens: prompt + outputTokens, calls: 1 }
  }

  /** Sets aside what the call may use; a promise when it has to wait for room. */
  reserve(): MaybePromise<Reservation> {
    return this.#attempt() ?? this.#queue()
  }

  onQueued(leave: () => void): void {
    this.waiting = true
    this.#leave = leave
  }

  retry(): void {
    try {
      const reserving = this.#attempt()
      if (reserving) this.#queued?.resolve(reserving)
    } catch (error) {
      this.#queued?.reject(error)
    }
  }

  /** Stops waiting. */
  leave(): void {
    if (this.waiting) this.#leave?.()
    this.waiting = false
  }

  /** Reserves at once; undefined when it has to wait. */
  #attempt(): MaybePromise<Reservation> | undefined {
    const [first, second] = this.#budgets
    const output = this.maxTokens ?? this.#call.parts.memory.ledger?.longestAnswer ?? USUAL_ANSWER
    const estimate = this.estimate(output)
    this.waiting = false
    const orWait = (error: unknown): Promise<Reservation> | undefined => {
      if (this.waiting) return undefined
      throw error
    }
    try {
      const reserving = second ? reserveInBoth([first, second], estimate, this) : first.reserve(estimate, this)
      if (!isThenable(reserving)) return reserving
      return reserving.then(undefined, (error: unknown) => orWait(error) ?? this.#queue())
    } catch (error) {
      return orWait(error)
    }
  }

  #queue(): Promise<Reservation> {
    this.#queued = Promise.withResolvers()
    return this.#queued.promise
  }

  /** Takes the reservation over. */
  hold(reservation: Reservation): void {
    this.#held = reservation
  }

  /** Limits the answer to what there is room for; undefined when the request need not say so. */
  limited(): ModelParams | undefined {
    const most = this.#held?.maxTokens
    if (most === undefined) return undefined
    const params = this.#params
    const key = isLimit(params.max_completion_tokens) ? 'max_completion_tokens' : 'max_tokens'
    const limit = Math.floor(most / this.#choices)
    return limitOf(params) === limit ? undefined : { ...params, [key]: limit }
  }

  /** Sets one more request aside; false when no budget holds it. */
  addCall(): boolean {
    return this.#held?.addCall?.() ?? true
  }

  /** Counts what the call used. */
  settle(actual: Spending, answer: SettledAnswer): void {
    const held = this.#held
    this.#held = undefined
    if (!held) return
    // A budget that lives elsewhere settles by a promise, which is not waited for.
    const settle: (...told: Parameters<Reservation['settle']>) => unknown = held.settle.bind(held)
    this.#told(async () => await settle(actual, answer))
  }

  /** Gives everything back, for a call that was not made. */
  release(): void {
    const held = this.#held
    this.#held = undefined
    if (!held) return
    const release: () => unknown = held.release.bind(held)
    this.#told(async () => await release())
  }

  /** Tells a budget something, which is not waited for. */
  #told(tell: () => Promise<unknown>): void {
    const { parts, agent, slot } = this.#call
    tell().catch((error: unknown) => {
      const text = `what a call used could not be settled in its budget: ${redact(String(error), slot.secrets)}`
      if (!parts.memory.isNewWarning(`budget: ${text}`)) return
      void parts.io.send({ type: 'warning', agent, chatId: null, agentPath: null, topic: 'budget', text })
    })
  }

  get #params(): ModelParams {
    return this.#call.prepared.params
  }

  get #choices(): number {
    return choicesOf(this.#params)
  }

  #costOf(prompt: number, output: number, atMost: boolean): number | null {
    const usage = usageOf(prompt, output)
    const cost = this.#costOfUsage(usage)
    if (!atMost || cost === null) return cost
    // Input that is written to the cache of a provider may cost more.
    const written = { ...usage, cache_write_tokens: prompt }
    const forAnHour = { ...written, cache_write_hour_tokens: prompt }
    return Math.max(cost, this.#costOfUsage(written) ?? 0, this.#costOfUsage(forAnHour) ?? 0)
  }

  #costOfUsage(usage: AnswerUsage): number | null {
    const { price } = this.#call.prepared
    if (price) return costOf(usage, price)
    return clientOf(this.#call).cost({ id: '', model: this.model, created: 0, choices: [], usage })
  }
}

/** Returns the most output tokens that a request allows, in all its choices; undefined when it sets no limit. */
export function outputLimit(params: ModelParams): number | undefined {
  const most = limitOf(params)
  return most === undefined ? undefined : most * choicesOf(params)
}

function choicesOf(params: ModelParams): number {
  const { n } = params as { n?: unknown }
  return typeof n === 'number' && n > 1 ? n : 1
}

const isLimit = (value: unknown): value is number => typeof value === 'number' && value > 0

/** Returns the most output tokens of a choice that a request allows. */
function limitOf({ max_tokens: older, max_completion_tokens: newer }: ModelParams): number | undefined {
  if (isLimit(newer)) return newer
  return isLimit(older) ? older : undefined
}
