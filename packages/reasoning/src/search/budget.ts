import type { SearchUsage } from '@x/interfaces'
import { XError } from '@x/kernel'

/**
 * What a search may use; whatever is absent is not limited. The calls that the answer needs are kept in reserve. Tokens
 * and money are known after a call only: what the next ones will use is judged by the largest so far.
 */
export interface SearchBudget {
  /** Model calls. */
  calls?: number | undefined
  /** Prompt and completion tokens together. */
  tokens?: number | undefined
  /** US dollars. */
  cost?: number | undefined
  /** Seconds; the last fifth is kept for the answer. The blocking face looks at the clock between calls only. */
  seconds?: number | undefined
  /** Nodes in all trees. */
  nodes?: number | undefined
}

/** Share of the time that is kept for the answer. */
const ANSWER_SHARE = 0.2

/** How much larger than the largest so far calls at once may turn out to be. */
const GROWTH = 2

/** Counts what a search uses and says whether a further call fits. */
export class Ledger {
  readonly #budget: SearchBudget
  readonly used: SearchUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }
  #running = 0
  /** The largest call so far: what one in flight is expected to use. */
  #largest = { tokens: 0, cost: 0 }
  #measured = false

  constructor(budget: SearchBudget) {
    for (const key of ['calls', 'tokens', 'cost', 'seconds', 'nodes'] as const) {
      const limit = budget[key]
      if (limit === undefined || limit >= 0) continue
      throw new XError('invalid-argument', `a search was given a budget of \`${key}: ${limit}\`: give 0 or more`)
    }
    this.#budget = budget
  }

  /** Milliseconds for the search, without the answer. */
  get searchMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000 * (1 - ANSWER_SHARE)
  }

  /** Milliseconds for everything. */
  get allMs(): number {
    return (this.#budget.seconds ?? Infinity) * 1000
  }

  /** Whether another call fits, with `reserve` further ones after it and what is in flight. */
  allows(reserve: number): boolean {
    const { calls = Infinity, tokens = Infinity, cost = Infinity } = this.#budget
    const { used } = this
    if (used.calls + this.#running + 1 + reserve > calls) return false
    if (tokens === Infinity && cost === Infinity) return true
    // The first call is waited for, and calls at once leave room for growth: together they could overrun by far.
    if (this.#running > 0 && !this.#measured) return false
    const coming = this.#running > 0 ? (this.#running + 1) * GROWTH + reserve : 1 + reserve
    return (
      used.promptTokens + used.completionTokens + coming * this.#largest.tokens <= tokens &&
      used.cost + coming * this.#largest.cost <= cost &&
      tokens > 0 &&
      cost > 0
    )
  }

  /** Whether a tree of this size may still grow. */
  allowsNodes(size: number): boolean {
    return size < (this.#budget.nodes ?? Infinity)
  }

  begin(): void {
    this.#running += 1
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

  /** A call that was given up counts as one. */
  drop(): void {
    this.#running -= 1
    this.used.calls += 1
  }
}
