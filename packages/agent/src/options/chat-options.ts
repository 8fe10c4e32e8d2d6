import type { Budget, Journal } from '@x/interfaces'

/** Options of a chat that hold for everything inside it. */
export interface ChatMeans {
  /** Limits the spending of the chat and everything inside it; when it is used up, the chat ends with `budget`. */
  readonly budget?: Budget | undefined
  /** Keeps what is answered in the chat and inside it; with one from before, the chat goes on. */
  readonly journal?: Journal | undefined
  /** Names the run in the whole world, with a `journal` only; default: a random one, kept there. */
  readonly runId?: string | undefined
  /** Version of the program, kept in the `journal`; a chat of another version is refused first. */
  readonly version?: string | undefined
}
