import type { HostBackend } from '@x/interfaces'
import { failCalls } from '@x/testing/hosting'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHost, sqlite, type Host } from '../index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Lets everything happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve))
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1000)
    await settle()
  }
}

interface Watched {
  readonly host: Host
  readonly backend: HostBackend
  /** Number of the calls of store and log since the last question, by their names. */
  counts(): Record<string, number>
  /** Reports a change to those who watch, which nothing else does. */
  report(id: string | null): void
  /** Fails the calls with this name from now on. */
  fail(name: string | undefined): void
}

/** A host whose calls are counted, and whose backend reports a change only when the test does. */
function watched(): Watched {
  const backend = sqlite(':memory:')
  const listeners = new Set<(id: string | null) => void>()
  let counts: Record<string, number> = {}
  let failing: string | undefined
  const counted = failCalls(backend, (name) => {
    counts[name] = (counts[name] ?? 0) + 1
    return name === failing ? 'before' : undefined
  })
  const watch: HostBackend['watch'] = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const host = createHost({ chats: [], at: { ...counted, watch } })
  onTestFinished(async () => await host.close())
  return {
    host,
    backend,
    counts() {
      const before = counts
      counts = {}
      return before
    },
    report: (id) => listeners.forEach((listener) => listener(id)),
    fail: (name) => void (failing = name),
  }
}

/** Adds a chat that waits for a message. */
async function suspend({ store }: HostBackend, id: string): Promise<void> {
  await store.submit({ id, name: 'clerk', version: '1', input: null })
  await store.suspend((await store.claim(id, 600))!, 0)
}

/** Reads the events of a chat, and notes how that ends. */
function read({ host }: Watched, id: string): { readonly types: string[]; end: unknown; stop: () => void } {
  const stop = new AbortController()
  const reading = { types: [] as string[], end: undefined as unknown, stop: () => stop.abort() }
  onTestFinished(() => stop.abort())
  const run = async (): Promise<void> => {
    for await (const { event } of host.events(id, { signal: stop.signal })) reading.types.push(event.type)
  }
  void run().then(
    () => (reading.end = 'ended'),
    (error: unknown) => (reading.end = error),
  )
  return reading
}

const warning = { type: 'warning', message: 'one', at: 0, ids: { runId: 'a' } } as never

describe('readers of suspended chats', () => {
  it('share one comparison a second for a thousand chats, and tell every five seconds that they are there', async () => {
    const of = watched()
    const ids = Array.from({ length: 1500 }, (_, n) => `chat-${n}`)
    for (const id of ids) await suspend(of.backend, id)
    for (const id of ids) read(of, id)
    await settle()
    // The first comparison cannot tell what has changed since they looked.
    await pass(1)
    expect(of.counts()).toMatchObject({ 'events.follow': 2, 'events.revisions': 2 })
    await pass(60)
    expect(of.counts()).toEqual({ 'events.revisions': 120, 'events.follow': 24 })
    expect(await of.backend.events.followed(ids)).toHaveLength(1500)
  })

  it('share a question with those who wait for results', async () => {
    const of = watched()
    for (const id of ['a', 'b']) await suspend(of.backend, id)
    const result = of.host.result('a').catch((error: unknown) => error)
    read(of, 'a')
    read(of, 'b')
    await pass(1)
    of.counts()
    await pass(1)
    expect(of.counts()).toEqual({ 'events.revisions': 1 })
    await of.backend.store.cancel('a', 'enough')
    await pass(1)
    expect(await result).toMatchObject({ message: expect.stringContaining('enough') as string })
    // Each looks once: the chat, for the reader its events, and the chat again at their end.
    expect(of.counts()).toEqual({ 'events.revisions': 1, 'store.get': 3, 'events.read': 1 })
  })
})

describe('a change', () => {
  it('that nobody reports is noticed within a second', async () => {
    const of = watched()
    await suspend(of.backend, 'a')
    const reading = read(of, 'a')
    await pass(3)
    await of.backend.store.send('a', 'hello')
    const claim = (await of.backend.store.claim('a', 600))!
    await of.backend.events.append(claim, [warning])
    await pass(1)
    expect(reading.types).toEqual(['warning'])
    await of.backend.store.finish(claim, { state: 'done', value: 1 })
    await pass(1)
    expect(reading.end).toBe('ended')
  })

  it('that is reported is noticed at once, and wakes those of its chat only', async () => {
    const of = watched()
    for (const id of ['a', 'b']) await suspend(of.backend, id)
    const reading = read(of, 'a')
    read(of, 'b')
    await pass(1)
    of.counts()
    await of.backend.store.cancel('a', 'enough')
    of.report('a')
    await settle()
    expect(reading.end).toBe('ended')
    expect(of.counts()).toEqual({ 'store.get': 2, 'events.read': 1 })
  })

  it('that may have been missed is looked for at once, in one question', async () => {
    const of = watched()
    for (const id of ['a', 'b']) await suspend(of.backend, id)
    const reading = read(of, 'a')
    read(of, 'b')
    await pass(1)
    of.counts()
    await of.backend.store.cancel('a', 'enough')
    of.report(null)
    await settle()
    expect(reading.end).toBe('ended')
    expect(of.counts()).toEqual({ 'events.revisions': 1, 'store.get': 2, 'events.read': 1 })
  })
})

describe('a store that fails', () => {
  it('gives its error to those who wait', async () => {
    const of = watched()
    await suspend(of.backend, 'a')
    const reading = read(of, 'a')
    await pass(1)
    await of.backend.close()
    await pass(1)
    expect(reading.end).toMatchObject({ message: expect.stringContaining('closed by this program') as string })
  })

  it('is no error as long as the chat and its events can be read', async () => {
    const of = watched()
    await suspend(of.backend, 'a')
    const reading = read(of, 'a')
    await pass(1)
    of.counts()
    of.fail('events.revisions')
    await pass(2)
    expect(of.counts()).toEqual({ 'events.revisions': 2, 'store.get': 2, 'events.read': 2 })
    of.fail('events.follow')
    await of.backend.store.cancel('a', 'enough')
    await pass(6)
    expect(reading.end).toBe('ended')
  })
})

it('nothing is left when nobody waits', async () => {
  const of = watched()
  await suspend(of.backend, 'a')
  const reading = read(of, 'a')
  await pass(1)
  expect(vi.getTimerCount()).toBe(1)
  reading.stop()
  await settle()
  expect(reading.end).toMatchObject({ code: 'aborted' })
  expect(vi.getTimerCount()).toBe(0)
})

it('a reader that leaves while its chat waits is gone at once', async () => {
  const of = watched()
  await suspend(of.backend, 'a')
  const events = of.host.events('a')[Symbol.asyncIterator]()
  const next = events.next().catch((error: unknown) => error)
  await pass(1)
  expect(await events.return!()).toEqual({ done: true, value: undefined })
  expect(await next).toMatchObject({ code: 'aborted' })
  expect(await events.next()).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
})
