import type { Budget, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { RecordBudget, reserveInBoth } from '@x/kernel/limits'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a budget. */
export interface BudgetOptions {
  /** Most US dollars; default: no limit. */
  readonly cost?: number | undefined
  /** Most input and output tokens together; default: no limit. */
  readonly tokens?: number | undefined
  /** Most requests to a model; default: no limit. */
  readonly calls?: number | undefined
  /** Name of the budget in errors; default `the budget`. */
  readonly name?: string | undefined
  /** Amounts to reserve for each call; default: an estimate from its text, its limits and earlier answers of its model. */
  readonly perCall?: Partial<Spending> | undefined
  /** The budget that this one is a part of: its amounts count there too. */
  readonly parent?: Budget | undefined
  /** Amounts that were spent before, such as the `spent` of the budget of a saved chat; default: 0. */
  readonly spent?: Partial<Spending> | undefined
  /** How to treat a call that does not fit beside the calls in flight: it waits for them, or is refused. Blocking calls never wait. Default `wait`. */
  readonly whenFull?: 'wait' | 'refuse' | undefined
  /**
   * Never exceed the limit: reserve the most that a call can use, or set `max_tokens` of the request to what is left. Default
   * false.
   */
  readonly strict?: boolean | undefined
  /** Fewest `max_tokens` that a strict budget sets; a call for which less is left is refused. Default 1,024. */
  readonly minTokens?: number | undefined
}

const LIMIT_KINDS: OptionKinds<Spending> = { cost: kind.number(0), tokens: kind.limit(0), calls: kind.limit(0) }

const FINITE_AMOUNT_KIND: OptionKinds<Spending>['cost'] = {
  expected: 'a finite number of at least 0',
  takes: (value) => Number.isFinite(value) && value >= 0,
}

const SPENT_KINDS: OptionKinds<Spending> = {
  cost: FINITE_AMOUNT_KIND,
  tokens: FINITE_AMOUNT_KIND,
  calls: kind.whole(0),
}

const PER_CALL_KINDS: OptionKinds<Spending> = { ...SPENT_KINDS, calls: kind.whole(1) }

const BUDGET_KINDS: OptionKinds<BudgetOptions> = {
  ...LIMIT_KINDS,
  name: kind.text,
  perCall: kind.object,
  parent: kind.having('a budget, such as `createBudget({ calls: 10 })`', 'reserve'),
  spent: kind.object,
  whenFull: kind.oneOf('wait', 'refuse'),
  strict: kind.flag,
  minTokens: kind.whole(1),
}

/** Words of other libraries for the options of a budget. */
const FOREIGN_BUDGET_WORDS = {
  'maxCost costLimit usd maxUsd dollars maxDollars limit max amount price': 'write `cost`, in US dollars',
  'maxTokens tokenLimit': 'write `tokens`',
  'maxCalls maxRequests requests requestLimit': 'write `calls`',
}

/**
 * Makes a limit in US dollars (`cost`), `tokens` or `calls` that wrappers share. A call reserves an estimate before it is
 * made and settles its actual usage afterwards. A call that does not fit beside the calls in flight waits for them, and is
 * refused if none of them could free enough. By default the limit is exceeded at most by what calls in flight use beyond
 * their estimates; a `strict` budget is never exceeded.
 */
export function createBudget(options: BudgetOptions): Budget {
  checkOptions(options ?? null, BUDGET_KINDS, 'run `createBudget`', FOREIGN_BUDGET_WORDS)
  const { name = 'the budget', perCall, parent, spent = {}, cost, tokens, calls } = options
  const { whenFull = 'wait', strict = false, minTokens = 1024 } = options
  checkOptions(perCall, PER_CALL_KINDS, 'reserve the `perCall` of a budget')
  checkOptions(spent, SPENT_KINDS, 'begin with the `spent` of a budget')
  if (!parent && cost === undefined && tokens === undefined && calls === undefined) {
    throw invalidBudget('it has no limit; give `cost` (US dollars), `tokens` or `calls`, or a `parent`')
  }
  if (strict && perCall) {
    throw invalidBudget('`perCall` is an estimate, which `strict: true` does not use; leave one of them out')
  }
  const own = new RecordBudget({
    name,
    limit: { cost, tokens, calls },
    strict,
    minTokens,
    per: undefined,
    waits: whenFull === 'wait',
    perCall,
    spent,
  })
  return {
    get spent() {
      return own.spent
    },
    reserve: (estimate, reserveOptions) =>
      parent ? reserveInBoth([own, parent], estimate, reserveOptions) : own.reserve(estimate, reserveOptions),
  }
}

const invalidBudget = (problem: string): XError =>
  new XError('invalid-argument', `cannot run \`createBudget\`: ${problem}`)
