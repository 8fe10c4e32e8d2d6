import type { SearchUsage } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/**
 * The limits of a search; an absent one does not limit. The calls that the answer needs stay in reserve. The tokens and the
 * cost of a call are known only after it: the largest call so far is the estimate for the next ones.
 */
export interface SearchBudget {
  /** Model calls. */
  calls?: number | undefined
  /** Prompt and completion tokens together. */
  tokens?: number | undefined
  /** US dollars. */
  cost?: number | undefined
  /** Seconds; the last fifth is reserved for the answer. A blocking search reads the clock only between calls. */
  seconds?: number | undefined
  /** Nodes in all trees: with so many no further step is asked for; the steps in flight and the answers come on top. */
  nodes?: number | undefined
}

const BUDGET_KINDS: OptionKinds<SearchBudget> = {
  calls: kind.number(0),
  tokens: kind.number(0),
  cost: kind.number(0),
  seconds: kind.number(0),
  nodes: kind.number(0),
}

/** Throws for an unknown limit or a wrong value. */
export const checkBudget = (budget: SearchBudget | undefined): void =>
  checkOptions(budget, BUDGET_KINDS, 'search within this `budget`')

/** Share of the time that is reserved for the answer. */
const ANSWER_TIME_SHARE = 0.2

/** Factor by which concurrent calls may exceed the largest call so far. */
const CALL_GROWTH_FACTOR = 2

/** Whether a call fits into a budget. */
export type Admission = 'now' | 'later' | 'never'

/** Counts the usage of a search and decides whether a further call fits into the budget. */
export class SearchLedger {
  readonly #budget: SearchBudget
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  #running = 0
  /** The largest call so far: the estimate for calls in flight. */
  #largest = { tokens: 0, cost: 0 }
  #measured = false

  constructor(budget: SearchBudget) {
    checkBudget(budget)
    this.#budget = budget
  }

  /** Milliseconds for the search without the answer. */
  get searchMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000 * (1 - ANSWER_TIME_SHARE)
  }

  /** Milliseconds for the search and the answer. */
  get allMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000
  }

  /**
   * Tells whether another call fits beside the calls in flight, with `reserve` further calls after it: `now`, `never`, or
   * perhaps `later`, when the calls in flight have ended and their size is known.
   */
  admits(reserve: number): Admission {
    const { calls = Infinity, tokens = Infinity, cost = Infinity } = this.#budget
    const { used } = this
    if (used.calls + this.#running + 1 + reserve > calls) return 'never'
    if (tokens === Infinity && cost === Infinity) return 'now'
    // Concurrent calls could exceed the budget by far: before the first one ends their size is unknown, and after it they
    // get headroom for growth.
    if (this.#running > 0 && !this.#measured) return 'later'
    const expectedCalls = this.#running > 0 ? (this.#running + 1) * CALL_GROWTH_FACTOR + reserve : 1 + reserve
    const fits =
      used.promptTokens + used.completionTokens + expectedCalls * this.#largest.tokens <= tokens &&
      used.cost + expectedCalls * this.#largest.cost <= cost &&
      tokens > 0 &&
      cost > 0
    if (fits) return 'now'
    return this.#running > 0 ? 'later' : 'never'
  }

  /** True if trees may still grow. */
  allowsNodes(trees: readonly { readonly size: number }[]): boolean {
    const { nodes = Infinity } = this.#budget
    return nodes === Infinity || trees.reduce((sum, { size }) => sum + size, 0) < nodes
  }

  /** Counts a call as in flight. */
  begin(): void {
    this.#running += 1
  }

  /** Counts no call as in flight, after the steps of all calls were stopped. */
  endAll(): void {
    this.#running = 0
  }

  /** Counts the end of a call and its usage. */
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

  /** Counts a stopped call as one call of unknown size. */
  drop(): void {
    this.#running -= 1
    this.used.calls += 1
  }
}
