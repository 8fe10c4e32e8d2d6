import type { HistoryView } from '@x/interfaces'
import type { View } from './views/view.ts'

/** Views put together, as the `history` of agents; it may be given to several. */
export interface FittedHistory extends HistoryView {
  /** The views, in the order in which they were given. */
  readonly views: readonly View[]
}
