import type { SearchUsage } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/**
 * The limits of a search; an absent one does not limit. The calls that the answer needs are kept in reserve. The tokens
 * and the cost of a call are known only after it: those of the next calls are estimated by the largest so far.
 */
export interface SearchBudget {
  /** Model calls. */
  calls?: number | undefined
  /** Prompt and completion tokens together. */
  tokens?: number | undefined
  /** US dollars. */
  cost?: number | undefined
  /** Seconds; the last fifth is kept for the answer. A blocking search looks at the clock only between calls. */
  seconds?: number | undefined
  /** Nodes in all trees. */
  nodes?: number | undefined
}

const KINDS: OptionKinds<SearchBudget> = {
  calls: kind.number(0),
  tokens: kind.number(0),
  cost: kind.number(0),
  seconds: kind.number(0),
  nodes: kind.number(0),
}

/** Refuses an unknown limit or a wrong value. */
export const checkBudget = (budget: SearchBudget | undefined): void =>
  checkOptions(budget, KINDS, 'search within this `budget`')

/** The share of the time that is kept for the answer. */
const ANSWER_SHARE = 0.2

/** The factor by which concurrent calls may exceed the largest call so far. */
const GROWTH = 2

/** Counts the usage of a search and decides whether a further call fits into the budget. */
export class SearchLedger {
  readonly #budget: SearchBudget
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  #running = 0
  /** The largest call so far, as the estimate for calls in flight. */
  #largest = { tokens: 0, cost: 0 }
  #measured = false

  constructor(budget: SearchBudget) {
    checkBudget(budget)
    this.#budget = budget
  }

  /** Milliseconds for the search without the answer. */
  get searchMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000 * (1 - ANSWER_SHARE)
  }

  /** Milliseconds for the search and the answer. */
  get allMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000
  }

  /** Whether another call fits beside the calls in flight, with `reserve` further calls after it. */
  allows(reserve: number): boolean {
    const { calls = Infinity, tokens = Infinity, cost = Infinity } = this.#budget
    const { used } = this
    if (used.calls + this.#running + 1 + reserve > calls) return false
    if (tokens === Infinity && cost === Infinity) return true
    // Nothing is known before the first call ends, and concurrent calls leave room for growth: together they could exceed
    // the budget by far.
    if (this.#running > 0 && !this.#measured) return false
    const coming = this.#running > 0 ? (this.#running + 1) * GROWTH + reserve : 1 + reserve
    return (
      used.promptTokens + used.completionTokens + coming * this.#largest.tokens <= tokens &&
      used.cost + coming * this.#largest.cost <= cost &&
      tokens > 0 &&
      cost > 0
    )
  }

  /** Whether trees may still grow. */
  allowsNodes(trees: readonly { readonly size: number }[]): boolean {
    const { nodes = Infinity } = this.#budget
    return nodes === Infinity || trees.reduce((sum, { size }) => sum + size, 0) < nodes
  }

  /** Counts a call as in flight. */
  begin(): void {
    this.#running += 1
  }

  /** Counts no call as in flight any more: the steps that would have made them were stopped. */
  endAll(): void {
    this.#running = 0
  }

  end(used: SearchUsage): void {
    this.#running -= 1
    const tokens = used.promptTokens + used.completionTokens
    this.used.calls += used.calls
    this.used.promptTokens += used.promptTokens
    this.used.completionTokens += used.completionTokens
    this.used.cost += used.cost
    this.#measured ||= tokens > 0 || used.cost > 0
    this.#largest = { tokens: Math.max(this.#largest.tokens, tokens), cost: Math.max(this.#largest.cost, used.cost) }
  }

  /** Counts a call that was stopped as one call. */
  drop(): void {
    this.#running -= 1
    this.used.calls += 1
  }
}
