import type { Usage } from '@x/interfaces'

/** One answered call. */
export interface LedgerRow {
  /** Index of the config that answered. */
  readonly configId: number
  /** Model that answered, tokens and cost in US dollars; the cost is null when the price is unknown. */
  readonly usage: Omit<Usage, 'cost'> & { readonly cost: number | null }
  /** Whether a cache answered: nothing was paid. */
  readonly cached: boolean
  /** Labels of the config. */
  readonly tags: readonly string[]
  /** Name of the agent that asked. */
  readonly agent: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}
