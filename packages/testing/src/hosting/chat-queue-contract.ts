import type { HostBackend, HostedChat } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { CHAT_KIND, LATER_KIND, type HostingContract } from './hosting-contract.ts'

/** Adds a test that runs on a new backend. */
type Check = (title: string, use: (backend: HostBackend) => Promise<void>) => void

/** Checks that a queue brings every chat to a worker that has its program. */
export function chatQueueContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void {
  const check: Check = (title, use) =>
    test(title, async () => {
      const backend = await contract.create()
      try {
        await use(backend)
      } finally {
        await backend.close()
      }
    })

  describe(`chat queue contract: ${contract.name}`, () => {
    checkPlaces(check, expect)
    checkPrograms(check, expect)
    checkTurns(check, expect)
    checkEnds(check, expect)
  })
}

/** Checks how many chats run at once, and of which programs. */
function checkPlaces(check: Check, expect: ContractRunner['expect']): void {
  check('brings every chat to a worker, at most `concurrency` at once', async (backend) => {
    const ids = Array.from({ length: 12 }, (_, n) => `chat:${n}`)
    let running = 0
    let most = 0
    const ended = await workUntil(backend, await submitAll(backend, ids), 12, async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
    })
    expect(ended.toSorted()).toEqual(ids.toSorted())
    expect(most <= 2).toBe(true)
  })

  check(
    'brings parts of a chat that are added at once, at most `concurrency` of the program at once',
    async ({ store, queue }) => {
      const parts = await Promise.all(
        Array.from(
          { length: 14 },
          async (_, n) => (await store.submit({ id: `${n}`, ...CHAT_KIND, input: null })).chat,
        ),
      )
      await Promise.all(parts.map(async (part) => await queue.add(part, 'whole')))
      const stop = new AbortController()
      const ended = new Set<string>()
      let running = 0
      let most = 0
      const run = async (id: string): Promise<void> => {
        const claim = await store.claim(id, 600)
        if (!claim) return
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        if (await store.finish(claim, { state: 'done', value: null })) ended.add(id)
        if (ended.size === parts.length) stop.abort()
      }
      const kinds = [{ ...CHAT_KIND, concurrency: 3 }]
      await queue.work({ kinds, concurrency: 1, lease: 5, signal: stop.signal, run, onError: ignore })
      expect(ended.size).toBe(14)
      expect(most <= 3).toBe(true)
    },
  )
}

/** Checks that workers take the chats of their programs only, each in its own places. */
function checkPrograms(check: Check, expect: ContractRunner['expect']): void {
  check('leaves chats of other programs alone', async (backend) => {
    const { chat } = await backend.store.submit({ id: 'other', ...LATER_KIND, input: null })
    const [own] = await submitAll(backend, ['own'])
    expect(await workUntil(backend, [chat, own!], 1)).toEqual(['own'])
    expect((await backend.store.get('other'))!.state).toBe('waiting')
  })

  check(
    'has places of its own for a program with its own `concurrency`, while other programs hold the rest',
    async (backend) => {
      const { store, queue } = backend
      const waiting = await submitAll(backend, ['waits'])
      const own = await Promise.all(
        ['one', 'two', 'three'].map(async (id) => (await store.submit({ id, ...LATER_KIND, input: null })).chat),
      )
      for (const chat of [...waiting, ...own]) await queue.add(chat)
      const stop = new AbortController()
      const all = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))
      let running = 0
      let most = 0
      let ended = 0
      const run = async (id: string): Promise<void> => {
        const claim = await store.claim(id, 600)
        if (!claim) return
        if (id === 'waits') await all
        else {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setImmediate(resolve))
          running--
        }
        await store.finish(claim, { state: 'done', value: null })
        if (++ended === own.length) stop.abort()
      }
      const kinds = [CHAT_KIND, { ...LATER_KIND, concurrency: 2 }]
      await queue.work({ kinds, concurrency: 1, lease: 5, signal: stop.signal, run, onError: ignore })
      expect(ended).toBe(4)
      expect(most <= 2).toBe(true)
    },
  )
}

/** Checks that failed, later and delayed turns come to a worker. */
function checkTurns(check: Check, expect: ContractRunner['expect']): void {
  check('retries a chat after a failed turn', async (backend) => {
    let failed = 0
    const ended = await workUntil(backend, await submitAll(backend, ['a']), 1, async () => {
      if (failed++ === 0) throw new Error('the turn fails once')
    })
    expect(ended).toEqual(['a'])
    expect(failed).toBe(2)
  })

  check('brings a later turn of a chat too', async (backend) => {
    const [chat] = await submitAll(backend, ['a'])
    const stop = new AbortController()
    const turns: number[] = []
    await backend.queue.add(chat!)
    const run = async (id: string): Promise<void> => {
      const claim = await backend.store.claim(id, 600)
      if (!claim) return
      turns.push(claim.turn)
      const again = await (turns.length < 3 ? backend.store.release(claim) : backend.store.suspend(claim, 0))
      if (again!.state === 'waiting') await backend.queue.add(again!)
      else stop.abort()
    }
    await backend.queue.work({
      kinds: [CHAT_KIND],
      concurrency: 1,
      lease: 5,
      signal: stop.signal,
      run,
      onError: ignore,
    })
    expect(turns).toEqual([0, 1, 2])
  })

  check('brings a delayed chat on time, and a duplicate turn once', async (backend) => {
    const [now] = await submitAll(backend, ['now'])
    const [late] = await submitAll(backend, ['late'], now!.submittedAt + 300)
    const runs: string[] = []
    const ended = await workUntil(backend, [late!, late!, late!, now!], 2, async (id) => void runs.push(id))
    expect(ended.toSorted()).toEqual(['late', 'now'])
    expect(runs).toEqual(ended)
  })
}

/** Checks the end of the work. */
function checkEnds(check: Check, expect: ContractRunner['expect']): void {
  check('ends its work when the chats that run have ended', async ({ store, queue }) => {
    const [chat] = await submitAll({ store }, ['a'])
    await queue.add(chat!)
    const stop = new AbortController()
    let hasEnded = false
    const run = async (id: string): Promise<void> => {
      const claim = await store.claim(id, 600)
      if (!claim) return
      stop.abort()
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      hasEnded = await store.finish(claim, { state: 'done', value: null })
    }
    await queue.work({ kinds: [CHAT_KIND], concurrency: 1, lease: 5, signal: stop.signal, run, onError: ignore })
    expect(hasEnded).toBe(true)
  })

  check('ends its work at once when nothing is under way', async (backend) => {
    const work = {
      kinds: [CHAT_KIND],
      concurrency: 1,
      lease: 5,
      signal: AbortSignal.abort(),
      run: async () => {},
      onError: ignore,
    }
    await backend.queue.work(work)
  })
}

const ignore = (): void => {}

/** Adds chats and works until `count` of them have ended; returns their ids in the order of their ends. */
async function workUntil(
  { store, queue }: HostBackend,
  chats: readonly HostedChat[],
  count: number,
  during: (id: string, calls: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const ended: string[] = []
  const stop = new AbortController()
  let calls = 0
  for (const chat of chats) await queue.add(chat)
  const run = async (id: string): Promise<void> => {
    const claim = await store.claim(id, 600)
    if (!claim) return
    try {
      await during(id, ++calls)
    } catch (error) {
      await store.release(claim)
      throw error
    }
    if (await store.finish(claim, { state: 'done', value: null })) ended.push(id)
    if (ended.length === count) stop.abort()
  }
  await queue.work({ kinds: [CHAT_KIND], concurrency: 2, lease: 5, signal: stop.signal, run, onError: ignore })
  return ended
}
const submitAll = async (
  { store }: Pick<HostBackend, 'store'>,
  ids: readonly string[],
  at?: number,
): Promise<HostedChat[]> =>
  await Promise.all(ids.map(async (id) => (await store.submit({ id, ...CHAT_KIND, input: null, at })).chat))
