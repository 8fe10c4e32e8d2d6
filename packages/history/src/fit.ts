import { XError } from '@x/kernel'
import { ViewHistory } from './view-history.ts'
import type { FittedHistory, View } from './views/view.ts'

/**
 * Combines views into the `history` of an agent. Without any view it keeps the history inside the window of the model. The
 * messages that are sent change only at a cut, and a cut is made only when the history would no longer fit. Whatever the
 * order of the views, a cut first clears messages, then summarizes the older part, then leaves out the oldest messages, and
 * at last shortens the longest.
 */
export function fit(...views: readonly View[]): FittedHistory {
  const wrong = views.findIndex((view: View | null) => typeof view?.name !== 'string')
  if (wrong !== -1) {
    const given: unknown = views[wrong]
    const remedy =
      typeof given === 'number'
        ? `write \`fit(limitTokens(${given}))\``
        : 'give what `limitTokens`, `clearToolResults`, `summarize` and the others return, as in `fit(limitTokens(8000))`'
    throw new XError('invalid-argument', `cannot run \`fit\`: view ${wrong + 1} is not a view; ${remedy}`)
  }
  return new ViewHistory(views)
}
