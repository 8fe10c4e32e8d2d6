import type { Spending } from '@x/interfaces'

/** The dimensions that a budget limits. */
export const BUDGET_DIMENSIONS = ['cost', 'tokens', 'calls'] as const

/** Money is kept as whole billionths of a US dollar, so that sums are exact. */
const UNITS_PER_DOLLAR = 1e9
/** Floating-point error that a product in units may have. */
const ROUNDING_TOLERANCE_UNITS = 1e-3

/** Amounts in whole units: billionths of a US dollar, tokens, calls. */
export type Units = Spending

/** Returns amounts of zero. */
export const noUnits = (): Units => ({ cost: 0, tokens: 0, calls: 0 })

/** Converts the spending of a call to units; parts of units are rounded up. */
export const unitsOf = ({ cost, tokens, calls }: Spending): Units => ({
  cost: Math.ceil(cost * UNITS_PER_DOLLAR - ROUNDING_TOLERANCE_UNITS),
  tokens: Math.ceil(tokens),
  calls: Math.ceil(calls),
})

/** Converts a limit to units; parts of units are rounded down. A dimension without a limit is `Infinity`. */
export const limitUnits = ({ cost = Infinity, tokens = Infinity, calls = Infinity }: Partial<Spending>): Units => ({
  cost: Math.floor(cost * UNITS_PER_DOLLAR + ROUNDING_TOLERANCE_UNITS),
  tokens,
  calls,
})

/** Converts units to US dollars, tokens and calls. */
export const spendingOf = ({ cost, tokens, calls }: Units): Spending => ({
  cost: cost / UNITS_PER_DOLLAR,
  tokens,
  calls,
})

/** Adds units to a sum in place, or subtracts them. */
export function addUnits(sum: Units, more: Units, sign: 1 | -1 = 1): void {
  for (const key of BUDGET_DIMENSIONS) sum[key] += sign * more[key]
}

/** Applies a function to each dimension of two amounts. */
export const eachUnit = (a: Units, b: Units, compute: (a: number, b: number) => number): Units => ({
  cost: compute(a.cost, b.cost),
  tokens: compute(a.tokens, b.tokens),
  calls: compute(a.calls, b.calls),
})
