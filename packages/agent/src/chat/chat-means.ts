import type { Budget, Journal } from '@x/interfaces'

/** What a chat is given for everything inside it. */
export interface ChatMeans {
  /** What the chat and everything inside it may spend together; used up, they end with `budget`. */
  readonly budget?: Budget | undefined
  /** Keeps what is answered in the chat and inside it; with one from before, the chat goes on. */
  readonly journal?: Journal | undefined
  /** Names the run in the whole world, with a `journal` only; default: a random one, kept there. */
  readonly runId?: string | undefined
  /** Version of the program, kept in the `journal`; a chat of another version is refused first. */
  readonly version?: string | undefined
}
