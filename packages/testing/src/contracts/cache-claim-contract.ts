import type { CacheClaim, CacheStore, MaybePromise } from '@x/interfaces'
import type { ContractRunner } from './contract-runner.ts'

/** Lease that no test outlives. */
const LONG_LEASE_SECONDS = 600

/** Lease that ends during a test. */
const SHORT_LEASE_SECONDS = 0.2

/** Lease that a test renews before it ends, even in a slow store. */
const RENEWED_LEASE_SECONDS = 2

/** Lease that ends during a test only in a store that takes it for milliseconds. */
const HELD_LEASE_SECONDS = 30

/** Longest wait for the end of a claim. */
const MAX_WAIT_MS = 20_000

/** Description of a store with claims for `cacheClaimContract`. */
export interface CacheClaimContract {
  readonly create: () => MaybePromise<CacheStore>
  /** Opens the location of an open store a second time; default: the same store. */
  readonly join?: ((open: CacheStore) => MaybePromise<CacheStore>) | undefined
}

/** Adds a test that opens a new store twice. */
type Check = (title: string, use: (store: CacheStore, other: CacheStore) => Promise<void>) => void

/** Checks that the claims of a store let one process at a time ask for an answer. */
export function cacheClaimContract({ test, expect }: ContractRunner, contract: CacheClaimContract): void {
  const { join = (store: CacheStore): MaybePromise<CacheStore> => store } = contract
  const check: Check = (title, use) =>
    test(title, async () => {
      const store = await contract.create()
      const other = await join(store)
      try {
        await use(store, other)
      } finally {
        await other.close?.()
        await store.close?.()
      }
    })

  check('gives a claim to one of many processes that ask at once', async (store, other) => {
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

  check('gives a released claim to the next process', async (store, other) => {
    const first = (await claim(store, 'key'))!
    await first.release()
    expect(await first.renew(LONG_LEASE_SECONDS)).toBe(false)
    expect((await claim(other, 'key')) === null).toBe(false)
  })

  check('leaves the claim of another alone', async (store, other) => {
    const first = (await claim(store, 'key'))!
    await first.release()
    const second = (await claim(other, 'key'))!
    await first.release()
    expect(await first.renew(LONG_LEASE_SECONDS)).toBe(false)
    expect(await claim(store, 'key')).toBe(null)
    expect(await second.renew(LONG_LEASE_SECONDS)).toBe(true)
  })

  checkLeases(check, expect)
}

/** Checks that a claim ends with its lease, and not before. */
function checkLeases(check: Check, expect: ContractRunner['expect']): void {
  check('keeps a claim for its lease, in seconds', async (store, other) => {
    await claim(store, 'key', HELD_LEASE_SECONDS)
    expect(await claimLater(other, 'key', HELD_LEASE_SECONDS * 3)).toBe(null)
  })

  check('ends a claim that nobody renews', async (store, other) => {
    const first = (await claim(store, 'key', SHORT_LEASE_SECONDS))!
    const second = await claimLater(other, 'key')
    expect(second === null).toBe(false)
    expect(await first.renew(LONG_LEASE_SECONDS)).toBe(false)
    await first.release()
    expect(await second!.renew(LONG_LEASE_SECONDS)).toBe(true)
  })

  check('keeps a claim that is renewed', async (store, other) => {
    const first = (await claim(store, 'key', RENEWED_LEASE_SECONDS))!
    expect(await first.renew(LONG_LEASE_SECONDS)).toBe(true)
    // Without its renewal, the first claim would have ended before this one.
    await claim(store, 'shorter', RENEWED_LEASE_SECONDS)
    expect((await claimLater(other, 'shorter')) === null).toBe(false)
    expect(await claim(other, 'key')).toBe(null)
  })
}

const claim = async (store: CacheStore, key: string, lease: number = LONG_LEASE_SECONDS): Promise<CacheClaim | null> =>
  await store.claim!(key, lease)

/** Polls until a key is free. */
async function claimLater(store: CacheStore, key: string, maxMs: number = MAX_WAIT_MS): Promise<CacheClaim | null> {
  for (let waited = 0; waited < maxMs; waited += 10) {
    const made = await claim(store, key)
    if (made) return made
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return null
}
