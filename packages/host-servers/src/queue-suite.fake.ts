import type { HostBackend, HostedChat } from '@x/interfaces'
import { describe, expect, it } from 'vitest'

const CHAT_KINDS = [
  { name: 'long', version: '1' },
  { name: 'short', version: '1' },
]
const DAY_MS = 86_400_000
const onError = (): void => {}

/** Tests of a queue for several workers, beside the contract of queues. */
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
  const submit = async ({ store, queue }: HostBackend, id: string, kind = CHAT_KINDS[1]!): Promise<HostedChat> => {
    const { chat } = await store.submit({ id, ...kind, input: null })
    await queue.add(chat)
    return chat
  }
  const startWork = (
    { queue }: HostBackend,
    concurrency: number,
    run: (id: string) => Promise<void>,
  ): (() => Promise<void>) => {
    const stop = new AbortController()
    const work = queue.work({ kinds: CHAT_KINDS, concurrency, lease: 5, signal: stop.signal, run, onError })
    return async () => {
      stop.abort()
      await work
    }
  }
  /** Runs something while the clock of this process is wrong. */
  const withClock = async <T>(offsetMs: number, act: () => Promise<T>): Promise<T> => {
    const { now } = Date
    Date.now = () => now() + offsetMs
    try {
      return await act()
    } finally {
      Date.now = now
    }
  }

  describe(`queue of ${name}`, () => {
    check('leaves chats of other programs to other workers while all slots are taken', async (backend) => {
      const begun = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const full = startWork(backend, 1, async () => {
        begun.resolve()
        await end.promise
      })
      await submit(backend, 'long', CHAT_KINDS[0])
      await begun.promise
      const ran: string[] = []
      const free = startWork(backend, 1, async (id) => void ran.push(id))
      const ids = Array.from({ length: 6 }, (_, n) => `short-${n}`)
      for (const id of ids) await submit(backend, id)
      await expect.poll(() => ran.toSorted(), { timeout: 30_000 }).toEqual(ids)
      end.resolve()
      await Promise.all([full(), free()])
    })

    check(
      'runs chats with a high priority before the others that wait, and those with a low one behind them',
      async (backend) => {
        const begun = Promise.withResolvers<void>()
        const gate = Promise.withResolvers<void>()
        const ran: string[] = []
        const end = startWork(backend, 1, async (id) => {
          if (id === 'first') {
            begun.resolve()
            await gate.promise
          }
          ran.push(id)
        })
        await submit(backend, 'first')
        await begun.promise
        for (const [id, priority] of [
          ['low', 'low'],
          ['normal', 'normal'],
          ['high', 'high'],
          ['other', 'normal'],
        ] as const) {
          const { chat } = await backend.store.submit({ id, ...CHAT_KINDS[1]!, input: null, priority })
          await backend.queue.add(chat)
        }
        gate.resolve()
        await expect.poll(() => ran, { timeout: 30_000 }).toEqual(['first', 'high', 'normal', 'other', 'low'])
        await end()
      },
    )

    check('takes chats of other programs again when a slot is free', async (backend) => {
      const ran: string[] = []
      const end = startWork(backend, 1, async (id) => {
        await new Promise(setImmediate)
        ran.push(id)
      })
      const ids = Array.from({ length: 12 }, (_, n) => `chat-${n}`)
      for (const [n, id] of ids.entries()) await submit(backend, id, CHAT_KINDS[n % 2])
      await expect.poll(() => ran.toSorted(), { timeout: 30_000 }).toEqual(ids.toSorted())
      await end()
    })

    check(
      'delivers a chat that is due by the clock of the store, whatever the clock of its worker says',
      async (backend) => {
        const { store, queue } = backend
        const { chat } = await store.submit({ id: 'late', ...CHAT_KINDS[1]!, input: null, at: Date.now() + 200 })
        await queue.add(chat)
        await withClock(-DAY_MS, async () => {
          const ran: string[] = []
          const end = startWork(backend, 1, async (id) => void ran.push(id))
          await expect.poll(async () => (await store.due(CHAT_KINDS, 9)).length).toBe(1)
          await queue.add({ ...chat, at: 0 })
          await expect.poll(() => ran, { timeout: 30_000 }).toEqual(['late'])
          await end()
        })
      },
    )

    check('retries a failed turn at once, whatever the clock of its worker said', async (backend) => {
      let runs = 0
      await withClock(DAY_MS, async () => {
        const end = startWork(backend, 1, async () => {
          if (runs++ === 0) throw new Error('the store does not answer')
          // Also fails the first retry, so that a worker with the right clock has to run the chat.
          await new Promise(setImmediate)
          if (runs === 2) throw new Error('and once more')
        })
        await submit(backend, 'fails')
        await expect.poll(() => runs, { timeout: 30_000 }).toBeGreaterThan(0)
        await end()
      })
      const before = runs
      const end = startWork(backend, 1, async () => void runs++)
      await expect.poll(() => runs, { timeout: 30_000 }).toBeGreaterThan(before)
      await end()
    })
  })
}
