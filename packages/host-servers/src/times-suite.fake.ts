import { createHost, defineChat, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { describe, expect, it } from 'vitest'

/** Tests of chats that wait for times, on a server with a queue of its own. */
export function timesSuite(name: string, create: () => HostBackend): void {
  describe(`times on ${name}`, () => {
    it.each([
      ['ahead of', 1500],
      ['behind', -30_000],
    ])(
      'come in time also where the clock of a worker is %s that of the store',
      { timeout: 60_000 },
      async (_, offset) => {
        const at = create()
        const naps = defineChat({ name: 'naps', version: '1', run: ({ sleep }) => sleep(2) })
        const host = createHost({ chats: [naps], at })
        const stop = new AbortController()
        const { now } = Date
        Date.now = () => now() + offset
        try {
          // A sweep comes after a minute.
          const work = host.work({ signal: stop.signal, lease: 60 })
          await host.submit(naps, {}, { id: 'early' })
          const late = AbortSignal.timeout(20_000)
          expect(await host.result('early', { signal: late })).toBe(null)
          stop.abort()
          await work
        } finally {
          Date.now = now
          stop.abort()
        }
        await host.close()
      },
    )

    it(
      'come for every chat, whatever worker is there, and a message comes before them',
      { timeout: 60_000 },
      async () => {
        const at = create()
        const waits = defineChat<never>({
          name: 'waits',
          version: '1',
          async run({ id, sleep, receive }) {
            await sleep(0.3)
            const nobody = await receive({ timeout: 0.3 })
            return [id, nobody ?? 'nobody', await receive({ timeout: 3600 })]
          },
        })
        const hostOf = (): Host => createHost({ chats: [waits], at: { ...at, close() {} } })
        const works = (): (() => Promise<void>) => {
          const stop = new AbortController()
          const work = hostOf().work({ signal: stop.signal, concurrency: 20, lease: 1 })
          return async () => {
            stop.abort()
            await work
          }
        }
        const host = hostOf()
        const ids = Array.from({ length: 30 }, (_, n) => `chat-${n}`)
        const end = works()
        for (const id of ids) await host.submit(waits, {} as never, { id })
        await expect
          .poll(async () => (await host.counts()).find(({ state }) => state === 'suspended')?.count ?? 0, {
            timeout: 30_000,
          })
          .toBeGreaterThan(5)
        await end()
        const stop = works()
        // The last time of all is an hour from now: whoever has it has come by the others.
        const isAtLast = async (): Promise<number> => {
          const chats = await at.store.list({ limit: 100, state: 'suspended' })
          return chats.filter(({ wakesAt, submittedAt }) => wakesAt! - submittedAt > 1_800_000).length
        }
        await expect.poll(isAtLast, { timeout: 30_000 }).toBe(ids.length)
        await Promise.all(ids.map(async (id) => await host.send(id, `hello ${id}`)))
        for (const id of ids) expect(await host.result(id)).toEqual([id, 'nobody', `hello ${id}`])
        await stop()
        await host.close()
        await at.close()
      },
    )
  })
}
