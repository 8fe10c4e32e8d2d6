import { describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { createHost, defineChat, sqlite } from './index.ts'

const host = createHost({ chats: [clerkChat()], at: sqlite(':memory:') })
const definition = { name: 'x', version: '1', run: () => '' }
const hosted = { chats: [], at: sqlite(':memory:') }
/** Overrides correct options with wrong ones; a value that is not an object stands alone. */
const over = <T extends object>(right: T, wrong: T): T =>
  typeof wrong === 'object' && wrong !== null ? { ...right, ...wrong } : wrong
const all = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
}

type Call = (options: never) => unknown

/** Every operation with options, and wrong options for it. */
const OPERATIONS: readonly (readonly [name: string, call: Call, ...wrong: object[]])[] = [
  ['defineChat', (o) => defineChat(over(definition, o)), { name: 'a b' }, { version: 2 }, { run: 1 }],
  ['defineChat', (o) => defineChat(over(definition, o)), { name: '' }, { version: '' }, { input: 'x' }],
  [
    'defineChat',
    (o) => defineChat({ ...definition, retry: o }),
    ...[{ kinds: ['rate'] }, { kinds: 'server' }, { for: -1 }, { most: 1.5 }],
  ],
  ['sqlite', (o) => sqlite(':memory:', o), { synchronous: 'OFF' }, { now: 1 }],
  ['createHost', (o) => createHost(o), {}, { chats: [] }, { chats: [{}], at: sqlite(':memory:') }],
  ['createHost', (o) => createHost(over(hosted, o)), { retention: -1 }, { at: {} }],
  [
    'createHost',
    (o) => createHost(over(hosted, o)),
    ...[{ events: 1 }, { events: { content: 'no' } }, { events: { redact: true } }],
    ...[{ events: { maxTextLength: -1 } }, { events: { recalled: true } }],
  ],
  ['createHost', (o) => createHost(over(hosted, o)), { chats: [clerkChat(), clerkChat()] }],
  ['submit', (o) => host.submit(clerkChat(), { order: '1', euros: 1 }, o), { id: 1 }, { at: 'now' }, { at: {} }],
  ['submit', (o) => host.submit(clerkChat(), { order: '1', euros: 1 }, o), { at: new Date(NaN) }, { at: 1e300 }],
  ['work', (o) => host.work(o), { concurrency: 0 }, { lease: 0 }, { lease: Infinity }, { signal: 1 }, { onError: 'x' }],
  ['send', (o) => host.send('a', 'hello', o), { id: 1 }, { id: '' }, { id: 'x'.repeat(201) }],
  ['result', (o) => host.result('a', o), { signal: 1 }],
  ['fork', (o) => host.fork('a', null, o), { id: 1 }, { id: '' }, { chat: 'clerk' }],
  ['failures', (o) => host.failures(o), { state: 'done' }, { chat: 'clerk' }, { kind: 1 }, { code: 1 }],
  [
    'resume',
    // A text would be the identifier of a chat.
    (o) => host.resume(typeof o === 'string' ? ({ kind: 1 } as never) : o),
    ...[{ state: 'done' }, { chat: 'clerk' }, { message: 1 }],
  ],
  ['list', (o) => all(host.list(o)), { state: 'ended' }, { chat: 'clerk' }],
  [
    'gauge',
    (o) => host.gauge(over({ name: 'x', help: 'x', read: () => 1 }, o)),
    { name: 1 },
    { read: 1 },
    { labels: 'x' },
  ],
  ['events', (o) => all(host.events('a', o)), { after: 1 }, { signal: 1 }],
  ['pending', (o) => all(host.pending(o)), { agent: 1 }, { tenant: 1 }, { chat: 'a\0' }],
  ['limiter', (o) => host.limiter(o), {}, { m: {} }, { m: { requests: 0 } }, { m: { per: 1 } }, { m: 1 }],
  [
    'limiter',
    (o) => host.limiter({ m: { requests: 1 } }, o),
    ...[{ lease: 0 }, { storeTimeout: 'x' }, { whenDown: 'wait' }, { onError: 1 }],
  ],
  ['budget', (o) => host.budget('team', o), {}, { per: 'day' }, { cost: -1 }, { cost: 1e9 }, { tokens: 1.5 }],
  ['budget', (o) => host.budget('team', over({ calls: 1 }, o)), { per: 'week' }, { per: Infinity }, { lease: 0 }],
  ['budget', (o) => host.budget('team', over({ calls: 1 }, o)), { perCall: { calls: 0 } }, { strict: 1 }],
  ['budget', (o) => host.budget('team', o), { cost: null }, { cost: '50' }],
  ['decide', (o) => host.decide('a', '1', { allow: true }, o), { by: 1 }],
]

for (const [name, call, ...wrong] of OPERATIONS) {
  describe(name, () => {
    it.each([...wrong, { misspelt: 1 }, 'text', null])('refuses %j', async (options) => {
      const called = async (): Promise<unknown> => await call(options as never)
      await expect(called()).rejects.toMatchObject({ code: 'invalid-argument' })
    })
  })
}

it('`submit` refuses what is not a defined chat, such as the name of one', async () => {
  for (const program of ['clerk', undefined, { name: 'clerk', version: '1' }]) {
    await expect(host.submit(program as never, {})).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'cannot submit a chat: its program is not a chat made by `defineChat`; give one',
    })
  }
})

it('`list` refuses a place in its order that no store could look up, as a browser may send it', async () => {
  for (const wrong of [{ submittedAt: NaN }, { submittedAt: 1e300 }, { submittedAt: 1.5 }, { id: 'a\0' }]) {
    const after = { id: 'a', submittedAt: 1, ...wrong }
    await expect(all(host.list({ order: 'newest', after }))).rejects.toMatchObject({ code: 'invalid-argument' })
  }
})
