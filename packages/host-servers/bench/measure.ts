import type { HostBackend } from '@x/interfaces'
import { createHost, type Host } from '@x/host'
import { clerkChat, runClerk } from './clerk.ts'

/** Time of a number of chats. */
export interface Took {
  /** Processor time of this process per chat, in milliseconds. */
  readonly cpu: number
  readonly chatsPerSecond: number
}

/** Models and tools that answer at once, so that only the chat itself is measured. */
const INSTANT_PACE = { model: 0, tool: 0 }
/** Number of chats at once. */
const CONCURRENT_CHATS = 100

/** Runs chats without a host. */
export async function inProcess(chats: number): Promise<Took> {
  return await timed(chats, async () => {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < chats) await runClerk(INSTANT_PACE, String(next++))
    }
    await Promise.all(Array.from({ length: CONCURRENT_CHATS }, lane))
  })
}

let round = 0

/** Submits chats and runs them in this process, until the last has ended; with `isFollowed`, a reader follows each of them. */
export async function hosted(at: HostBackend, chats: number, isFollowed = false): Promise<Took> {
  const chat = clerkChat(INSTANT_PACE)
  const ended = Promise.withResolvers<void>()
  let left = chats
  const store = new Proxy(at.store, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      if (typeof method !== 'function') return method
      if (name !== 'finish') return method.bind(target)
      return async (...args: unknown[]) => {
        const kept = await method.apply(target, args)
        if (--left === 0) ended.resolve()
        return kept
      }
    },
  })
  const host = createHost({ chats: [chat], at: { ...at, store } })
  const stop = new AbortController()
  const readers: Promise<void>[] = []
  const prefix = `round-${round++}`
  const took = await timed(chats, async () => {
    const work = host.work({ concurrency: CONCURRENT_CHATS, signal: stop.signal })
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < chats) {
        const order = String(next++)
        const { id } = await host.submit(chat, { order }, { id: `${prefix}-${order}` })
        if (isFollowed) readers.push(read(host, id))
      }
    }
    await Promise.all(Array.from({ length: 20 }, lane))
    await ended.promise
    await Promise.all(readers)
    stop.abort()
    await work
  })
  return took
}

/** Reads the events of a chat until it has ended. */
async function read(host: Host, id: string): Promise<void> {
  for await (const _ of host.events(id));
}

/** Returns the same backend without a log of events, so that only entries and states are measured. */
export function withoutEvents(at: HostBackend): HostBackend {
  const store = new Proxy(at.store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      const bound = method.bind(target) as (...args: unknown[]) => unknown
      return name === 'append' || name === 'finish' ? (claim: unknown, value: unknown) => bound(claim, value) : bound
    },
  })
  const append = (): { followed: boolean } => ({ followed: false })
  return {
    ...at,
    store,
    events: { append, read: () => [], readLast: () => [], follow: () => {}, followed: () => [], revisions: () => [] },
  }
}

async function timed(chats: number, run: () => Promise<void>): Promise<Took> {
  const began = performance.now()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1000 / chats, chatsPerSecond: (chats / (performance.now() - began)) * 1000 }
}

/** Appends entries one after the other; returns percentiles of their milliseconds. */
export async function appendTimes(at: HostBackend, entries: number): Promise<{ p50: number; p99: number }> {
  const id = `appends-${round++}`
  await at.store.submit({ id, name: 'bench', version: '1', input: null })
  const claim = (await at.store.claim(id, 600))!
  const times: number[] = []
  for (let seq = 0; seq < entries; seq++) {
    const entry = { seq, place: `1.${seq}`, kind: 'model', value: ENTRY_VALUE, checksum: '00000000' } as const
    const began = performance.now()
    if (!(await at.store.append(claim, [entry]))) throw new Error('an entry was refused')
    times.push(performance.now() - began)
  }
  await at.store.finish(claim, { state: 'done', value: null })
  times.sort((a, b) => a - b)
  return { p50: times[entries >> 1]!, p99: times[Math.floor(entries * 0.99)]! }
}

/** A model answer of typical size. */
const ENTRY_VALUE = { content: 'It was sent on Monday and came on Friday. '.repeat(10), role: 'assistant' }
