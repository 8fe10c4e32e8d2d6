import { appendFileSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { createHost } from '@x/host'
import { postgres, redis } from './index.ts'

/**
 * A worker whose calls share a limiter and a strict budget, `<url> <log> <calls at once> <milliseconds of a call>`. A line
 * of the log is a call that was sent: its time, this process, and what it used.
 */
const [, , url = '', log = '', concurrency, duration] = process.argv
const onError = (): void => {}
const at = url.startsWith('redis') ? redis(url, { onError }) : postgres(url, { onError })
const host = createHost({ chats: [], at })
const limiter = host.limiter({ m: JSON.parse(process.env['LIMITS'] ?? '{}') as object }, { lease: 1.5, onError })
const budget = host.budget('team', {
  tokens: Number(process.env['TOKENS'] ?? 1e9),
  strict: true,
  lease: 1.5,
  whenFull: 'refuse',
  onError,
})

async function call(): Promise<boolean> {
  const most = 10
  let reservation
  try {
    reservation = await budget.reserve({ cost: 0, tokens: most, calls: 1 })
  } catch (error) {
    // A server that was killed comes back.
    if ((error as { code?: string }).code === 'budget-exceeded') return false
    await later(50)
    return true
  }
  const permit = await limiter.acquire({ model: 'm', account: 'one', tokens: most })
  // What a killed process had sent is paid for as a whole.
  const used = 1 + Math.floor(Math.random() * most)
  appendFileSync(log, `${Date.now()} ${process.pid} sent ${most}\n`)
  await later(Number(duration) * (0.5 + Math.random()))
  appendFileSync(log, `${Date.now()} ${process.pid} used ${used - most}\n`)
  permit.end({ tokens: used })
  reservation.settle({ cost: 0, tokens: used, calls: 1 })
  return true
}

await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (await call());
  }),
)
// What was settled last reaches the store.
await later(300)
await host.close()
