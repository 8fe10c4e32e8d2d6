import type { CacheClaim, CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { healthsOf, type StoreHealth, type StoreHealths } from './store-health.ts'
import { asTiered, claimStoreOf, type StoreAccess } from './tiered-cache.ts'

/** Seconds that a lookup may take, unless `cacheTimeout` says otherwise. */
const DEFAULT_CACHE_TIMEOUT_S = 0.5

/** A write may take this many times as long as a lookup. */
const WRITE_TIMEOUT_FACTOR = 10

/** Seconds after which the claim of a process that has died expires. */
const CLAIM_LEASE_S = 10

/** An operation that is awaited up to a deadline. */
interface AwaitedUse<T, R> {
  readonly action: 'looked up' | 'claimed'
  readonly onResult: (value: T) => R
  /** Receives a result that comes after the deadline. */
  readonly onLateResult: (value: T) => void
}

/**
 * Reads and writes stores so that a store never fails or delays a call. A lookup that fails or takes too long is a
 * miss, a failed write is dropped, and a store that hangs or fails repeatedly rests for a while. Lookups, writes and
 * claims are judged apart: a store whose lookups hang may still take answers.
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
    const health = healthsOf(store).lookups
    if (!this.#mayUse(health)) return undefined
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
    const healths = healthsOf(store)
    if (!healths.writes.mayUse(this)) return this.#tellOfWrites(healths, healths.writes.pauseText!, false)
    try {
      const writing = store.set(key, value)
      if (isThenable(writing)) return this.waits ? this.#awaitWrite(healths, writing) : writing
      healths.writes.succeed()
    } catch (error) {
      this.#failWrite(healths, reasonOf(error), false)
    }
  }

  /**
   * Claims a key; the promise never rejects. Returns null while another process has the key, and undefined when the store
   * has no claims or fails. A claim has the deadline of a lookup, since the call waits for both.
   */
  claim(store: CacheStore, key: string): MaybePromise<HeldClaim | null | undefined> {
    const owner = claimStoreOf(store)
    if (!owner.claim || !this.waits) return undefined
    const { lookups, writes, claims } = healthsOf(owner)
    // Other processes would wait for an answer that the store does not get.
    if (!lookups.isHealthy || writes.isPaused) return undefined
    if (!this.#mayUse(claims)) return undefined
    const accept = (made: unknown): HeldClaim | null | undefined => {
      if (made !== null && !isClaim(made))
        return this.#fail(claims, 'claimed', 'it returned something other than a claim')
      claims.succeed()
      return made && new HeldClaim(made, CLAIM_LEASE_S, (reason) => this.#fail(claims, 'held', reason, true))
    }
    try {
      const claiming = owner.claim(key, CLAIM_LEASE_S)
      if (!isThenable(claiming)) return accept(claiming)
      return this.#awaitWithin(claims, claiming, {
        action: 'claimed',
        onResult: accept,
        // A claim that arrives too late is released.
        onLateResult: (made) => void (isClaim(made) && new HeldClaim(made, CLAIM_LEASE_S, () => {}).end()),
      })
    } catch (error) {
      return this.#fail(claims, 'claimed', reasonOf(error))
    }
  }

  /** Notes that the answer of another process did not arrive within `seconds`. */
  noteClaimTimeout(store: CacheStore, seconds: number): void {
    this.#fail(healthsOf(claimStoreOf(store)).claims, 'waited for', `it did not come within ${seconds} s`)
  }

  #mayUse(health: StoreHealth): boolean {
    if (health.mayUse(this)) return true
    this.onTrouble(health.pauseText!, false)
    return false
  }

  get #timeout(): number {
    return this.cacheTimeout ?? DEFAULT_CACHE_TIMEOUT_S
  }

  #awaitLookup(health: StoreHealth, lookup: PromiseLike<StoredAnswer | undefined>): Promise<StoredAnswer | undefined> {
    return this.#awaitWithin(health, lookup, {
      action: 'looked up',
      onResult: (answer) => (health.succeed(), answer),
      onLateResult: () => {},
    })
  }

  /**
   * Awaits a store up to the time limit of a lookup; the promise never rejects. It ends earlier when another use of the same
   * kind reaches its deadline.
   */
  #awaitWithin<T, R>(
    health: StoreHealth,
    operation: PromiseLike<T>,
    { action, onResult, onLateResult }: AwaitedUse<T, R>,
  ): Promise<R | undefined> {
    return new Promise((resolve) => {
      const limit = this.#timeout
      let over = false
      const end = (): void => {
        over = true
        clearTimeout(timer)
        forget()
      }
      const forget = health.track((reason) => {
        end()
        resolve(this.#tell(health, action, reason))
      })
      const hang = (): void => health.hang(this.now(), `it took longer than ${limit} s`)
      // A thread that was busy comes to its timers before it reads what has arrived, so a result gets one more turn.
      let timer = setTimeout(() => (timer = setTimeout(hang, 0)), limit * 1000)
      Promise.resolve(operation).then(
        (value) => {
          if (over) return onLateResult(value)
          end()
          resolve(onResult(value))
        },
        (error: unknown) => {
          if (over) return
          end()
          resolve(this.#fail(health, action, reasonOf(error)))
        },
      )
    })
  }

  #awaitWrite(healths: StoreHealths, writing: PromiseLike<void>): Promise<void> {
    return new Promise((resolve) => {
      let over = false
      const end = (reason?: string): void => {
        if (over) return
        over = true
        clearTimeout(timer)
        if (reason === undefined) healths.writes.succeed()
        else this.#failWrite(healths, reason, true)
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

  #fail(health: StoreHealth, action: StoreAction, reason: string, late: boolean = false): undefined {
    health.fail(this.now(), reason)
    return this.#tell(health, action, reason, late)
  }

  #failWrite(healths: StoreHealths, reason: string, late: boolean): void {
    healths.writes.fail(this.now(), reason)
    this.#tellOfWrites(healths, troubleText(healths.writes, 'kept', reason), late)
  }

  /** Tells of a failing write, unless the user knows already that the lookups of the store fail. */
  #tellOfWrites({ lookups }: StoreHealths, text: string, late: boolean): undefined {
    if (lookups.isHealthy) this.onTrouble(text, late)
    return undefined
  }

  #tell(health: StoreHealth, action: StoreAction, reason: string, late: boolean = false): undefined {
    this.onTrouble(troubleText(health, action, reason), late)
    return undefined
  }
}

/** An operation of a store that has failed, as its warning says it. */
type StoreAction = 'looked up' | 'kept' | 'claimed' | 'held' | 'waited for'

/** Explains the pause that a failure has begun, or the failure itself. */
function troubleText({ pauseText, storeName }: StoreHealth, action: StoreAction, reason: string): string {
  const object = action === 'claimed' || action === 'held' ? 'a key' : 'an answer'
  return (
    pauseText ??
    `${object} could not be ${action} in the cache \`${storeName}\`, and the call went on without it: ${reason}`
  )
}

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error that cannot be shown'
  }
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
