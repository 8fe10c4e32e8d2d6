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
  const wrong = views.findIndex((view: View | null) => typeof view !== 'object' || typeof view?.name !== 'string')
  if (wrong !== -1) {
    throw new XError(
      'invalid-argument',
      `cannot run \`fit\`: view ${wrong + 1} is not a view; ${remedyFor(views[wrong])}`,
    )
  }
  return new ViewHistory(views)
}

/** Words of other libraries for a limit of tokens. */
const TOKEN_WORDS = ['maxTokens', 'tokens', 'limit', 'max', 'maxInputTokens', 'total']

/** Words of other libraries for a limit of messages. */
const MESSAGE_WORDS = ['maxMessages', 'messages', 'lastMessages', 'keepLast', 'last']

/** Says how to write as a view what is none. */
function remedyFor(given: unknown): string {
  if (typeof given === 'number') return `write \`fit(limitTokens(${given}))\``
  if (Array.isArray(given)) return 'write `fit(...views)`, since it takes them one by one'
  if (typeof given === 'function') return 'call it, as in `fit(limitTokens(8000))` or `fit(summarize())`'
  const fields = Object(given) as Readonly<Record<string, unknown>>
  const numberOf = (words: readonly string[]): number | undefined =>
    words.map((word) => fields[word]).find((value) => typeof value === 'number')
  const [tokens, messages] = [numberOf(TOKEN_WORDS), numberOf(MESSAGE_WORDS)]
  if (messages !== undefined) return `write \`fit(limitMessages(${messages}))\``
  if (tokens !== undefined) return `write \`fit(limitTokens(${tokens}))\``
  return 'give what `limitTokens`, `clearToolResults`, `summarize` and the others return, as in `fit(limitTokens(8000))`'
}
