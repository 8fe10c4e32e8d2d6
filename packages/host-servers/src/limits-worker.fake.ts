import { appendFileSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { createHost } from '@x/host'
import { isXError } from '@x/kernel'
import type { Reservation, RoomWaiter } from '@x/interfaces'
import { postgres, redis } from './index.ts'

/**
 * A worker whose calls share a limiter and a budget: `<url> <log> <calls at once> <milliseconds of a call>`. The log has the
 * counts of the provider: `sent` with the most that a call may use, then `used` with the unused rest as a negative number.
 */
const [, , url = '', log = '', concurrency, duration] = process.argv
const onError = (): void => {}
const at = url.startsWith('redis') ? redis(url, { onError }) : postgres(url, { onError })
const host = createHost({ chats: [], at })
const limiter = host.limiter({ m: JSON.parse(process.env['LIMITS'] ?? '{}') as object }, { lease: 1.5, onError })
const strict = process.env['STRICT'] !== 'no'
const budget = host.budget('team', { tokens: Number(process.env['TOKENS'] ?? 1e9), strict, lease: 1.5, onError })

/** Tokens that are reserved for a call. */
const ESTIMATE_TOKENS = 10
/** Most tokens that a call uses; with a budget that is not strict, more than its estimate. */
const MAX_USED_TOKENS = strict ? ESTIMATE_TOKENS : 14

/** Reserves room for a call, and waits for it as calls of models do; null when the budget is used up. */
async function reserve(): Promise<Reservation | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Reservation | null>()
  let isQueued = false
  const waiter: RoomWaiter = {
    get waiting() {
      return isQueued
    },
    onQueued: () => void (isQueued = true),
    retry: () => void ask(),
  }
  const ask = async (): Promise<void> => {
    isQueued = false
    try {
      resolve(await budget.reserve({ cost: 0, tokens: ESTIMATE_TOKENS, calls: 1 }, { waiter }))
    } catch (error) {
      if (isQueued) return
      if (isXError(error, 'budget-exceeded')) resolve(null)
      else reject(error)
    }
  }
  void ask()
  return await promise
}

async function call(): Promise<boolean> {
  const reservation = await reserve()
  if (!reservation) return false
  const permit = await limiter.acquire({ model: 'm', account: 'one', tokens: ESTIMATE_TOKENS })
  // The calls of a killed process count with the most that they may use.
  const used = 1 + Math.floor(Math.random() * MAX_USED_TOKENS)
  appendFileSync(log, `${Date.now()} ${process.pid} sent ${MAX_USED_TOKENS}\n`)
  await later(Number(duration) * (0.5 + Math.random()))
  appendFileSync(log, `${Date.now()} ${process.pid} used ${used - MAX_USED_TOKENS}\n`)
  permit.end({ tokens: used })
  reservation.settle({ cost: 0, tokens: used, calls: 1 })
  return true
}

await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (await call());
  }),
)
await host.close()
