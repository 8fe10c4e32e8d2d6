import type { Budget, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { Account } from './account.ts'
import { reserveInBoth } from '@x/kernel/budget'

/** Options of a budget. */
export interface BudgetOptions extends Partial<Spending> {
  /** Name in the error; default `the budget`. */
  readonly name?: string | undefined
  /** Amounts that are reserved for one call; default: an estimate from its text, its limits and earlier answers of its model. */
  readonly perCall?: Partial<Spending> | undefined
  /** The budget this one is a part of: what is spent here counts there too. */
  readonly parent?: Budget | undefined
  /** Amounts that were used before, such as the `spent` of the budget of a saved chat; default: nothing. */
  readonly spent?: Partial<Spending> | undefined
  /** Whether a call that does not fit beside those in flight waits for them, or is refused; blocking calls never wait. Default `wait`. */
  readonly whenFull?: 'wait' | 'refuse' | undefined
  /**
   * Never exceeds the limit: the most that a call can use is reserved, or `max_tokens` of the request is set to what is
   * left. Default false.
   */
  readonly strict?: boolean | undefined
  /** Least `max_tokens` that a strict budget sets; a call for which less is left is refused. Default 1,024. */
  readonly minTokens?: number | undefined
}

const AMOUNTS: OptionKinds<Spending> = { cost: kind.number(0), tokens: kind.limit(0), calls: kind.limit(0) }

const FINITE: OptionKinds<Spending>['cost'] = {
  expected: 'a finite number of at least 0',
  takes: (value) => Number.isFinite(value) && value >= 0,
}

const SPENT: OptionKinds<Spending> = { cost: FINITE, tokens: FINITE, calls: kind.whole(0) }

const PER_CALL: OptionKinds<Spending> = { cost: FINITE, tokens: FINITE, calls: kind.whole(1) }

const KINDS: OptionKinds<BudgetOptions> = {
  ...AMOUNTS,
  name: kind.text,
  perCall: kind.object,
  parent: kind.having('a budget, such as `createBudget({ calls: 10 })`', 'reserve'),
  spent: kind.object,
  whenFull: kind.oneOf('wait', 'refuse'),
  strict: kind.flag,
  minTokens: kind.whole(1),
}

/**
 * Makes a limit in US dollars (`cost`), `tokens` or `calls` that wrappers share. A call reserves an estimate before it is
 * made and settles what it really used. One that does not fit beside those in flight waits for them, and is refused when
 * none of them could make room. By default the limit is exceeded at most by what calls in flight answer beyond their
 * estimates; a `strict` budget is never exceeded.
 */
export function createBudget(options: BudgetOptions): Budget {
  checkOptions(options ?? null, KINDS, 'run `createBudget`')
  const { name = 'the budget', perCall, parent, spent = {}, cost, tokens, calls } = options
  const { whenFull = 'wait', strict = false, minTokens = 1024 } = options
  checkOptions(perCall, PER_CALL, 'reserve the `perCall` of a budget')
  checkOptions(spent, SPENT, 'begin with the `spent` of a budget')
  if (!parent && cost === undefined && tokens === undefined && calls === undefined) {
    throw invalid('it has no limit; give `cost` (US dollars), `tokens` or `calls`, or a `parent`')
  }
  if (strict && perCall) {
    throw invalid('`perCall` is an estimate, and `strict: true` makes none; leave one of them out')
  }
  const limit = withoutUndefined({ cost, tokens, calls })
  const rules = { name, limit, perCall: perCall && withoutUndefined(perCall), strict, minTokens }
  const account = new Account({ ...rules, waits: whenFull === 'wait' }, withoutUndefined(spent))
  return {
    get spent() {
      return account.spent
    },
    reserve: (estimate, how = {}) =>
      parent ? reserveInBoth([account, parent], estimate, how) : account.reserve(estimate, how),
  }
}

const invalid = (what: string): XError => new XError('invalid-argument', `cannot run \`createBudget\`: ${what}`)

const withoutUndefined = (amounts: { readonly [K in keyof Spending]?: number | undefined }): Partial<Spending> =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined))
