import type { Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { LEASE_SECONDS, SECONDS } from '../seconds.ts'
import type { BudgetPeriod } from './budget-period.ts'

/** Options of `limiter`. */
export interface HostLimiterOptions {
  /** Seconds without a sign of life after which the calls that a worker has under way count no more; default 30. */
  readonly lease?: number | undefined
  /** Seconds that the store may take to answer before it counts as down; default 2. */
  readonly storeTimeout?: number | undefined
  /**
   * What happens while the store does not answer: every worker keeps the limits for itself (`alone`, the default), or its
   * calls fail with `connection-failed` (`refuse`).
   */
  readonly whenDown?: 'alone' | 'refuse' | undefined
  /** Hears of a store that does not answer, once until it does again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Options of `budget`: limits in US dollars (`cost`), `tokens` or `calls`, of which it needs one. */
export interface HostBudgetOptions extends Partial<Spending> {
  /** Period after which it begins anew: an hour, day or month in UTC by the clock of the store, or seconds since 1970. Default: never. */
  readonly per?: BudgetPeriod | undefined
  /** Amounts that are reserved for one call; default: an estimate from its text, its limits and earlier answers of its model. */
  readonly perCall?: Partial<Spending> | undefined
  /** Whether a call that does not fit beside those in flight waits for them, or is refused. Default `wait`. */
  readonly whenFull?: 'wait' | 'refuse' | undefined
  /** Never exceeds the limit: the most that a call can use is reserved, or `max_tokens` of the request is set to what is left. Default false. */
  readonly strict?: boolean | undefined
  /** Least `max_tokens` that a strict budget sets; a call for which less is left is refused. Default 1,024. */
  readonly minTokens?: number | undefined
  /** Seconds without a sign of life after which what a worker has set aside is given back; default 30. */
  readonly lease?: number | undefined
  /** Hears of a store that does not answer, once until it does again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const LIMITER: OptionKinds<HostLimiterOptions> = {
  lease: LEASE_SECONDS,
  storeTimeout: LEASE_SECONDS,
  whenDown: kind.oneOf('alone', 'refuse'),
  onError: kind.call,
}

const COST: OptionKinds<Spending>['cost'] = {
  expected: 'US dollars of at least 0 and at most 9,000,000',
  takes: (value) => value >= 0 && value <= 9_000_000,
}

const BUDGET: OptionKinds<HostBudgetOptions> = {
  cost: COST,
  tokens: kind.whole(0),
  calls: kind.whole(0),
  per: {
    ...kind.either(kind.oneOf('hour', 'day', 'month'), SECONDS),
    expected: "'hour', 'day', 'month' or a number of seconds",
  },
  perCall: kind.object,
  whenFull: kind.oneOf('wait', 'refuse'),
  strict: kind.flag,
  minTokens: kind.whole(1),
  lease: LEASE_SECONDS,
  onError: kind.call,
}

const PER_CALL: OptionKinds<Spending> = { cost: COST, tokens: kind.whole(0), calls: kind.whole(1) }

/** Refuses wrong options of a limiter. */
export const checkLimiterOptions = (options: HostLimiterOptions): void =>
  checkOptions(options, LIMITER, 'make a limiter of a host')

/** Refuses a wrong name or wrong options of a budget. */
export function checkBudget(name: unknown, options: HostBudgetOptions): void {
  const attempt = 'make a budget of a host'
  checkOptions((options as object | undefined) ?? null, BUDGET, attempt)
  const { cost, tokens, calls, perCall, strict } = options
  checkOptions(perCall, PER_CALL, 'reserve the `perCall` of a budget')
  const isName = typeof name === 'string' && name.length > 0 && name.length <= 200 && name.isWellFormed()
  const problem =
    ((!isName || name.includes('\0')) && 'its name has to be a text of 1 to 200 characters') ||
    (cost === undefined &&
      tokens === undefined &&
      calls === undefined &&
      'it has no limit; give `cost` (US dollars), `tokens` or `calls`') ||
    (strict && perCall && '`perCall` is an estimate, and `strict: true` makes none; leave one of them out')
  if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
}
