import type { ModelAttempt } from './error.ts'
import type { ChatMessage } from './message.ts'
import type { ModelAnswer } from './model-answer.ts'

/** What a wrapper gives: the answer and how it came about. */
export interface ModelResponse extends ModelAnswer {
  /** Cost in US dollars. */
  cost: number
  /** Index of the config that answered. */
  configId: number
  /** Whether `filterFunc` accepted the answer (true without one). */
  passFilter: boolean
  /** Whether the answer came from a cache. */
  cached: boolean
  /** The configs that were tried before this one, and why they did not answer. */
  attempts?: readonly ModelAttempt[] | undefined
  /** Gives the texts of an answer, or its messages when they hold calls. */
  messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[]
}

/** Accepts or refuses an answer. */
export type FilterFunc = (input: { context: Record<string, unknown> | null; response: ModelResponse }) => boolean
