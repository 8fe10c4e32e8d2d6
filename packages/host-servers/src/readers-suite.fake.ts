import { createHost, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { failCalls } from '@x/testing/hosting'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProxy } from './proxy.fake.ts'

const READER_COUNT = 1000
/** Seconds over which commands are counted. */
const COUNTED_S = 5
const MAX_COMMANDS_PER_S = 20
/** Time within which a change is noticed that was not reported: a second, and what a busy machine needs. */
const NOTICE_TIMEOUT_MS = 3000

/** Tests what readers of chats cost a server in which nothing happens, and what they notice. */
export function readersSuite(
  name: string,
  url: string,
  {
    open,
    countCommands,
  }: {
    /** Opens the same chats each time. */
    readonly open: (url: string, onError: (error: unknown) => void) => HostBackend
    /** Returns the number of commands that the server has got. */
    readonly countCommands: () => number | Promise<number>
  },
): void {
  const opened = (at: string, onError: (error: unknown) => void = () => {}): HostBackend => {
    const backend = open(at, onError)
    onTestFinished(async () => await backend.close())
    return backend
  }
  const suspend = async ({ store }: HostBackend, id: string): Promise<void> => {
    await store.submit({ id, name: 'clerk', version: '1', input: null })
    await store.suspend((await store.claim(id, 600))!, 0)
  }
  const read = async (host: Host, id: string, signal?: AbortSignal): Promise<void> => {
    for await (const _ of host.events(id, { signal }));
  }

  describe(`readers of chats on ${name}`, () => {
    it(`cost at most ${MAX_COMMANDS_PER_S} commands a second if there are ${READER_COUNT}, and nothing happens`, async () => {
      const backend = opened(url)
      const ids = Array.from({ length: READER_COUNT }, (_, n) => `read-${n}`)
      await Promise.all(ids.map(async (id) => await suspend(backend, id)))
      let seconds = 0
      const counted = failCalls(backend, (call) => void (call === 'events.revisions' && seconds++))
      const host = createHost({ chats: [], at: counted })
      const stop = new AbortController()
      const reading = ids.map(async (id) => await read(host, id, stop.signal).catch(() => {}))
      // Until all have looked again after the first comparison.
      await expect.poll(() => seconds, { timeout: 10_000 }).toBeGreaterThanOrEqual(4)
      const [before, since] = [await countCommands(), seconds]
      await expect.poll(() => seconds, { timeout: 15_000 }).toBeGreaterThanOrEqual(since + COUNTED_S)
      const count = (await countCommands()) - before
      expect(count).toBeGreaterThanOrEqual(COUNTED_S)
      expect(count).toBeLessThanOrEqual(COUNTED_S * MAX_COMMANDS_PER_S)
      expect(await backend.events.followed(ids)).toHaveLength(READER_COUNT)
      stop.abort()
      await Promise.all(reading)
    }, 40_000)

    it('notice a change while their subscription is half-open, and make it again', async () => {
      const proxy = await startProxy(url)
      const errors: unknown[] = []
      const [direct, behind] = [opened(url), opened(proxy.url, (error) => errors.push(error))]
      onTestFinished(() => proxy.cut())
      for (const id of ['silent', 'heard']) await suspend(direct, id)
      const notices: (string | null)[] = []
      const unwatch = behind.watch((id) => void notices.push(id))
      onTestFinished(unwatch)
      let isEnded = false
      const reading = read(createHost({ chats: [], at: behind }), 'silent').then(() => (isEnded = true))
      const isHeard = async (id: string): Promise<boolean> => {
        await direct.store.send(id, 'hello')
        return notices.includes(id)
      }
      await expect.poll(async () => await isHeard('silent')).toBe(true)

      proxy.halfOpen({ subscriptions: true })
      notices.length = 0
      await direct.store.cancel('silent', 'enough')
      await expect.poll(() => isEnded, { timeout: NOTICE_TIMEOUT_MS }).toBe(true)
      await reading
      expect(notices).not.toContain('silent')

      await expect.poll(async () => await isHeard('heard'), { timeout: 10_000 }).toBe(true)
      expect(notices[0]).toBe(null)
      expect(errors).toMatchObject([{ message: 'the server gave no answer within 2 seconds' }])
    }, 20_000)
  })
}
