import { XError } from '@x/kernel'
import type { FittedHistory } from './fitted-history.ts'
import { ViewHistory } from './view-history.ts'
import type { View } from './views/view.ts'

/**
 * Puts views together into the `history` of an agent. Without any view it keeps the history inside the window of the
 * model. It changes what is sent only at a cut, and makes one only when the history would no longer fit: first messages are
 * cleared, then the older part is summed up, then the oldest messages are left out, and at last the longest are shortened,
 * whatever the order of the views.
 */
export function fit(...views: readonly View[]): FittedHistory {
  const wrong = views.findIndex((view: View | null) => typeof view?.name !== 'string')
  if (wrong !== -1) {
    throw new XError(
      'invalid-argument',
      `cannot run \`fit\`: view ${wrong + 1} is not a view; give what \`limitTokens\`, \`clearToolResults\`, \`summarize\` and the others return`,
    )
  }
  return new ViewHistory(views)
}
