import type { CacheClaim, CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { asTiered, claimStoreOf, type StoreAccess } from './tiered-cache.ts'

/** Seconds that a lookup may take, unless `cacheTimeout` says otherwise. */
const DEFAULT_CACHE_TIMEOUT_S = 0.5

/** A write may take this many times as long as a lookup. */
const WRITE_TIMEOUT_FACTOR = 10

/** Seconds after which the claim of a process that has died expires. */
const CLAIM_LEASE_S = 10

/**
 * Reads and writes stores so that a store never fails or delays a call: a lookup that fails or takes too long is a miss, a
 * failed write is dropped, and a store that fails repeatedly is not used for a while.
 */
export abstract class GuardedAccess implements StoreAccess {
  /** True if promises are awaited; a blocking call refuses them. */
  abstract readonly waits: boolean
  /** Seconds that a lookup may take; default 0.5. */
  abstract readonly cacheTimeout: number | undefined
  /** Returns the time in milliseconds since 1970. */
  abstract now(): number
  /** Receives a failure of a store; `late` is true after the call has continued. */
  abstract onTrouble(text: string, late: boolean): void

  /** Looks a key up; the promise never rejects. In a blocking call a promise of the store is returned as it is, to be refused. */
  get(store: CacheStore, key: string): MaybePromise<StoredAnswer | undefined> {
    const tiered = asTiered(store)
    if (tiered) return tiered.get(key, this)
    const health = this.#usable(store)
    if (!health) return undefined
    try {
      const lookup = store.get(key)
      if (isThenable(lookup)) return this.waits ? this.#awaitLookup(health, lookup) : lookup
      health.succeed()
      return lookup
    } catch (error) {
      return this.#fail(health, 'looked up', reasonOf(error))
    }
  }

  /** Stores an answer; the promise never rejects, and resolves when the store has the answer or the write is given up. */
  set(store: CacheStore, key: string, value: StoredAnswer): MaybePromise<void> {
    const tiered = asTiered(store)
    if (tiered) return tiered.set(key, value, this)
    const health = this.#usable(store)
    if (!health) return undefined
    try {
      const writing = store.set(key, value)
      if (isThenable(writing)) return this.waits ? this.#awaitWrite(health, writing) : writing
      health.succeed()
    } catch (error) {
      this.#fail(health, 'kept', reasonOf(error))
    }
  }

  /**
   * Claims a key; the promise never rejects. Returns null while another process has the key, and undefined when the store
   * has no claims or fails.
   */
  claim(store: CacheStore, key: string): MaybePromise<HeldClaim | null | undefined> {
    const owner = claimStoreOf(store)
    if (!owner.claim || !this.waits || !healthOf(owner).isHealthy) return undefined
    const health = this.#usable(owner, claimHealthOf(owner))
    if (!health) return undefined
    const accept = (made: unknown): HeldClaim | null | undefined => {
      if (made !== null && !isClaim(made))
        return this.#fail(health, 'claimed', 'it returned something other than a claim')
      health.succeed()
      return made && new HeldClaim(made, CLAIM_LEASE_S, (reason) => this.#fail(health, 'held', reason, true))
    }
    try {
      const claiming = owner.claim(key, CLAIM_LEASE_S)
      if (!isThenable(claiming)) return accept(claiming)
      return this.#awaitWithin(claiming, {
        pass: accept,
        fail: (reason) => this.#fail(health, 'claimed', reason),
        // A claim that arrives too late is released.
        late: (made) => void (isClaim(made) && new HeldClaim(made, CLAIM_LEASE_S, () => {}).end()),
      })
    } catch (error) {
      return this.#fail(health, 'claimed', reasonOf(error))
    }
  }

  /** Notes that the answer of another process did not arrive within `seconds`. */
  noteClaimTimeout(store: CacheStore, seconds: number): void {
    const owner = claimStoreOf(store)
    this.#fail(claimHealthOf(owner), 'waited for', `it did not come within ${seconds} s`)
  }

  #usable(store: CacheStore, health: StoreHealth = healthOf(store)): StoreHealth | undefined {
    if (health.mayUse(this)) return health
    this.onTrouble(pauseText(health), false)
    return undefined
  }

  get #timeout(): number {
    return this.cacheTimeout ?? DEFAULT_CACHE_TIMEOUT_S
  }

  #awaitLookup(health: StoreHealth, lookup: PromiseLike<StoredAnswer | undefined>): Promise<StoredAnswer | undefined> {
    return this.#awaitWithin(lookup, {
      pass: (answer) => (health.succeed(), answer),
      fail: (reason) => this.#fail(health, 'looked up', reason),
      late: () => {},
    })
  }

  /** Awaits a store up to the time limit of a lookup; the promise never rejects. */
  #awaitWithin<T, R>(
    operation: PromiseLike<T>,
    on: {
      readonly pass: (value: T) => R
      readonly fail: (reason: string) => undefined
      readonly late: (value: T) => void
    },
  ): Promise<R | undefined> {
    return new Promise((resolve) => {
      let over = false
      const fail = (reason: string): void => {
        if (!over) resolve(on.fail(reason))
        over = true
      }
      const limit = this.#timeout
      const timer = setTimeout(() => fail(`it took longer than ${limit} s`), limit * 1000)
      Promise.resolve(operation).then(
        (value) => {
          clearTimeout(timer)
          if (over) return on.late(value)
          over = true
          resolve(on.pass(value))
        },
        (error: unknown) => {
          clearTimeout(timer)
          fail(reasonOf(error))
        },
      )
    })
  }

  #awaitWrite(health: StoreHealth, writing: PromiseLike<void>): Promise<void> {
    return new Promise((resolve) => {
      let over = false
      const end = (reason?: string): void => {
        if (over) return
        over = true
        clearTimeout(timer)
        if (reason === undefined) health.succeed()
        else this.#fail(health, 'kept', reason, true)
        resolve()
      }
      const limit = this.#timeout * WRITE_TIMEOUT_FACTOR
      const timer = setTimeout(() => end(`it took longer than ${limit} s`), limit * 1000)
      // Nobody awaits a write, so its timer does not keep the program running.
      ;(timer as { unref?: () => void }).unref?.()
      Promise.resolve(writing).then(
        () => end(),
        (error: unknown) => end(reasonOf(error)),
      )
    })
  }

  #fail(health: StoreHealth, action: string, reason: string, late: boolean = false): undefined {
    health.fail(this.now(), reason)
    this.onTrouble(
      health.pauseReason === undefined
        ? `${action === 'claimed' || action === 'held' ? 'a key' : 'an answer'} could not be ${action} in the cache \`${health.name}\`, and the call went on without it: ${reason}`
        : pauseText(health),
      late,
    )
    return undefined
  }
}

const pauseText = (health: StoreHealth): string =>
  `the cache \`${health.name}\` is not used, and calls go on without it: ${health.pauseReason}`

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error that cannot be shown'
  }
}

/** Failures in a row after which a store is not used for a while. */
const MAX_FAILURES = 3

/** Milliseconds for which a failing store is not used. */
const PAUSE_MS = 30_000

/** A circuit breaker: after several failures in a row a store is not used for a while, and then tried once. */
class StoreHealth {
  /** Name of the store. */
  readonly name: string
  #failures = 0
  #retryAt = 0
  #reason = ''

  constructor(name: string) {
    this.name = name
  }

  /** Decides whether the store may be used; the clock returns milliseconds since 1970. */
  mayUse(clock: { now(): number }): boolean {
    if (this.#failures < MAX_FAILURES) return true
    const now = clock.now()
    if (now < this.#retryAt) return false
    this.#retryAt = now + PAUSE_MS
    return true
  }

  /** Notes that the store worked. */
  succeed(): void {
    this.#failures = 0
  }

  /** Notes a failure. */
  fail(now: number, reason: string): void {
    this.#reason = reason
    if (++this.#failures >= MAX_FAILURES) this.#retryAt = now + PAUSE_MS
  }

  /** True if the last use of the store succeeded. */
  get isHealthy(): boolean {
    return this.#failures === 0
  }

  /** Explains why the store is not used; undefined while it is used. */
  get pauseReason(): string | undefined {
    if (this.#failures < MAX_FAILURES) return undefined
    return `it failed ${MAX_FAILURES} times in a row and is left alone for ${PAUSE_MS / 1000} s: ${this.#reason}`
  }
}

/** The health of stores, which all wrappers that use a store share. The store itself is not touched. */
const healthByStore = new WeakMap<CacheStore, StoreHealth>()

/** The health of the claims of stores: a store whose claims fail is used without claims. */
const claimHealthByStore = new WeakMap<CacheStore, StoreHealth>()

/** Returns the health of a store. */
const healthOf = (store: CacheStore): StoreHealth => healthIn(healthByStore, store)

/** Returns the health of the claims of a store. */
const claimHealthOf = (store: CacheStore): StoreHealth => healthIn(claimHealthByStore, store)

function healthIn(healths: WeakMap<CacheStore, StoreHealth>, store: CacheStore): StoreHealth {
  let health = healths.get(store)
  if (!health) healths.set(store, (health = new StoreHealth(store.name)))
  return health
}

/** Tells whether a store has returned a claim. */
function isClaim(value: unknown): value is CacheClaim {
  try {
    const { renew, release } = (value ?? {}) as Partial<CacheClaim>
    return typeof renew === 'function' && typeof release === 'function'
  } catch {
    return false
  }
}

/** A claim of this process. It renews its lease until `end`, never throws and does not keep the program running. */
export class HeldClaim {
  readonly #claim: CacheClaim
  readonly #lease: number
  readonly #onFail: (reason: string) => void
  readonly #timer: ReturnType<typeof setInterval>
  #renewing = false

  /** `lease` is in seconds. */
  constructor(claim: CacheClaim, lease: number, onFail: (reason: string) => void) {
    this.#claim = claim
    this.#lease = lease
    this.#onFail = onFail
    this.#timer = setInterval(() => this.#renew(), (lease * 1000) / 3)
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  /** Releases the claim without waiting. */
  end(): void {
    clearInterval(this.#timer)
    this.#call(
      () => this.#claim.release(),
      () => {},
    )
  }

  #renew(): void {
    // A store that hangs is not called again: the claim then expires.
    if (this.#renewing) return
    this.#renewing = true
    this.#call(
      () => this.#claim.renew(this.#lease),
      (held) => {
        this.#renewing = false
        if (held !== true) clearInterval(this.#timer)
      },
    )
  }

  #call(operation: () => unknown, then: (value: unknown) => void): void {
    const fail = (error: unknown): void => {
      this.#renewing = false
      this.#onFail(error instanceof Error ? error.message : 'the store failed')
    }
    try {
      const result = operation()
      if (isThenable(result)) Promise.resolve(result).then(then, fail)
      else then(result)
    } catch (error) {
      fail(error)
    }
  }
}
