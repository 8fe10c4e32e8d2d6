/** A period after which a budget begins anew: calendar units in UTC, or a number of seconds since 1970. */
export type BudgetPeriod = 'hour' | 'day' | 'month' | number

/** A period with its start and end, in milliseconds since 1970. */
export interface PeriodBounds {
  readonly start: number
  readonly end: number
}

const SECONDS = { hour: 3600, day: 86_400 } as const

/** Returns the period of a time. */
export function periodAt(time: number, per: BudgetPeriod): PeriodBounds {
  if (per === 'month') {
    const date = new Date(time)
    const monthAt = (offset: number): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
    return { start: monthAt(0), end: monthAt(1) }
  }
  const length = (typeof per === 'number' ? per : SECONDS[per]) * 1000
  const start = Math.floor(time / length) * length
  return { start, end: start + length }
}
