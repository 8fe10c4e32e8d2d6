import { AssistantAgent } from '@x/agent'
import type { ClaimedChat, HostBackend, HostedChat } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckedChat } from './check.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { createHost, defineChat, sqlite, type DefinedChat, type Host } from './index.ts'
import { talkChat, talkMessages, talkValue } from './talk.fake.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A host on a store, which stays open. */
const hostAt = (at: HostBackend, ...chats: readonly DefinedChat[]): Host =>
  createHost({ chats, at: { ...at, close() {} } })

function works(host: Host, errors: unknown[] = []): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, onError: (error) => void errors.push(error) })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

/** Waits until a chat does nothing: it waits for somebody, or has ended. */
const rested = async (host: Host, id = 'a'): Promise<HostedChat> => {
  await expect.poll(async () => (await host.get(id))!.state, { interval: 2 }).toMatch(/suspended|done|failed/u)
  return (await host.get(id))!
}

async function decideAll(host: Host): Promise<void> {
  for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
}

/** Sends a message, with approvals, and waits until the chat waits for the next one. */
async function say(host: Host, message: string, id = 'a'): Promise<HostedChat> {
  await rested(host, id)
  await host.send(id, message)
  await rested(host, id)
  await decideAll(host)
  return await rested(host, id)
}

/** A store that tells what its claims have read, and how many events of the log were read. */
function counting(at: HostBackend): { at: HostBackend; claims: ClaimedChat[]; read: { events: number } } {
  const claims: ClaimedChat[] = []
  const read = { events: 0 }
  const events = new Proxy(at.events, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      if (name !== 'read' && name !== 'readLast') return method.bind(target)
      return async (...args: unknown[]) => {
        const all = (await method.apply(target, args)) as readonly unknown[]
        read.events += all.length
        return all
      }
    },
  })
  const store = new Proxy(at.store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      if (name !== 'claim') return method.bind(target)
      return async (...args: Parameters<typeof target.claim>) => {
        const claim = await target.claim(...args)
        if (claim) claims.push(claim)
        return claim
      }
    },
  })
  return { at: { ...at, store, events }, claims, read }
}

describe('a conversation', () => {
  it.each(['of one worker', 'of a new worker for each message'])(
    'goes on from its state and agents: %s',
    async (how) => {
      const at = sqlite(':memory:')
      const keys: string[] = []
      const program = talkChat({ paid: (_, key) => void keys.push(key) })
      const host = hostAt(at, program)
      await host.submit(program, {} as never, { id: 'a' })
      let end = works(host)
      for (const message of talkMessages(12)) {
        await say(host, message)
        if (how === 'of one worker') continue
        await end()
        end = works(host)
      }
      expect(await host.result('a')).toEqual(talkValue(12))
      expect(keys).toHaveLength(12)
      expect(new Set(keys).size).toBe(12)
      expect(findFaults(await logOf(host, 'a'), 'suspended')).toEqual([])
    },
  )

  it('takes several messages of one moment one after the other, and reads a bounded amount for each', async () => {
    const { at, claims, read } = counting(sqlite(':memory:'))
    const program = talkChat()
    const host = hostAt(at, program)
    await host.submit(program, {} as never, { id: 'a' })
    const end = works(host)
    const messages = talkMessages(60).slice(0, -1)
    for (const message of messages.slice(0, 4)) await host.send('a', message)
    await rested(host)
    await decideAll(host)
    await rested(host)
    for (const message of messages.slice(4)) await say(host, message)
    await end()
    // A worker dies with the last message: the next one reads the end of the log.
    await host.send('a', 'end')
    expect((await at.store.claim('a', 0))!.entries[0]!.kind).toBe('checkpoint')
    works(host)
    expect(await host.result('a')).toEqual(talkValue(60))
    const events = await logOf(hostAt(at), 'a')
    expect(findFaults(events, 'killed')).toEqual([])
    expect([events.length > 700, read.events - events.length > 0, read.events - events.length < 130]).toEqual([
      true,
      true,
      true,
    ])
    const sizes = claims.map(({ entries, messages: unread }) => [
      entries.length,
      unread.length,
      JSON.stringify(entries).length,
    ])
    const most = (list: readonly (readonly number[])[], index: number): number =>
      Math.max(...list.map((size) => size[index]!))
    const [early, late] = [sizes.slice(8, 20), sizes.slice(-20)]
    expect([most(late, 0), most(late, 1)]).toEqual([most(early, 0), most(early, 1)])
    expect(most(late, 0)).toBeLessThan(12)
    expect(most(late, 2)).toBeLessThan(1.1 * most(early, 2))
    expect((await at.store.entries('a')).length).toBeGreaterThan(400)
  })
})

describe('a program that makes checkpoints itself', () => {
  it('begins at the last one, and makes no earlier call again', async () => {
    const at = sqlite(':memory:')
    const asked: string[] = []
    const starts: unknown[] = []
    const program = defineChat({
      name: 'steps',
      version: '1',
      state: ({ from }) => ({ done: [String(from)] }),
      async run({ state, checkpoint, receive, run, usage }) {
        starts.push([...state.done])
        const done = [...state.done]
        for (const step of ['one', 'two', 'three'].slice(done.length - 1)) {
          await receive()
          const llmConfig = functionModel(({ messages }) => {
            asked.push(step)
            return { content: `${step} after ${messages.length}`, usage: [1, 1], cost: 1 }
          })
          const { text } = await new AssistantAgent({ name: 'worker', llmConfig }).run(step, { run })
          done.push(text)
          await checkpoint({ done })
        }
        return { done, cost: usage().totalCost }
      },
    })
    const host = hostAt(at, program)
    await host.submit(program, { from: 'zero' }, { id: 'a' })
    for (const message of ['go', 'on', 'end']) {
      const end = works(host)
      await say(host, message)
      await end()
    }
    const texts = ['zero', 'one after 2', 'two after 2', 'three after 2']
    expect(await host.result('a')).toEqual({ done: texts, cost: 3 })
    expect(asked).toEqual(['one', 'two', 'three'])
    // The first worker has kept the program in memory until its message came; the others began anew.
    expect(starts).toEqual([1, 2, 3].map((count) => texts.slice(0, count)))
  })

  it('may have begun without them: its whole journal is read until there is one', async () => {
    const { at, claims } = counting(sqlite(':memory:'))
    const define = (checkpoints: boolean): DefinedChat =>
      defineChat({
        name: 'old',
        version: '1',
        async run({ state, checkpoint, receive }) {
          const all = [...((state as unknown[] | undefined) ?? [])]
          while (all.at(-1) !== 'end') {
            all.push(await receive())
            // Behind the messages that are there already, an earlier program has made no checkpoint.
            if (checkpoints && all.length > 2) await checkpoint(all)
          }
          return all
        },
      }) as DefinedChat
    const old = hostAt(at, define(false))
    await old.submit(define(false), {} as never, { id: 'a' })
    let end = works(old)
    for (const message of ['one', 'two']) await say(old, message)
    await end()
    const host = hostAt(at, define(true))
    end = works(host)
    for (const message of ['three', 'four', 'end']) await say(host, message)
    await end()
    expect(await host.result('a')).toEqual(['one', 'two', 'three', 'four', 'end'])
    const begins = claims.map(({ entries: [first] }) => first?.kind)
    expect(begins).toEqual([undefined, ...Array.from({ length: 3 }, () => 'begin'), 'checkpoint', 'checkpoint'])
  })

  it('fails with the longest part where a checkpoint is too long, and goes on once that is repaired', async () => {
    const at = sqlite(':memory:')
    const define = (most: number): DefinedChat =>
      defineChat({
        name: 'grows',
        version: '1',
        state: { text: '' },
        onMessage: (state, message, _, { end }) => {
          if (message === 'end') end(state.text.length)
          return { text: (state.text + 'x'.repeat(700_000)).slice(0, most) }
        },
      }) as DefinedChat
    const host = hostAt(at, define(Infinity))
    await host.submit(define(Infinity), {} as never, { id: 'a' })
    const end = works(host)
    expect((await say(host, 'one')).state).toBe('suspended')
    const { outcome } = await say(host, 'two')
    await end()
    expect(outcome).toMatchObject({
      error: {
        code: 'invalid-state',
        message: expect.stringMatching(
          /checkpoint of 140\d{4} characters, the most is 1048576; its state has 14000/u,
        ) as string,
      },
    })
    const repaired = hostAt(at, define(1_000_000))
    works(repaired)
    await repaired.resume('a')
    await say(repaired, 'end')
    expect(await repaired.result('a')).toBe(1_000_000)
  })

  it('is refused what is no plain JSON', async () => {
    const program = defineChat({
      name: 'odd',
      version: '1',
      run: async ({ checkpoint }) => await checkpoint({ at: new Map() }),
    }) as DefinedChat
    const host = hostAt(sqlite(':memory:'), program)
    works(host)
    await host.submit(program, {} as never, { id: 'a' })
    await expect(host.result('a')).rejects.toThrow('`state.at` is a Map')
  })
})

/** A conversation whose state is a list of messages, in several versions. */
const listing = (version: string, more: object = {}): DefinedChat =>
  defineChat({
    name: 'list',
    version,
    state: { all: [] as unknown[] },
    onMessage: ({ all, ...rest }, message, _, { end }) => {
      if (message === 'end') end({ ...rest, all, version })
      return { ...rest, all: [...all, message] }
    },
    ...more,
  }) as DefinedChat

describe('a state that another version has saved', () => {
  const LIST_SCHEMA = {
    type: 'object',
    properties: { all: { type: 'array' }, size: { type: 'number' } },
    required: ['all', 'size'],
  }

  /** Lets version 1 take a message, and then version 2. */
  async function deployed(more: object): Promise<{ host: Host; errors: unknown[] }> {
    const at = sqlite(':memory:')
    const host = hostAt(at, listing('1'))
    await host.submit(listing('1'), {} as never, { id: 'a' })
    const end = works(host)
    await say(host, 'one')
    await end()
    const errors: unknown[] = []
    const next = hostAt(at, listing('2', { continues: ['1'], ...more }))
    await next.send('a', 'end')
    works(next, errors)
    return { host: next, errors }
  }

  it('is migrated, and checked by the schema', async () => {
    const migrate = (state: { all: unknown[] }, version: string): object => ({
      all: [...state.all, `of ${version}`],
      size: state.all.length,
    })
    const { host } = await deployed({ migrate, stateSchema: LIST_SCHEMA })
    expect(await host.result('a')).toEqual({ all: ['one', 'of 1'], size: 1, version: '2' })
  })

  it.each([
    ['without `migrate`', {}, /which version 1 has saved, does not fit version 2 of its program: give `migrate`/u],
    ['that does not fit the schema', { stateSchema: LIST_SCHEMA }, /version 1 has saved.*"size" is missing/u],
    [
      'that fits in no form',
      { stateSchema: LIST_SCHEMA, migrate: () => ({ all: 1, size: 1 }) },
      /after `migrate`: `all`/u,
    ],
  ])('is refused %s, and the chat waits for a program that fits', async (_, more, problem) => {
    const { host, errors } = await deployed(more)
    await expect.poll(() => String(errors[0])).toMatch(problem)
    expect(await host.get('a')).toMatchObject({
      state: expect.stringMatching(/waiting|running/u) as string,
      outcome: null,
    })
    expect(String((await host.get('a'))!.reason)).toMatch(problem)
  })

  it('that still fits the schema goes on without `migrate`', async () => {
    const { host } = await deployed({
      stateSchema: { type: 'object', properties: { all: { type: 'array' } }, required: ['all'] },
    })
    expect(await host.result('a')).toEqual({ all: ['one'], version: '2' })
  })
})

describe('the journal before a checkpoint', () => {
  /** A conversation of three messages that waits for the next one. */
  async function held(): Promise<{ at: HostBackend; host: Host }> {
    const at = sqlite(':memory:')
    const host = hostAt(at, talkChat())
    await host.submit(talkChat(), {} as never, { id: 'a' })
    const end = works(host)
    for (const message of talkMessages(5).slice(0, 3)) await say(host, message)
    await end()
    return { at, host }
  }

  const checkpointsOf = async (at: HostBackend, id: string): Promise<string[]> =>
    (await at.store.entries(id)).filter(({ kind }) => kind === 'checkpoint').map(({ place }) => place)

  it('is there for forks from any place, whose keys are their own', async () => {
    const { at, host } = await held()
    const [first, second] = await checkpointsOf(at, 'a')
    await host.fork('a', second!, { id: 'b' })
    await host.fork('a', null, { id: 'c' })
    await host.fork('a', first!, { id: 'd' })
    expect([await checkpointsOf(at, 'b'), await checkpointsOf(at, 'd')]).toEqual([[first], []])
    const keys: string[] = []
    const again = hostAt(at, talkChat({ paid: (_, key) => void keys.push(key) }))
    works(again)
    for (const [id, used] of [
      ['b', 2],
      ['c', 3],
      ['d', 1],
    ] as const) {
      await rested(again, id)
      for (const message of talkMessages(5).slice(used)) await say(again, message, id)
      expect(await again.result(id)).toEqual(talkValue(5))
      expect(keys.splice(0).every((key) => key.startsWith(`${id}/`))).toBe(true)
    }
    expect((await again.get('a'))!.state).toBe('suspended')
  })

  const checked = async (at: HostBackend, program: DefinedChat, options = {}): Promise<CheckedChat> => {
    for await (const each of hostAt(at).check(program, options)) return each
    throw new Error('no chat')
  }

  it('is read by a check of the whole; any other begins at the last checkpoint, and says so', async () => {
    const { at } = await held()
    const places = await checkpointsOf(at, 'a')
    const message = { goesOn: true, unused: 0, next: { kind: 'message' }, problem: null }
    expect(await checked(at, talkChat())).toMatchObject({ ...message, from: places.at(-1)! })
    expect(await checked(at, talkChat(), { whole: true })).toMatchObject({ ...message, from: null })
    // Another program goes on from the state, and would not have come to it.
    const other = defineChat({
      name: 'talk',
      version: '1',
      state: { count: 0, answers: [] as string[] },
      onMessage: ({ count, answers }) => ({ count: count + 2, answers }),
    }) as DefinedChat
    expect(await checked(at, other)).toMatchObject({ ...message, from: places.at(-1)! })
    expect(await checked(at, other, { whole: true })).toMatchObject({
      goesOn: false,
      from: null,
      problem: { code: 'invalid-state' },
    })
    const counts = defineChat({
      name: 'list',
      version: '1',
      state: { all: [] as unknown[] },
      onMessage: ({ all }) => ({ all: [...all, 'other'] }),
    }) as DefinedChat
    const lists = sqlite(':memory:')
    const host = hostAt(lists, listing('1'))
    await host.submit(listing('1'), {} as never, { id: 'a' })
    const end = works(host)
    await say(host, 'one')
    await end()
    expect((await checked(lists, counts, { whole: true })).problem!.message).toMatch(/a checkpoint of another state/u)
  })
})

describe('a definition', () => {
  it.each<[object, string]>([
    [{ run: () => 1, onMessage: () => {}, state: 1 }, 'two forms'],
    [{ onMessage: () => {} }, '`onMessage` needs a `state`'],
    [{ onMessage: () => {}, state: 1, keeps: 'value' }, '`onMessage` waits for messages'],
    [{ run: () => 1, continues: ['1'] }, '`continues` takes earlier versions'],
    [{ run: () => 1, continues: ['a b'] }, '`continues` takes a list of versions'],
    [{ run: () => 1, migrate: {} }, '`migrate`'],
    [{}, 'it has no `run`'],
  ])('%j is refused', (definition, problem) => {
    expect(() => defineChat({ name: 'a', version: '1', ...definition } as never)).toThrow(problem)
  })
})
