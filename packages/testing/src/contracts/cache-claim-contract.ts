import type { CacheClaim, CacheStore, MaybePromise } from '@x/interfaces'
import type { ContractRunner } from './contract-runner.ts'

/** Long enough for no claim of a test to end by itself, in seconds. */
const LEASE = 600

/** Seconds of a claim that ends by itself in a test. */
const SHORT = 0.2

/** Seconds of a claim that is prolonged before it would end: enough for a store that is slow. */
const PROLONGED = 2

/** Milliseconds within which a claim ends. */
const PATIENCE = 20_000

/** Description of a store with claims for `cacheClaimContract`. */
export interface CacheClaimContract {
  readonly create: () => MaybePromise<CacheStore>
  /** Opens the place of an open store a second time; default: that store. */
  readonly join?: ((open: CacheStore) => MaybePromise<CacheStore>) | undefined
}

/** Checks that the claims of a store are what single flight over processes relies on. */
export function cacheClaimContract({ test, expect }: ContractRunner, contract: CacheClaimContract): void {
  const { join = (store: CacheStore): MaybePromise<CacheStore> => store } = contract
  const check = (name: string, use: (store: CacheStore, other: CacheStore) => Promise<void>): void =>
    test(name, async () => {
      const store = await contract.create()
      const other = await join(store)
      try {
        await use(store, other)
      } finally {
        await other.close?.()
        await store.close?.()
      }
    })
  const claim = async (store: CacheStore, key: string, lease: number = LEASE): Promise<CacheClaim | null> =>
    await store.claim!(key, lease)

  /** Asks until a key is free. */
  const claimLater = async (store: CacheStore, key: string): Promise<CacheClaim | null> => {
    for (let waited = 0; waited < PATIENCE; waited += 10) {
      const made = await claim(store, key)
      if (made) return made
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return null
  }

  check('gives a claim to one of many that want it at once', async (store, other) => {
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await claim(index % 2 ? store : other, 'key')),
    )
    expect(all.filter((made) => made !== null).length).toBe(1)
  })

  check('tells claims of different keys apart, and from answers', async (store, other) => {
    for (const key of ['a', 'A', 'a b', '__proto__']) expect((await claim(store, key)) === null).toBe(false)
    for (const key of ['a', 'A', 'a b', '__proto__']) expect(await claim(other, key)).toBe(null)
    expect(await store.get('a')).toBe(undefined)
  })

  check('gives a claim that was released to the next', async (store, other) => {
    const first = (await claim(store, 'key'))!
    await first.release()
    expect(await first.renew(LEASE)).toBe(false)
    expect((await claim(other, 'key')) === null).toBe(false)
  })

  check('leaves the claim of another alone', async (store, other) => {
    const first = (await claim(store, 'key'))!
    await first.release()
    const second = (await claim(other, 'key'))!
    await first.release()
    expect(await first.renew(LEASE)).toBe(false)
    expect(await claim(store, 'key')).toBe(null)
    expect(await second.renew(LEASE)).toBe(true)
  })

  check('ends a claim that nobody prolongs', async (store, other) => {
    const first = (await claim(store, 'key', SHORT))!
    const second = await claimLater(other, 'key')
    expect(second === null).toBe(false)
    expect(await first.renew(LEASE)).toBe(false)
    await first.release()
    expect(await second!.renew(LEASE)).toBe(true)
  })

  check('keeps a claim that is prolonged', async (store, other) => {
    const first = (await claim(store, 'key', PROLONGED))!
    expect(await first.renew(LEASE)).toBe(true)
    // It began later and has ended: so would the first have.
    await claim(store, 'shorter', PROLONGED)
    expect((await claimLater(other, 'shorter')) === null).toBe(false)
    expect(await claim(other, 'key')).toBe(null)
  })
}
