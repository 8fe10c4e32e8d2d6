import type { HostBackend } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { codeOf } from './code-of.ts'
import { acquire, cutBackend, hasCome, withHosts, type SharedLimitsContract } from './shared-limits-contract.ts'

/** Adds a test that runs on a new backend, with a function that opens workers on it. */
type Check = (title: string, use: (backend: HostBackend, open: SharedLimitsContract['open']) => Promise<void>) => void

/** Checks that limits hold over workers, and that no fault of one worker stops the others. */
export function limiterContract(runner: ContractRunner, contract: SharedLimitsContract): void {
  const { describe, test, expect } = runner
  const check: Check = (title, use) => test(title, async () => await withHosts(contract, use))

  describe(`limiter contract: ${contract.name}`, () => {
    checkSharedCounts(check, expect)
    checkPermits(check, expect)
    checkFailures(check, expect)
  })
}

/** Checks that limits count the calls of all workers. */
function checkSharedCounts(check: Check, expect: ContractRunner['expect']): void {
  check('limits the calls in flight of all workers together', async (backend, open) => {
    const limits = { m: { inFlight: 3 } }
    const [one, other] = [open(backend).limiter(limits), open(backend).limiter(limits)]
    const first = [await acquire(one), await acquire(other), await acquire(one)]
    const waits = [acquire(other), acquire(one)]
    for (const each of waits) expect(await hasCome(each, backend)).toBe(false)
    expect(await one.state!()).toMatchObject([{ model: 'm', account: 'one', inFlight: 3 }])
    first[0]!.end()
    first[1]!.end()
    const second = await Promise.all(waits)
    for (const permit of [first[2]!, ...second]) permit.end()
    const last = await Promise.all([acquire(one), acquire(other), acquire(other)])
    for (const permit of last) permit.end()
    // The limiter reports to the store later.
    while ((await one.state!())[0]!.inFlight > 0);
  })

  check('counts requests and tokens of all workers in a period', async (backend, open) => {
    const limits = { m: { requests: 5 }, t: { tokens: 1000 } }
    const [one, other] = [open(backend).limiter(limits), open(backend).limiter(limits)]
    for (const limiter of [one, other, one, other, one]) (await acquire(limiter)).end()
    const stop = new AbortController()
    const sixth = acquire(other, 1, stop)
    const large = await acquire(one, 900, { model: 't' })
    const waits = acquire(other, 200, { model: 't' })
    expect(await hasCome(sixth, backend)).toBe(false)
    expect(await hasCome(waits, backend)).toBe(false)
    // The tokens that the call really used leave headroom.
    large.end({ tokens: 100 })
    ;(await waits).end()
    // The limiter reports an end to the store later.
    while ((await other.state!()).some(({ inFlight }) => inFlight > 0));
    expect(await other.state!()).toMatchObject([
      { model: 'm', requests: 5 },
      { model: 't', requests: 2, tokens: 300 },
    ])
    stop.abort()
    expect(await codeOf(sixth)).toBe('aborted')
  })

  check('gives a permit when the period of others is over', async (backend, open) => {
    const limits = { m: { requests: 4, per: 0.5 } }
    const [one, other] = [open(backend).limiter(limits), open(backend).limiter(limits)]
    const got = await Promise.all(Array.from({ length: 12 }, (_, n) => acquire(n % 2 ? one : other)))
    expect(got.length).toBe(12)
    for (const permit of got) permit.end()
  })
}

/** Checks models, accounts, permits that end, and pauses that a provider asks for. */
function checkPermits(check: Check, expect: ContractRunner['expect']): void {
  check('keeps models and accounts apart, and lets others through', async (backend, open) => {
    const limiter = open(backend).limiter({ m: { requests: 1 }, '*': { requests: 1 } })
    const permits = [
      await acquire(limiter),
      await acquire(limiter, 1, { account: 'two' }),
      await acquire(limiter, 1, { model: 'x' }),
      await acquire(limiter, 1, { model: '__proto__' }),
    ]
    const free = open(backend).limiter({ m: { requests: 1 } })
    for (let n = 0; n < 3; n++) permits.push(await acquire(free, 1, { model: 'free' }))
    for (const permit of permits) permit.end()
    const stop = new AbortController()
    const second = acquire(limiter, 1, { model: 'x', signal: stop.signal })
    expect(await hasCome(second, backend)).toBe(false)
    stop.abort()
    expect(await codeOf(second)).toBe('aborted')
  })

  check('counts a permit once that ends twice, and no permit that was never given', async (backend, open) => {
    const limiter = open(backend).limiter({ m: { inFlight: 1 } })
    const permit = await acquire(limiter)
    const stop = new AbortController()
    const left = acquire(limiter, 1, stop)
    stop.abort()
    expect(await codeOf(left)).toBe('aborted')
    expect(await codeOf(acquire(limiter, 1, { signal: AbortSignal.abort() }))).toBe('aborted')
    permit.end()
    permit.end()
    const second = await acquire(limiter)
    const third = acquire(limiter)
    expect(await hasCome(third, backend)).toBe(false)
    second.end()
    ;(await third).end()
  })

  check('stops all workers when a provider asks for a pause', async (backend, open) => {
    const limits = { m: { inFlight: 100_000 } }
    const [one, other] = [open(backend).limiter(limits), open(backend).limiter(limits)]
    const refused = await acquire(one)
    refused.end({ retryAfterMs: 60_000 })
    const stop = new AbortController()
    let waits = acquire(other, 1, stop)
    // The limiter reports to the store later.
    while (await hasCome(waits, backend)) waits = acquire(other, 1, stop)
    stop.abort()
    expect(await codeOf(waits)).toBe('aborted')
  })
}

/** Checks workers that die and stores that do not answer. */
function checkFailures(check: Check, expect: ContractRunner['expect']): void {
  check('gives the calls of a dead worker to others when its lease is over', async (backend, open) => {
    const limits = { m: { inFlight: 2 } }
    const { at, cut } = cutBackend(backend)
    const dead = open(at).limiter(limits, { lease: 0.4, onError: ignore })
    await Promise.all([acquire(dead), acquire(dead)])
    cut('fail')
    const alive = open(backend).limiter(limits, { lease: 0.4 })
    const waits = [acquire(alive), acquire(alive)]
    for (const permit of await Promise.all(waits)) permit.end()
  })

  for (const how of ['fail', 'hang'] as const) {
    check(
      `limits this worker alone while the store does not answer, and warns once (${how})`,
      async (backend, open) => {
        const { at, cut } = cutBackend(backend)
        const errors: unknown[] = []
        const onError = (error: unknown): void => void errors.push(error)
        const limiter = open(at).limiter({ m: { inFlight: 2 } }, { storeTimeout: 0.05, onError })
        cut(how)
        const permits = [await acquire(limiter), await acquire(limiter)]
        const third = acquire(limiter)
        expect(await hasCome(third, backend)).toBe(false)
        permits[0]!.end()
        for (const permit of [permits[1]!, await third]) permit.end()
        expect(errors.length).toBe(1)
      },
    )

    check(`refuses with \`whenDown: 'refuse'\` until the store answers again (${how})`, async (backend, open) => {
      const { at, cut } = cutBackend(backend)
      const limiter = open(at).limiter(
        { m: { inFlight: 2 } },
        { storeTimeout: 0.05, onError: ignore, whenDown: 'refuse' },
      )
      cut(how)
      expect(await codeOf(acquire(limiter))).toBe('connection-failed')
      cut('none')
      // A late answer of the store counts as none.
      while ((await codeOf(acquire(limiter))) !== undefined);
    })
  }
}

const ignore = (): void => {}
