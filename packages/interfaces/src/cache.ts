import type { ModelAnswer } from './answer.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** An answer as a cache keeps it. */
export interface StoredAnswer {
  answer: ModelAnswer
  /** Cost in US dollars when the call was made; null if unknown. */
  cost: number | null
}

/** The right to ask the model for the answer of a key. Other processes wait for the holder until the claim ends. */
export interface CacheClaim {
  /** Extends the claim to `lease` seconds from now; returns false if it has expired, so that another process may have it. */
  renew(lease: number): MaybePromise<boolean>
  /** Ends the claim. Does nothing after it has expired, even if another process has claimed the key. */
  release(): MaybePromise<void>
}

/** A store of answers. Values are plain data, which the store serializes. */
export interface CacheStore {
  /** Name of the store in warnings and log records. */
  readonly name: string
  get(key: string): MaybePromise<StoredAnswer | undefined>
  set(key: string, value: StoredAnswer): MaybePromise<void>
  /**
   * Claims a key for `lease` seconds, so that of several processes that miss the key one asks the model. Returns null while
   * any process has the key. A claim that is neither renewed nor released expires. A store of one process needs no claims.
   */
  claim?(key: string, lease: number): MaybePromise<CacheClaim | null>
  close?(): MaybePromise<void>
}
