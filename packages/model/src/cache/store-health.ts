import type { CacheStore } from '@x/interfaces'

/** Failures in a row after which a store is left alone. */
const MOST_FAILURES = 3

/** Milliseconds for which a failing store is left alone. */
const REST = 30_000

/** Failures of a store in a row: one that fails repeatedly is left alone for a while, then asked once to see whether it works again. */
export class StoreHealth {
  /** Name of the store. */
  readonly name: string
  #failures = 0
  #askAgainAt = 0
  #reason = ''

  constructor(name: string) {
    this.name = name
  }

  /** Decides whether the store may be asked; the clock gives milliseconds since 1970. */
  mayAsk(clock: { now(): number }): boolean {
    if (this.#failures < MOST_FAILURES) return true
    const now = clock.now()
    if (now < this.#askAgainAt) return false
    this.#askAgainAt = now + REST
    return true
  }

  /** Notes that the store worked. */
  succeed(): void {
    this.#failures = 0
  }

  /** Notes a failure. */
  fail(now: number, reason: string): void {
    this.#reason = reason
    if (++this.#failures >= MOST_FAILURES) this.#askAgainAt = now + REST
  }

  /** Whether it has worked when it was last used. */
  get isWell(): boolean {
    return this.#failures === 0
  }

  /** Explains why the store is left alone; undefined while it is not. */
  get rest(): string | undefined {
    if (this.#failures < MOST_FAILURES) return undefined
    return `it failed ${MOST_FAILURES} times in a row and is left alone for ${REST / 1000} s: ${this.#reason}`
  }
}

/** The health of stores: every wrapper that uses a store shares it, and nothing is attached to the store. */
const healthByStore = new WeakMap<CacheStore, StoreHealth>()

/** The health of the claims of stores: one that gives answers and no claims is used without them. */
const claimHealthByStore = new WeakMap<CacheStore, StoreHealth>()

/** Gives the health of a store. */
export const healthOf = (store: CacheStore): StoreHealth => healthIn(healthByStore, store)

/** Gives the health of the claims of a store. */
export const claimHealthOf = (store: CacheStore): StoreHealth => healthIn(claimHealthByStore, store)

function healthIn(healths: WeakMap<CacheStore, StoreHealth>, store: CacheStore): StoreHealth {
  let health = healths.get(store)
  if (!health) healths.set(store, (health = new StoreHealth(store.name)))
  return health
}
