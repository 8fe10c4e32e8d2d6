import type { ModelPrice } from '../../packages/provider-kit/src/catalogue/model-facts.ts'

/** Facts that one public table has about one model. */
export interface SourceFacts {
  contextWindow?: number
  maxOutput?: number
  price?: ModelPrice
  /** Abilities that the table confirms. */
  abilities?: readonly string[]
}

/** Rounds a number of dollars to 8 digits, without the noise of floating-point arithmetic. */
export const dollars = (value: number): number => Number(value.toPrecision(8))

/** Returns a record without absent values, or undefined if none is left. */
export function present<T extends object>(record: T): T | undefined {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}
