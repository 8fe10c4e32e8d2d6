import type { TokenRates } from '@x/interfaces'

/** Prices of one model, in US dollars per 1,000,000 tokens. */
export interface ModelPrice extends TokenRates {
  /** Prices of a request with more input tokens than `above`; those that are absent are the usual ones. */
  readonly long?: (Partial<TokenRates> & { readonly above: number }) | undefined
  /** Prices by tier of service, such as `flex` and `batch`: a factor for all rates, or the rates that differ. */
  readonly tiers?: Readonly<Record<string, number | TierRates>> | undefined
}

/** Rates of a tier of service that differ from the usual ones. */
export interface TierRates extends Partial<TokenRates> {
  readonly long?: (Partial<TokenRates> & { readonly above: number }) | undefined
}
