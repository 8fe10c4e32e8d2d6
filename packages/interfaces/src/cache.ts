import type { MaybePromise } from './maybe-promise.ts'
import type { ModelAnswer } from './model-answer.ts'

/** An answer as a cache keeps it. */
export interface StoredAnswer {
  answer: ModelAnswer
  /** Cost in US dollars when it was made; null when unknown. */
  cost: number | null
}

/** A place for answers; values are plain data that the store serialises. */
export interface CacheStore {
  /** Names the store in warnings and log records. */
  readonly name: string
  get(key: string): MaybePromise<StoredAnswer | undefined>
  set(key: string, value: StoredAnswer): MaybePromise<void>
  close?(): MaybePromise<void>
}
