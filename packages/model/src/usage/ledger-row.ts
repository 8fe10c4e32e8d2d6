import type { Usage } from '@x/interfaces'

/** One answered call, or one whose answer was left or broke off after a part of it. */
export interface LedgerRow {
  /** Index of the config that answered. */
  readonly configId: number
  /** Model that answered, tokens and cost in US dollars; the cost is null when the price is unknown. */
  readonly usage: Omit<Usage, 'cost'> & { readonly cost: number | null }
  /** Whether a cache answered: nothing was paid. */
  readonly cached: boolean
  /** Whether tokens and cost are estimates: the provider did not tell them, or the answer did not come to its end. */
  readonly estimated?: boolean | undefined
  /** What was asked for, where it was no answer: the number of tokens of a request, which uses none and costs nothing. */
  readonly operation?: 'countTokens' | undefined
  /** Labels of the config. */
  readonly tags: readonly string[]
  /** Name of the agent that asked. */
  readonly agent: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}
