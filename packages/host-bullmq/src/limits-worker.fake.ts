import { appendFileSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { createHost } from '@x/host'
import { isXError } from '@x/kernel'
import type { Reservation } from '@x/interfaces'
import { postgres, redis } from './index.ts'

/**
 * A worker whose calls share a limiter and a budget, `<url> <log> <calls at once> <milliseconds of a call>`. The log is what
 * their provider counts: `sent` with the most that a call may use, `used` with the rest of it that was not.
 */
const [, , url = '', log = '', concurrency, duration] = process.argv
const onError = (): void => {}
const at = url.startsWith('redis') ? redis(url, { onError }) : postgres(url, { onError })
const host = createHost({ chats: [], at })
const limiter = host.limiter({ m: JSON.parse(process.env['LIMITS'] ?? '{}') as object }, { lease: 1.5, onError })
const strict = process.env['STRICT'] !== 'no'
const budget = host.budget('team', { tokens: Number(process.env['TOKENS'] ?? 1e9), strict, lease: 1.5, onError })

/** Tokens that are set aside for a call, and the most that one uses: a budget that is not strict has an estimate. */
const ESTIMATE = 10
const MOST = strict ? ESTIMATE : 14

/** Reserves room for a call, and waits for it as calls of models do; null when there will not be any. */
async function reserved(): Promise<Reservation | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Reservation | null>()
  const waiter = {
    waiting: false,
    onQueued(): void {
      waiter.waiting = true
    },
    retry: () => void ask(),
  }
  const ask = async (): Promise<void> => {
    waiter.waiting = false
    try {
      resolve(await budget.reserve({ cost: 0, tokens: ESTIMATE, calls: 1 }, { waiter }))
    } catch (error) {
      if (waiter.waiting) return
      if (isXError(error, 'budget-exceeded')) resolve(null)
      else reject(error as Error)
    }
  }
  void ask()
  return await promise
}

async function call(): Promise<boolean> {
  const reservation = await reserved()
  if (!reservation) return false
  const permit = await limiter.acquire({ model: 'm', account: 'one', tokens: ESTIMATE })
  // What a killed process had sent is paid for as a whole.
  const used = 1 + Math.floor(Math.random() * MOST)
  appendFileSync(log, `${Date.now()} ${process.pid} sent ${MOST}\n`)
  await later(Number(duration) * (0.5 + Math.random()))
  appendFileSync(log, `${Date.now()} ${process.pid} used ${used - MOST}\n`)
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
