import type { CacheStore } from '@x/interfaces'

/** Failures in a row after which a store is not used for a while. */
const MAX_FAILURES = 3

/** Milliseconds for which a failing store is not used. */
const PAUSE_MS = 30_000

/**
 * A circuit breaker for one kind of use of a store. Three failures in a row pause this use for 30 s, since a failure costs no
 * time; a use that reaches its deadline pauses it at once, so that a store that hangs costs one deadline and not one per
 * call. After the pause one use is a trial: while it lasts the others are refused, and its failure is the next pause.
 * Times are in milliseconds since 1970.
 */
export class StoreHealth {
  readonly storeName: string
  /** Beginning of the warning: says what calls do without. */
  readonly #pause: string
  /** Uses under way, by the function that ends each with a reason. */
  readonly #underWay = new Set<(reason: string) => void>()
  #failures = 0
  #retryAt = 0
  #reason = ''

  /** `pause` begins the warning of a pause: it says what calls do without. */
  constructor(storeName: string, pause: string) {
    this.storeName = storeName
    this.#pause = pause
  }

  /** Allows or refuses a use; a use after a pause is the trial. The clock is read in a pause only. */
  mayUse(clock: { now(): number }): boolean {
    if (!this.isPaused) return true
    const now = clock.now()
    const leftMs = this.#retryAt - now
    // More than a whole pause is left only when the clock was set back.
    if (leftMs > 0 && leftMs <= PAUSE_MS) return false
    this.#retryAt = now + PAUSE_MS
    return true
  }

  /** Notes that a use has succeeded. */
  succeed(): void {
    this.#failures = 0
  }

  /** Notes that a use has failed at once. */
  fail(now: number, reason: string): void {
    this.#failures++
    this.#reason = `it failed ${MAX_FAILURES} times in a row, at last with: ${reason}`
    if (this.isPaused) this.#retryAt = now + PAUSE_MS
  }

  /** Notes that a use has reached its deadline. The other uses under way end with it: they would wait for the same store. */
  hang(now: number, reason: string): void {
    this.#failures = MAX_FAILURES
    this.#reason = reason
    this.#retryAt = now + PAUSE_MS
    const ended = [...this.#underWay]
    this.#underWay.clear()
    for (const end of ended) end(reason)
  }

  /** Keeps the function that ends a use under way; returns a function that forgets it. */
  track(end: (reason: string) => void): () => void {
    this.#underWay.add(end)
    return () => void this.#underWay.delete(end)
  }

  /** True if the last use succeeded, or there was none. */
  get isHealthy(): boolean {
    return this.#failures === 0
  }

  /** True from the failure that pauses until a use succeeds. */
  get isPaused(): boolean {
    return this.#failures >= MAX_FAILURES
  }

  /** Explains the pause in a warning; undefined without a pause. */
  get pauseText(): string | undefined {
    return this.isPaused ? `${this.#pause} for ${PAUSE_MS / 1000} s: ${this.#reason}` : undefined
  }
}

/** The health of each kind of use of a store: a store may answer lookups and fail writes, or have no working claims. */
export interface StoreHealths {
  readonly lookups: StoreHealth
  readonly writes: StoreHealth
  readonly claims: StoreHealth
}

/** The health of stores, which all wrappers that use a store share. The store itself is not touched. */
const healthsByStore = new WeakMap<CacheStore, StoreHealths>()

/** Returns the health of a store. */
export function healthsOf(store: CacheStore): StoreHealths {
  let healths = healthsByStore.get(store)
  if (!healths) {
    const { name } = store
    healths = {
      lookups: new StoreHealth(name, `answers are not looked up in the cache \`${name}\``),
      writes: new StoreHealth(name, `answers are not kept in the cache \`${name}\``),
      claims: new StoreHealth(name, `calls do not wait for equal calls of other processes in the cache \`${name}\``),
    }
    healthsByStore.set(store, healths)
  }
  return healths
}
