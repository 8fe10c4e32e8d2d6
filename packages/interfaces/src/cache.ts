import type { ModelAnswer } from './answer.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** An answer as a cache keeps it. */
export interface StoredAnswer {
  answer: ModelAnswer
  /** Cost in US dollars when it was made; null when unknown. */
  cost: number | null
}

/** The right to ask for the answer of a key: others leave that to its holder until it ends. */
export interface CacheClaim {
  /** Prolongs the claim to so many seconds from now; false when it has ended, so that another may have it. */
  renew(lease: number): MaybePromise<boolean>
  /** Ends the claim. Does nothing when it has ended, also when another has one for the key by now. */
  release(): MaybePromise<void>
}

/** A place for answers; values are plain data that the store serialises. */
export interface CacheStore {
  /** Names the store in warnings and log records. */
  readonly name: string
  get(key: string): MaybePromise<StoredAnswer | undefined>
  set(key: string, value: StoredAnswer): MaybePromise<void>
  /**
   * Claims a key for so many seconds, so that of several processes that miss it one asks for the answer. Null while somebody
   * has it, of this process or another. A claim that is neither prolonged nor released ends by itself. A store that one
   * process uses needs none.
   */
  claim?(key: string, lease: number): MaybePromise<CacheClaim | null>
  close?(): MaybePromise<void>
}
