import type { Spending } from '@x/interfaces'

/** What a budget limits. */
export const DIMENSIONS = ['cost', 'tokens', 'calls'] as const

/** Units of a US dollar: amounts of money are kept as whole billionths, so that no sum of them is rounded. */
const PER_DOLLAR = 1e9
/** What a number of units may be off by when it comes of a multiplication. */
const ROUNDING = 1e-3

/** Amounts in whole units: billionths of a US dollar, tokens, calls. */
export type Units = Spending

/** Returns no units. */
export const noUnits = (): Units => ({ cost: 0, tokens: 0, calls: 0 })

/** Converts what a call uses; a part of a unit counts as a whole one. */
export const unitsOf = ({ cost, tokens, calls }: Spending): Units => ({
  cost: Math.ceil(cost * PER_DOLLAR - ROUNDING),
  tokens: Math.ceil(tokens),
  calls: Math.ceil(calls),
})

/** Converts a limit; a part of a unit does not count. What has no limit is `Infinity`. */
export const limitUnits = ({ cost = Infinity, tokens = Infinity, calls = Infinity }: Partial<Spending>): Units => ({
  cost: Math.floor(cost * PER_DOLLAR + ROUNDING),
  tokens,
  calls,
})

/** Converts units to what they stand for. */
export const spendingOf = ({ cost, tokens, calls }: Units): Spending => ({ cost: cost / PER_DOLLAR, tokens, calls })

/** Adds units to a sum in place, or takes them off. */
export function addUnits(sum: Units, more: Units, sign: 1 | -1 = 1): void {
  for (const key of DIMENSIONS) sum[key] += sign * more[key]
}

/** Computes each dimension of two amounts. */
export const eachUnit = (a: Units, b: Units, compute: (a: number, b: number) => number): Units => ({
  cost: compute(a.cost, b.cost),
  tokens: compute(a.tokens, b.tokens),
  calls: compute(a.calls, b.calls),
})
