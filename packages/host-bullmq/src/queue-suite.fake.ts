import type { HostBackend, HostedChat } from '@x/interfaces'
import { describe, expect, it } from 'vitest'

const KINDS = [
  { name: 'long', version: '1' },
  { name: 'short', version: '1' },
]
const DAY = 86_400_000
const onError = (): void => {}

/** Tests of what a queue over several workers does beside its contract. */
export function queueSuite(name: string, create: () => HostBackend): void {
  const check = (title: string, use: (backend: HostBackend) => Promise<void>): void =>
    it(title, async () => {
      const backend = create()
      try {
        await use(backend)
      } finally {
        await backend.close()
      }
    })
  const submitted = async ({ store, queue }: HostBackend, id: string, kind = KINDS[1]!): Promise<HostedChat> => {
    const { chat } = await store.submit({ id, ...kind, input: null })
    await queue.add(chat)
    return chat
  }
  const working = (
    { queue }: HostBackend,
    concurrency: number,
    run: (id: string) => Promise<void>,
  ): (() => Promise<void>) => {
    const stop = new AbortController()
    const work = queue.work({ kinds: KINDS, concurrency, lease: 5, signal: stop.signal, run, onError })
    return async () => {
      stop.abort()
      await work
    }
  }
  /** Does something while the clock of this process is another. */
  const withClock = async <T>(ahead: number, act: () => Promise<T>): Promise<T> => {
    const { now } = Date
    Date.now = () => now() + ahead
    try {
      return await act()
    } finally {
      Date.now = now
    }
  }

  describe(`queue of ${name}`, () => {
    check('leaves chats of other programs to other workers while all its places are held', async (backend) => {
      const begun = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const full = working(backend, 1, async () => {
        begun.resolve()
        await end.promise
      })
      await submitted(backend, 'long', KINDS[0])
      await begun.promise
      const ran: string[] = []
      const free = working(backend, 1, async (id) => void ran.push(id))
      const ids = Array.from({ length: 6 }, (_, n) => `short-${n}`)
      for (const id of ids) await submitted(backend, id)
      await expect.poll(() => ran.toSorted(), { timeout: 30_000 }).toEqual(ids)
      end.resolve()
      await Promise.all([full(), free()])
    })

    check('takes chats of other programs again when a place is free', async (backend) => {
      const ran: string[] = []
      const end = working(backend, 1, async (id) => {
        await new Promise(setImmediate)
        ran.push(id)
      })
      const ids = Array.from({ length: 12 }, (_, n) => `chat-${n}`)
      for (const [n, id] of ids.entries()) await submitted(backend, id, KINDS[n % 2])
      await expect.poll(() => ran.toSorted(), { timeout: 30_000 }).toEqual(ids.toSorted())
      await end()
    })

    check(
      'brings a chat that is due by the clock of the store, whatever the clock of its worker says',
      async (backend) => {
        const { store, queue } = backend
        const { chat } = await store.submit({ id: 'late', ...KINDS[1]!, input: null, at: Date.now() + 200 })
        await queue.add(chat)
        await withClock(-DAY, async () => {
          const ran: string[] = []
          const end = working(backend, 1, async (id) => void ran.push(id))
          await expect.poll(async () => (await store.due(KINDS, 9)).length).toBe(1)
          await queue.add({ ...chat, at: 0 })
          await expect.poll(() => ran, { timeout: 30_000 }).toEqual(['late'])
          await end()
        })
      },
    )

    check('tries a turn that failed again at once, whatever the clock of its worker said', async (backend) => {
      let runs = 0
      await withClock(DAY, async () => {
        const end = working(backend, 1, async () => {
          if (runs++ === 0) throw new Error('the store does not answer')
          // The one that is right goes on.
          await new Promise(setImmediate)
          if (runs === 2) throw new Error('and once more')
        })
        await submitted(backend, 'fails')
        await expect.poll(() => runs, { timeout: 30_000 }).toBeGreaterThan(0)
        await end()
      })
      const before = runs
      const end = working(backend, 1, async () => void runs++)
      await expect.poll(() => runs, { timeout: 30_000 }).toBeGreaterThan(before)
      await end()
    })
  })
}
