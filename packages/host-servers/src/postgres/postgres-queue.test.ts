import { expect, it, onTestFinished, vi } from 'vitest'
import { PostgresQueue } from './postgres-queue.ts'

const KIND = { name: 'one', version: '1' }

/** A worker of a queue without a server: the test answers its claims, and sends it notices. */
async function startWorker({ concurrency = 2, left = [] as readonly string[] } = {}) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stop = new AbortController()
  const claims: { limit: number; answer: (...ids: string[]) => void }[] = []
  const released: string[] = []
  const ran: string[] = []
  const claimed = new Set<string>()
  let notify = (_text: string): void => {}
  const db = {
    rows: async () => [],
    async subscribe(_channel: string, calls: { notify: (text: string) => void }) {
      notify = calls.notify
      return { renew: async () => {}, close() {} }
    },
  }
  const store = {
    claimNext: async (_kinds: unknown, limit: number) =>
      await new Promise<readonly string[]>((resolve) => {
        const answer = (...ids: string[]): void => {
          for (const id of ids) claimed.add(id)
          resolve(ids)
        }
        claims.push({ limit, answer })
      }),
    forgetClaim: (id: string) => (claimed.delete(id) ? { id, epoch: 1 } : null),
    release: async ({ id }: { id: string }) => void released.push(id),
    leftParents: async () => left,
  }
  const queue = new PostgresQueue(db as never, store as never, 'chats')
  const ends = new Map<string, () => void>()
  const run = async (id: string): Promise<void> => {
    if (stop.signal.aborted) return
    claimed.delete(id)
    ran.push(id)
    await new Promise<void>((resolve) => void ends.set(id, resolve))
  }
  const work = queue.work({ kinds: [KIND], concurrency, lease: 5, signal: stop.signal, run, onError() {} })
  onTestFinished(() => void vi.useRealTimers())
  await expect.poll(() => claims.length).toBe(1)
  const nextClaim = async (count: number) => {
    await expect.poll(() => claims.length).toBe(count)
    return claims.at(-1)!
  }
  return { stop, work, claims, released, ran, ends, nextClaim, notify: (count: number) => notify(`${count} new one@1`) }
}

it('claims as many chats as it has free slots, and again when one is free and more wait', async () => {
  const { claims, ran, ends, nextClaim, stop, work } = await startWorker()
  expect(claims[0]!.limit).toBe(2)
  claims[0]!.answer('a', 'b')
  await expect.poll(() => ran).toEqual(['a', 'b'])
  ends.get('a')!()
  const second = await nextClaim(2)
  expect(second.limit).toBe(1)
  second.answer()
  stop.abort()
  ends.get('b')!()
  await work
})

it('claims again for a notice that came while it was claiming, because that claim may not have seen the chat', async () => {
  const { claims, notify, nextClaim, stop, work } = await startWorker()
  notify(1)
  claims[0]!.answer()
  const second = await nextClaim(2)
  expect(second.limit).toBe(1)
  second.answer()
  stop.abort()
  await work
})

it('releases chats that were claimed when the worker ended', async () => {
  const { claims, ran, released, stop, work } = await startWorker()
  stop.abort()
  claims[0]!.answer('a', 'b')
  await work
  expect([ran, released]).toEqual([[], ['a', 'b']])
})

it('runs chats that have ended without their parts, so that these are deleted', async () => {
  const { claims, ran, ends, stop, work } = await startWorker({ left: ['ended'] })
  await expect.poll(() => ran).toEqual(['ended'])
  ends.get('ended')!()
  claims[0]!.answer()
  stop.abort()
  await work
})
