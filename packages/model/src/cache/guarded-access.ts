import type { CacheStore, MaybePromise, StoredAnswer } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { HeldClaim, isClaim } from './held-claim.ts'
import { claimHealthOf, healthOf, type StoreHealth } from './store-health.ts'
import { asTiered, claimStoreOf, type StoreAccess } from './tiered-cache.ts'

/** Seconds that a lookup may take, unless `cacheTimeout` says otherwise. */
const LONGEST_LOOKUP = 0.5

/** A write that takes so many times as long as a lookup may is a failure of the store. */
const WRITE_SHARE = 10

/** Seconds after which the claim of a process that has gone ends. */
const CLAIM_LEASE = 10

/**
 * Asks stores in a way that never fails and never takes long: a lookup that fails or takes too long is a miss, a write
 * that fails is left out, and a store that fails repeatedly is left alone for a while.
 */
export abstract class GuardedAccess implements StoreAccess {
  /** Whether promises are waited for; a blocking call refuses them. */
  abstract readonly waits: boolean
  /** Seconds that a lookup may take; default 0.5. */
  abstract readonly cacheTimeout: number | undefined
  /** Gives the time in milliseconds since 1970. */
  abstract now(): number
  /** Hears what is wrong with a store; `late` after the call went on. */
  abstract onTrouble(text: string, late: boolean): void

  /** Looks a key up; the promise never rejects. In a blocking call a promise of the store is given as it is, to be refused. */
  get(store: CacheStore, key: string): MaybePromise<StoredAnswer | undefined> {
    const tiered = asTiered(store)
    if (tiered) return tiered.get(key, this)
    const health = this.#askable(store)
    if (!health) return undefined
    try {
      const looking = store.get(key)
      if (isThenable(looking)) return this.waits ? this.#withinLimit(health, looking) : looking
      health.succeed()
      return looking
    } catch (error) {
      return this.#fail(health, 'looked up', reasonOf(error))
    }
  }

  /** Keeps an answer; the promise never rejects and resolves when the store has it or is given up. */
  set(store: CacheStore, key: string, value: StoredAnswer): MaybePromise<void> {
    const tiered = asTiered(store)
    if (tiered) return tiered.set(key, value, this)
    const health = this.#askable(store)
    if (!health) return undefined
    try {
      const writing = store.set(key, value)
      if (isThenable(writing)) return this.waits ? this.#written(health, writing) : writing
      health.succeed()
    } catch (error) {
      this.#fail(health, 'kept', reasonOf(error))
    }
  }

  /**
   * Claims a key; the promise never rejects. Null while another has it, undefined where there is nothing to claim with: the
   * store has no claims, or does not work.
   */
  claim(store: CacheStore, key: string): MaybePromise<HeldClaim | null | undefined> {
    const owner = claimStoreOf(store)
    if (!owner.claim || !this.waits || !healthOf(owner).isWell) return undefined
    const health = this.#askable(owner, claimHealthOf(owner))
    if (!health) return undefined
    const read = (made: unknown): HeldClaim | null | undefined => {
      if (made !== null && !isClaim(made)) return this.#fail(health, 'claimed', 'it gave something else than a claim')
      health.succeed()
      return made && new HeldClaim(made, CLAIM_LEASE, (reason) => this.#fail(health, 'held', reason, true))
    }
    try {
      const claiming = owner.claim(key, CLAIM_LEASE)
      if (!isThenable(claiming)) return read(claiming)
      return this.#limited(claiming, {
        pass: read,
        fail: (reason) => this.#fail(health, 'claimed', reason),
        // Nobody knows of a claim that comes too late.
        late: (made) => void (isClaim(made) && new HeldClaim(made, CLAIM_LEASE, () => {}).end()),
      })
    } catch (error) {
      return this.#fail(health, 'claimed', reasonOf(error))
    }
  }

  /** Notes that the answer of another process was waited for in vain. */
  waitedInVain(store: CacheStore, seconds: number): void {
    const owner = claimStoreOf(store)
    this.#fail(claimHealthOf(owner), 'waited for', `it did not come within ${seconds} s`)
  }

  #askable(store: CacheStore, health: StoreHealth = healthOf(store)): StoreHealth | undefined {
    if (health.mayAsk(this)) return health
    this.onTrouble(restText(health), false)
    return undefined
  }

  get #limit(): number {
    return this.cacheTimeout ?? LONGEST_LOOKUP
  }

  #withinLimit(health: StoreHealth, looking: PromiseLike<StoredAnswer | undefined>): Promise<StoredAnswer | undefined> {
    return this.#limited(looking, {
      pass: (found) => (health.succeed(), found),
      fail: (reason) => this.#fail(health, 'looked up', reason),
      late: () => {},
    })
  }

  /** Waits for a store up to the limit of a lookup; the promise never rejects. */
  #limited<T, R>(
    asking: PromiseLike<T>,
    to: {
      readonly pass: (value: T) => R
      readonly fail: (reason: string) => undefined
      readonly late: (value: T) => void
    },
  ): Promise<R | undefined> {
    return new Promise((resolve) => {
      let over = false
      const fail = (reason: string): void => {
        if (!over) resolve(to.fail(reason))
        over = true
      }
      const limit = this.#limit
      const timer = setTimeout(() => fail(`it took longer than ${limit} s`), limit * 1000)
      Promise.resolve(asking).then(
        (value) => {
          clearTimeout(timer)
          if (over) return to.late(value)
          over = true
          resolve(to.pass(value))
        },
        (error: unknown) => {
          clearTimeout(timer)
          fail(reasonOf(error))
        },
      )
    })
  }

  #written(health: StoreHealth, writing: PromiseLike<void>): Promise<void> {
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
      const limit = this.#limit * WRITE_SHARE
      const timer = setTimeout(() => end(`it took longer than ${limit} s`), limit * 1000)
      // Nobody waits for a write, and so it does not keep the program running.
      ;(timer as { unref?: () => void }).unref?.()
      Promise.resolve(writing).then(
        () => end(),
        (error: unknown) => end(reasonOf(error)),
      )
    })
  }

  #fail(health: StoreHealth, done: string, reason: string, late: boolean = false): undefined {
    health.fail(this.now(), reason)
    this.onTrouble(
      health.rest === undefined
        ? `${done === 'claimed' || done === 'held' ? 'a key' : 'an answer'} could not be ${done} in the cache \`${health.name}\`, and the call went on without it: ${reason}`
        : restText(health),
      late,
    )
    return undefined
  }
}

const restText = (health: StoreHealth): string =>
  `the cache \`${health.name}\` is not used, and calls go on without it: ${health.rest}`

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error that cannot be shown'
  }
}
