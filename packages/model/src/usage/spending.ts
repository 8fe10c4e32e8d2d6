import type { Spending } from '@x/interfaces'

/** The dimensions that a budget limits. */
export const DIMENSIONS = ['cost', 'tokens', 'calls'] as const

/** A dimension that a budget limits. */
export type Dimension = (typeof DIMENSIONS)[number]

/** Returns nothing spent. */
export const noSpending = (): Spending => ({ cost: 0, tokens: 0, calls: 0 })

/** Adds some spending to a sum, or takes it off (`sign` -1). */
export function addTo(sum: Spending, more: Spending, sign: 1 | -1 = 1): void {
  for (const key of DIMENSIONS) sum[key] += sign * more[key]
}

/** Returns two sums together. */
export const sumOf = (a: Spending, b: Spending): Spending => ({
  cost: a.cost + b.cost,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
})

/** Writes an amount for a reader. */
export const formatAmount = (key: Dimension, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
