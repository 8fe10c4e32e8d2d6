import type { Budget, Reservation, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** Options of a budget. */
export interface BudgetOptions extends Partial<Spending> {
  /** Name in the error; default `the budget`. */
  readonly name?: string | undefined
  /** Amounts that are reserved for one call; default: an estimate from its text and its limits. */
  readonly perCall?: Partial<Spending> | undefined
  /** The budget this one is a part of: what is spent here counts there too. */
  readonly parent?: Budget | undefined
  /** Amounts that were used before, such as the `spent` of the budget of a saved chat; default: nothing. */
  readonly spent?: Partial<Spending> | undefined
}

const AMOUNTS: OptionKinds<Spending> = { cost: kind.number(0), tokens: kind.number(0), calls: kind.number(0) }

const KINDS: OptionKinds<BudgetOptions> = {
  ...AMOUNTS,
  name: kind.text,
  perCall: kind.object,
  parent: kind.having('a budget, such as `createBudget({ calls: 10 })`', 'reserve'),
  spent: kind.object,
}

/**
 * Makes a limit in US dollars (`cost`), `tokens` or `calls` that wrappers share. A call reserves an estimate before it
 * is made, so that calls at once cannot overrun it together, and settles what it really used. A call that is alone may
 * use up what is left although its estimate is larger.
 */
export function createBudget(options: BudgetOptions): Budget {
  checkOptions(options ?? null, KINDS, 'run `createBudget`')
  const { name = 'the budget', perCall, parent, spent: before = {}, ...limit } = options
  checkOptions(perCall, AMOUNTS, 'reserve the `perCall` of a budget')
  checkOptions(before, AMOUNTS, 'begin with the `spent` of a budget')
  const settled: Spending = { cost: before.cost ?? 0, tokens: before.tokens ?? 0, calls: before.calls ?? 0 }
  const open = new Set<Spending>()

  const spent = (): Spending => [...open].reduce((sum, each) => addSpending(sum, each), settled)

  const check = (estimate: Spending): void => {
    const used = spent()
    for (const key of DIMENSIONS) {
      const most = limit[key]
      if (most === undefined) continue
      // Sums of dollars are not exact: a millionth of the limit does not count.
      const slack = most * 1e-6
      const alone = open.size === 0 && used[key] + slack < most
      if (used[key] + estimate[key] <= most + slack || (alone && key !== 'calls')) continue
      throw new XError(
        'budget-exceeded',
        `${name} of ${formatAmount(key, most)} does not hold another call: ${formatAmount(key, used[key])} is spent or set aside, and the call may use ${formatAmount(key, estimate[key])}; raise the limit or start a new budget`,
        { details: { limit: { ...limit }, spent: used, estimate } },
      )
    }
  }

  return {
    get spent() {
      return spent()
    },
    reserve(estimate): Reservation {
      const aside = { ...estimate, ...perCall }
      check(aside)
      const above = parent?.reserve(aside)
      open.add(aside)
      return {
        settle(actual) {
          if (!open.delete(aside)) return
          Object.assign(settled, addSpending(settled, actual))
          above?.settle(actual)
        },
        release() {
          if (open.delete(aside)) above?.release()
        },
      }
    },
  }
}

const DIMENSIONS = ['cost', 'tokens', 'calls'] as const

const addSpending = (a: Spending, b: Spending): Spending => ({
  cost: a.cost + b.cost,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
})

const formatAmount = (key: keyof Spending, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
