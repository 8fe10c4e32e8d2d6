import type { Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { BudgetRules, Refusal } from './budget-rules.ts'
import { DIMENSIONS, spendingOf, type Units } from './budget-units.ts'

/** Makes the error for a call that does not fit into a budget beside what is taken: used, or set aside. */
export function refusedError({ name, limit }: BudgetRules, taken: Units, refusal: Refusal): XError {
  const { amounts, unknownModel } = refusal
  if (unknownModel !== undefined) {
    return new XError(
      'budget-exceeded',
      `the budget \`${name}\` admits no further call of \`${unknownModel}\` before its first answer, which tells how much calls of it use: call again after that answer, or set \`max_tokens\``,
    )
  }
  const key = DIMENSIONS.find((each) => taken[each] + amounts[each] > limit[each]) ?? 'calls'
  const [most, spent, estimate] = [limit, taken, amounts].map(spendingOf) as [Spending, Spending, Spending]
  const may =
    estimate[key] === Infinity
      ? 'its price is not known: set `price` in its config entry'
      : `the call may use ${format(key, estimate[key])}: raise the limit, or wait for the next period`
  return new XError(
    'budget-exceeded',
    `the budget \`${name}\` of ${format(key, most[key])} does not hold another call: ${format(key, spent[key])} is spent or set aside, and ${may}`,
    { details: { limit: most, spent, estimate } },
  )
}

/** Makes the error for a call that was not admitted since the store did not answer. */
export const downError = (name: string, cause: unknown): XError =>
  new XError(
    'connection-failed',
    `the budget \`${name}\` could not be asked, since its store does not answer: start the store, and call again`,
    { cause },
  )

/** Makes the error for a call after the host was closed. */
export const closedError = (name: string): XError =>
  new XError('invalid-state', `the budget \`${name}\` was closed with its host: end the work before you close the host`)

const format = (key: keyof Spending, value: number): string =>
  key === 'cost' ? `$${value.toFixed(6)}` : `${value} ${key}`
