import { AssistantAgent, tool } from '@x/agent'
import type { HostBackend, HostedChat, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { askingChat, clerkChat, type ClerkLog } from './clerk.fake.ts'
import { createHost, defineChat, sqlite, type Host, type HostOptions } from './index.ts'
import type { SqliteStore } from './sqlite/sqlite-store.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const ORDER = { order: '17', euros: 5 }
const LARGE = { order: '17', euros: 25 }

function hosted(options: Partial<HostOptions> = {}): Host {
  const host = createHost({ chats: [clerkChat()], at: sqlite(':memory:'), ...options })
  stops.push(() => host.close())
  return host
}

/** Works until the end of the test, or until the returned function is called. */
function works(host: Host, onError?: (error: unknown) => void): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, onError })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

/** Resolves when a chat is in a state. */
async function standing(host: Host, id: string, state: HostedChat['state']): Promise<void> {
  for (;;) {
    const chat = await host.get(id)
    if (chat?.state === state) return
    if (chat?.outcome) throw new Error(`it is ${JSON.stringify(chat.outcome)}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const eventsOf = async (host: Host, id: string, after?: string): Promise<[string, XEvent][]> => {
  const events: [string, XEvent][] = []
  for await (const { cursor, event } of host.events(id, { after })) events.push([cursor, event])
  return events
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const pendingOf = async (host: Host, agent?: string) => await all(host.pending({ agent }))

describe('a hosted chat', () => {
  it('runs when a worker claims it, and returns its value', async () => {
    const log: string[] = []
    const chat = clerkChat({ paid: (id, key) => void log.push(`${id} ${key}`) })
    const host = hosted({ chats: [chat] })
    const { state } = await host.submit(chat, ORDER, { id: 'order-17' })
    expect(state).toBe('waiting')
    works(host)
    expect(await host.result('order-17')).toBe('done: 5 euros')
    expect(log).toEqual([expect.stringMatching(/^order-17 order-17\//u)])
    expect(await host.get('order-17')).toMatchObject({ state: 'done', outcome: { value: 'done: 5 euros' } })
  })

  it('is one chat for one identifier, and another input or program is refused', async () => {
    const host = hosted({ chats: [clerkChat(), askingChat()] })
    const first = await host.submit(clerkChat(), ORDER, { id: 'a' })
    expect(await host.submit(clerkChat({}, '2'), { euros: 5, order: '17' }, { id: 'a' })).toEqual(first)
    await expect(host.submit(clerkChat(), LARGE, { id: 'a' })).rejects.toThrow('another input')
    await expect(host.submit(askingChat(), {}, { id: 'a' })).rejects.toThrow('another program')
    works(host)
    await host.result('a')
    expect(await host.submit(clerkChat(), ORDER, { id: 'a' })).toMatchObject({ state: 'done' })
    expect((await host.submit(clerkChat(), ORDER)).id).not.toBe((await host.submit(clerkChat(), ORDER)).id)
  })

  it('begins when its time has come', async () => {
    const host = hosted()
    await host.submit(clerkChat(), ORDER, { id: 'later', at: new Date(Date.now() + 3_600_000) })
    await host.submit(clerkChat(), ORDER, { id: 'soon', at: Date.now() + 50 })
    works(host)
    await host.result('soon')
    expect(await host.get('later')).toMatchObject({ state: 'waiting', epoch: 0 })
  })

  it('refuses an input that does not fit the schema when it is submitted', async () => {
    const host = hosted()
    await expect(host.submit(clerkChat(), { order: 17 } as never)).rejects.toMatchObject({ code: 'invalid-argument' })
    for (const id of ['', 'a\0', '\ud800', 'x'.repeat(201)]) {
      await expect(host.submit(clerkChat(), ORDER, { id })).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    await expect(host.result('nothing')).rejects.toThrow('no chat `nothing`')
  })

  it('fails with the error of its program', async () => {
    const failing = defineChat({
      name: 'failing',
      version: '1',
      run: () => {
        throw new Error('out of paper')
      },
    })
    const host = hosted({ chats: [failing] })
    await host.submit(failing, {}, { id: 'a' })
    works(host)
    await expect(host.result('a')).rejects.toThrow('the chat `a` has failed: out of paper')
    expect((await host.get('a'))!.outcome).toEqual({ state: 'failed', error: { code: null, message: 'out of paper' } })
  })

  it('fails, and runs nothing, when its journal was tampered with', async () => {
    const log: string[] = []
    const at = sqlite(':memory:')
    const chat = clerkChat({ asked: (id) => void log.push(id) })
    const host = hosted({ chats: [chat], at })
    await host.submit(chat, LARGE, { id: 'a' })
    works(host)
    await standing(host, 'a', 'suspended')
    const before = log.length
    const { store } = at
    const claim = store.claim.bind(store)
    store.claim = async (...args) => {
      const claimed = await claim(...args)
      return claimed && { ...claimed, entries: claimed.entries.map((entry) => ({ ...entry, value: 'other' })) }
    }
    expect(await store.entries('a')).not.toEqual([])
    const [waiting] = await pendingOf(host)
    await host.decide('a', waiting!.pending.id, { allow: true })
    await expect(host.result('a')).rejects.toMatchObject({ code: 'invalid-state' })
    expect(log).toHaveLength(before)
  })
})

describe('a suspended chat', () => {
  it('counts at its end what an agent inside a tool had used before', async () => {
    const call = (name: string) => ({ tool_calls: [{ id: name, function: { name, arguments: '{}' } }] })
    const calling = (...names: string[]) =>
      functionModel(({ messages }) => {
        const name = names[messages.filter(({ role }) => role === 'tool').length]
        return { ...(name === undefined ? { content: 'done' } : call(name)), usage: [10, 5] }
      })
    const pay = tool({ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => 'paid' })
    const ask = tool({
      ...{ name: 'ask', description: 'Asks.' },
      execute: async (_, { run }) =>
        (await new AssistantAgent({ name: 'expert', llmConfig: calling() }).run('why?', { run })).text,
    })
    const chat = defineChat({
      ...{ name: 'counting', version: '1' },
      async run({ run }) {
        const clerk = new AssistantAgent({ name: 'clerk', llmConfig: calling('ask', 'pay') })
        return (await clerk.run('go', { tools: [ask, pay], run })).usage.totalTokens
      },
    })
    const host = hosted({ chats: [chat] })
    await host.submit(chat, {}, { id: 'a' })
    works(host)
    await standing(host, 'a', 'suspended')
    for (const { pending } of await pendingOf(host)) await host.decide('a', pending.id, { allow: true })
    expect(await host.result('a')).toBe(60)
  })

  const suspended = async (log: ClerkLog = {}): Promise<[Host, () => Promise<void>]> => {
    const chat = clerkChat(log)
    const host = hosted({ chats: [chat] })
    await host.submit(chat, LARGE, { id: 'a' })
    const end = works(host)
    await standing(host, 'a', 'suspended')
    return [host, end]
  }

  it('waits for a decision, which counts once, and continues after the recorded answers', async () => {
    const log: string[] = []
    const [host] = await suspended({ asked: (_, text) => void log.push(text), paid: () => void log.push('paid') })
    expect(log).toEqual(['Order 17 came broken.', 'order 17'])
    expect(await pendingOf(host, 'somebody')).toEqual([])
    const [waiting] = await pendingOf(host, 'clerk')
    expect(waiting).toMatchObject({ chat: 'a', pending: { action: { name: 'pay', arguments: { euros: 25 } } } })
    const decided = await Promise.allSettled(
      ['ann', 'bob'].map((by) => host.decide('a', waiting!.pending.id, { allow: true }, { by })),
    )
    expect(decided.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await host.result('a')).toBe('done: 25 euros')
    expect(log).toEqual(['Order 17 came broken.', 'order 17', 'paid', '25 euros'])
    expect(await host.decisions('a')).toMatchObject([{ by: 'ann', entry: { value: { allow: true } } }])
    expect(await pendingOf(host)).toEqual([])
    await expect(host.decide('a', waiting!.pending.id, { allow: true })).rejects.toThrow('decided already')
    await expect(host.decide('a', '9.9', { allow: true })).rejects.toThrow('no pending approval')
  })

  it('gets the reason of a denial, and refuses malformed decisions', async () => {
    const [host] = await suspended()
    const [waiting] = await pendingOf(host)
    await expect(host.decide('a', waiting!.pending.id, {} as never)).rejects.toMatchObject({ code: 'invalid-argument' })
    const late = { allow: true, arguments: { euros: 5, until: new Date(0) } } as const
    await expect(host.decide('a', waiting!.pending.id, late)).rejects.toThrow('`arguments.until` is a Date')
    await host.decide('a', waiting!.pending.id, { allow: false, reason: 'too much' })
    expect(await host.result('a')).toContain('too much')
  })

  it('does not lose a decision that is made while it still runs', async () => {
    const chat = clerkChat()
    const deciding: typeof chat = {
      ...chat,
      async run(context) {
        try {
          return await chat.run(context)
        } finally {
          // The question is saved, and the chat is not suspended yet.
          for (const { pending } of await pendingOf(host)) await host.decide('a', pending.id, { allow: true })
        }
      },
    }
    const host: Host = hosted({ chats: [deciding] })
    await host.submit(deciding, LARGE, { id: 'a' })
    works(host)
    expect(await host.result('a')).toBe('done: 25 euros')
  })

  it('waits for messages, and uses each of them once, in the program or an agent', async () => {
    const log: string[] = []
    const chat = askingChat({ asked: (_, text) => void log.push(text) })
    const host = hosted({ chats: [chat] })
    await host.submit(chat, {}, { id: 'a' })
    works(host)
    for (const message of [{ first: 'word' }, 'how are you', 'and the weather']) {
      await standing(host, 'a', 'suspended')
      await host.send('a', message)
    }
    expect(await host.result('a')).toEqual({
      first: { first: 'word' },
      heard: ['Hello.', 'you said Hello.', 'how are you', 'you said how are you'],
      last: 'and the weather',
    })
    expect(log).toEqual(['Hello.', 'how are you'])
    await expect(host.send('a', 'late')).rejects.toThrow('it is done')
  })

  it('holds no timer and no process besides those of its worker', async () => {
    const host = hosted()
    works(host)
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    await new Promise((resolve) => setImmediate(resolve))
    const before = timers()
    for (const id of ['a', 'b', 'c']) await host.submit(clerkChat(), LARGE, { id })
    for (const id of ['a', 'b', 'c']) await standing(host, id, 'suspended')
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

describe('the events of a chat', () => {
  it('come in order from a cursor, while the chat runs and afterwards, across workers', async () => {
    const chat = clerkChat()
    const host = hosted({ chats: [chat] })
    await host.submit(chat, LARGE, { id: 'a' })
    const live = eventsOf(host, 'a')
    const end = works(host)
    await standing(host, 'a', 'suspended')
    await end()
    works(host)
    const [waiting] = await pendingOf(host)
    await host.decide('a', waiting!.pending.id, { allow: true })
    await host.result('a')
    const all = await live
    expect(all).toEqual(await eventsOf(host, 'a'))
    const types = all.map(([, { type }]) => type)
    expect(types[0]).toBe('chatStart')
    expect(types.at(-1)).toBe('chatEnd')
    expect(types.filter((type) => type === 'approvalRequested')).toHaveLength(1)
    expect(types).toContain('toolInputDelta')
    const ends = all.flatMap(([, event]) => (event.type === 'toolEnd' ? [`${event.name} ${event.outcome}`] : []))
    expect(ends).toEqual(['look ok', 'pay suspended', 'pay ok'])
    for (const [index, [cursor]] of all.entries())
      expect(await eventsOf(host, 'a', cursor)).toEqual(all.slice(index + 1))
  })

  it('can be left by their reader', async () => {
    const host = hosted()
    await host.submit(clerkChat(), ORDER, { id: 'a' })
    const stop = new AbortController()
    const read = all(host.events('a', { signal: stop.signal }))
    const result = host.result('a', { signal: stop.signal })
    stop.abort()
    await expect(read).rejects.toMatchObject({ code: 'aborted' })
    await expect(result).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('a worker', () => {
  /** A chat with a tool that waits until the test continues it. */
  function slow(): { chat: ReturnType<typeof clerkChat>; begun: Promise<void>; go: () => void; paid: string[] } {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const paid: string[] = []
    const chat = clerkChat({
      paid: async (_, key) => {
        paid.push(key)
        begun.resolve()
        await go.promise
      },
    })
    return { chat, begun: begun.promise, go: () => go.resolve(), paid }
  }

  it('releases its chats at once when it is stopped, and another worker continues with the same keys', async () => {
    const { chat, begun, go, paid } = slow()
    const host = hosted({ chats: [chat] })
    await host.submit(chat, ORDER, { id: 'a' })
    const end = works(host)
    await begun
    await end()
    expect(await host.get('a')).toMatchObject({ state: 'waiting', turn: 1 })
    go()
    works(host)
    expect(await host.result('a')).toBe('done: 5 euros')
    expect(paid).toHaveLength(2)
    expect(new Set(paid).size).toBe(1)
  })

  it('releases its chats at `SIGTERM`', async () => {
    const { chat, begun } = slow()
    const host = hosted({ chats: [chat] })
    await host.submit(chat, ORDER, { id: 'a' })
    const heard: string[] = []
    const other = (): void => void heard.push('SIGTERM')
    process.on('SIGTERM', other)
    stops.push(async () => void process.removeListener('SIGTERM', other))
    const work = host.work()
    await begun
    process.emit('SIGTERM')
    await work
    expect(heard).toEqual(['SIGTERM'])
    expect(await host.get('a')).toMatchObject({ state: 'waiting' })
  })

  it('releases its chats where its host is closed', async () => {
    const { chat, begun } = slow()
    const at = sqlite(':memory:')
    const host = createHost({ chats: [chat], at: { ...at, close() {} } })
    await host.submit(chat, ORDER, { id: 'a' })
    const work = host.work()
    await begun
    await host.close()
    await work
    expect(await at.store.get('a')).toMatchObject({ state: 'waiting' })
    await at.close()
  })

  it('stops a chat that is cancelled, and saves nothing of it afterwards', async () => {
    const { chat, begun, go } = slow()
    const at = sqlite(':memory:')
    const host = hosted({ chats: [chat], at })
    await host.submit(chat, ORDER, { id: 'a' })
    works(host)
    await begun
    const before = await at.store.entries('a')
    expect(await host.cancel('a', 'changed my mind')).toBe(true)
    expect(await host.cancel('a')).toBe(false)
    await expect(host.result('a')).rejects.toThrow('was cancelled: changed my mind')
    go()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await at.store.entries('a')).toEqual(before)
  })

  it('does not claim chats of other versions, which `listStuck` lists', async () => {
    const [old, current] = [clerkChat({}, '1'), clerkChat({}, '2')]
    const at = sqlite(':memory:')
    const host = hosted({ chats: [current], at })
    await host.submit(old, ORDER, { id: 'old' })
    await host.submit(current, ORDER, { id: 'new' })
    const end = works(host)
    await host.result('new')
    await end()
    expect((await all(host.listStuck())).map(({ id }) => id)).toEqual(['old'])
    const both = createHost({ chats: [old, current], at })
    works(both)
    expect(await both.result('old')).toBe('done: 5 euros')
    expect(await all(both.listStuck())).toEqual([])
  })

  it('continues after a failure of the store or log, and loses nothing', async () => {
    const at = sqlite(':memory:')
    let calls = 0
    const broken = { ...backendOf(at) }
    const failing = <T extends object>(target: T, method: string): T =>
      new Proxy(target, {
        get: (its, name) => {
          const value: unknown = Reflect.get(its, name)
          if (typeof value !== 'function') return value
          return (...args: unknown[]): unknown => {
            if (name === method && ++calls % 3 === 1) throw new Error('the disk is full')
            return (value as (...all: unknown[]) => unknown).apply(its, args)
          }
        },
      })
    const paid: string[] = []
    const chat = clerkChat({ paid: (_, key) => void paid.push(key) })
    broken.store = failing(at.store, 'append')
    const host = hosted({ chats: [chat], at: broken })
    await host.submit(chat, ORDER, { id: 'a' })
    const errors: unknown[] = []
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 0.05, onError: (error) => errors.push(error) })
    expect(await host.result('a')).toBe('done: 5 euros')
    stop.abort()
    await work
    expect(errors.length).toBeGreaterThan(0)
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('chat `a`: the disk is full') })
    expect(new Set(paid).size).toBe(1)
  })

  it('continues when the store fails to list the due chats', async () => {
    const at = sqlite(':memory:')
    const due = at.store.due.bind(at.store)
    let asked = 0
    at.store.due = (...args) => {
      if (asked++ === 0) throw new Error('the disk does not answer')
      return due(...args)
    }
    const host = hosted({ at })
    const errors: unknown[] = []
    works(host, (error) => errors.push(error))
    await host.submit(clerkChat(), ORDER, { id: 'a' })
    expect(await host.result('a')).toBe('done: 5 euros')
    expect(errors).toMatchObject([{ message: 'the disk does not answer' }])
  })

  it('is refused when the file has a worker', async () => {
    const host = hosted()
    works(host)
    await expect(host.work()).rejects.toMatchObject({ code: 'invalid-state' })
  })

  it('can start again after a start that failed because the file could not be written', async () => {
    const at = sqlite(':memory:')
    const store = at.store as SqliteStore
    store.endLeases = () => {
      throw new Error('database is locked')
    }
    const host = hosted({ at })
    await expect(host.work()).rejects.toThrow('database is locked')
    store.endLeases = () => {}
    await host.work({ signal: AbortSignal.abort() })
  })
})

const backendOf = (at: HostBackend): { -readonly [K in keyof HostBackend]: HostBackend[K] } => ({
  name: at.name,
  store: at.store,
  queue: at.queue,
  events: at.events,
  records: at.records,
  watch: (listener) => at.watch(listener),
  close: () => at.close(),
})

it('a chat refuses what JSON would keep nothing of, and keeps the rest', async () => {
  const echo = defineChat<never>({ name: 'echo', version: '1', run: ({ input }) => input })
  const give = defineChat<never>({ name: 'give', version: '1', run: () => ({ text: Promise.resolve('hi') }) })
  const host = hosted({ chats: [echo, give] as never })
  works(host)
  const lost = [{ a: new Map([[1, 2]]) }, [new Set([1])], { a: [new Error('x')] }, /x/u, { a: Promise.resolve(1) }]
  for (const input of lost)
    await expect(host.submit(echo, input as never)).rejects.toThrow(/of which JSON keeps nothing/u)
  const kept = { at: new Date(0), empty: {}, none: [], own: Object.create(null) as object }
  await host.submit(echo, kept as never, { id: 'a' })
  expect(await host.result('a')).toEqual({ at: '1970-01-01T00:00:00.000Z', empty: {}, none: [], own: {} })
  await host.submit(give, {} as never, { id: 'b' })
  await expect(host.result('b')).rejects.toThrow('its value is not plain JSON: `text` is a Promise, of which')
})

it('a closed host takes up no chats', async () => {
  const host = createHost({ chats: [clerkChat()], at: sqlite(':memory:') })
  await host.close()
  for (const call of [() => host.get('a'), () => host.submit(clerkChat(), { order: '1', euros: 1 })]) {
    await expect(call()).rejects.toMatchObject({
      code: 'invalid-state',
      message: 'the chats in `:memory:` were closed by this program',
    })
  }
  await expect(host.work()).rejects.toMatchObject({
    code: 'invalid-state',
    message: 'cannot run `work`: the host is closed; create another one',
  })
})

it('a host that is closed twice closes once, and both calls wait for that', async () => {
  const at = backendOf(sqlite(':memory:'))
  const closed = Promise.withResolvers<void>()
  let closes = 0
  at.close = async () => {
    closes++
    await closed.promise
  }
  const host = createHost({ chats: [], at })
  let ended = 0
  const both = [host.close(), host.close()].map(async (close) => (await close, ended++))
  await new Promise((resolve) => setImmediate(resolve))
  expect([closes, ended]).toEqual([1, 0])
  closed.resolve()
  await Promise.all(both)
})

describe('chats that have ended', () => {
  it('are listed, deleted, and deleted by retention', async () => {
    const host = hosted({ retention: 0 })
    for (const id of ['a', 'b', 'c']) await host.submit(clerkChat(), id === 'c' ? LARGE : ORDER, { id })
    const end = works(host)
    await Promise.all(['a', 'b'].map((id) => host.result(id)))
    await standing(host, 'c', 'suspended')
    const ids = async (options = {}): Promise<string[]> => (await all(host.list(options))).map(({ id }) => id)
    expect(await ids()).toEqual(['a', 'b', 'c'])
    expect(await ids({ state: 'done' })).toEqual(['a', 'b'])
    expect(await ids({ chat: clerkChat({}, '2') })).toEqual([])
    const counts = (await host.counts()).map(({ state, count }) => `${count} ${state}`)
    expect(counts.toSorted()).toEqual(['1 suspended', '2 done'])
    await expect(host.delete('c')).rejects.toThrow('call `cancel` first')
    expect(await host.delete('a')).toBe(true)
    expect(await host.delete('a')).toBe(false)
    expect(await ids()).toEqual(['b', 'c'])
    await expect(eventsOf(host, 'a')).rejects.toThrow('no chat')
    await end()
  })
})
