import type { Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { DIMENSIONS, formatAmount, type Dimension } from './spending.ts'

/** Makes the error for a call that does not fit into a budget. */
export function refusedError(
  { name, limit }: { readonly name: string; readonly limit: Partial<Spending> },
  spent: Spending,
  estimate: Spending,
): XError {
  const over = (key: Dimension): boolean => spent[key] + estimate[key] > (limit[key] ?? Infinity)
  const key = DIMENSIONS.find(over) ?? 'calls'
  const most = limit[key] ?? 0
  const may =
    estimate[key] === Infinity
      ? 'its price is not known: set `price` in its config entry'
      : `the call may use ${formatAmount(key, estimate[key])}: raise the limit or start a new budget`
  return new XError(
    'budget-exceeded',
    `${name} of ${formatAmount(key, most)} does not hold another call: ${formatAmount(key, spent[key])} is spent or set aside, and ${may}`,
    { details: { limit: { ...limit }, spent, estimate } },
  )
}

/** Makes the error for a call of a model of which nothing is known, beside others of it. */
export const unknownError = (name: string, model: string): XError =>
  new XError(
    'budget-exceeded',
    `${name} admits no further call of \`${model}\` before its first answer, which tells how much calls of it use: call again after that answer, or set \`max_tokens\``,
  )
