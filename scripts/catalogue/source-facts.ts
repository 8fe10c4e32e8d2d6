import type { ModelPrice } from '../../packages/provider-kit/src/catalogue/model-facts.ts'

/** Facts that one public table has about one model. */
export interface SourceFacts {
  contextWindow?: number
  maxOutput?: number
  price?: ModelPrice
  /** Abilities that the table is positive about. */
  abilities?: readonly string[]
}

/** Returns a number of dollars without the noise of division and multiplication. */
export const dollars = (value: number): number => Number(value.toPrecision(8))

/** Returns a record without its absent values; undefined when nothing is left. */
export function present<T extends object>(record: T): T | undefined {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined
}
