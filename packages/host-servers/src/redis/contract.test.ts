import { createHost } from '@x/host'
import type { ChatClaim, HostBackend, JournalEntry } from '@x/interfaces'
import {
  chatQueueContract,
  chatStoreContract,
  eventLogContract,
  limiterContract,
  recordStoreContract,
  sharedBudgetContract,
} from '@x/testing/hosting'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkSuite } from '../check-suite.fake.ts'
import { steeringSuite } from '../steering-suite.fake.ts'
import { damagedSuite } from '../damaged-suite.fake.ts'
import { queueSuite } from '../queue-suite.fake.ts'
import { lostAnswersSuite, lostWritesSuite } from '../lost-answers-suite.fake.ts'
import { startProxy } from '../proxy.fake.ts'
import { readersSuite } from '../readers-suite.fake.ts'
import { timesSuite } from '../times-suite.fake.ts'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { redis } from './redis.ts'

const SEALED = { place: '1.0', checksum: '00000000' }
const QUESTION_ENTRY: JournalEntry = { ...SEALED, seq: 0, kind: 'question', value: { id: '1.0', agent: 'user' } }
const DECISION_ENTRY: JournalEntry = { ...SEALED, kind: 'decision', value: { allow: true } }

const program = findProgram('redis-server')

if (program) {
  const server = await startRedis(program)
  let hosts = 0
  const create = () => redis(server.url, { prefix: `host-${hosts++}` })
  afterAll(() => server.close())
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract, recordStoreContract]) {
    suite({ describe, test, expect }, { name: 'redis', create })
  }
  queueSuite('redis', create)
  checkSuite('redis', create)
  timesSuite('redis', create)
  steeringSuite('redis', create)
  lostAnswersSuite(server.url, (url) => redis(url, { prefix: 'lost', onError() {} }))
  lostWritesSuite(server.url, (url) => redis(url, { prefix: 'lost', timeout: 3, onError() {} }))
  readersSuite('redis', server.url, {
    open: (url, onError) => redis(url, { prefix: 'read', onError }),
    countCommands: async () => {
      const client = new Redis(server.url)
      const stats = await client.info('stats')
      client.disconnect()
      return Number(/total_commands_processed:(\d+)/u.exec(stats)![1])
    },
  })
  damagedSuite('redis', async () => {
    const client = new Redis(server.url)
    const of = (kind: string, id: string): string => `{damaged}:${kind}:${id}`
    const set =
      (...fields: readonly string[]) =>
      async (id: string) =>
        await client.hset(of('chat', id), ...fields)
    const ended = ['ended', '1', 'outcome', '{"state":"done","value":1}']
    return {
      at: redis(server.url, { prefix: 'damaged' }),
      tamperings: [
        { title: 'input', change: set('input', '{'), damage: /its input is not JSON/u },
        { title: 'entry', change: (id) => client.lset(of('entries', id), 1, '{'), damage: /entry 1 is not JSON/u },
        { title: 'no entries', change: (id) => client.del(of('entries', id)), damage: /0 entries/u },
        { title: 'last entry', change: (id) => client.rpop(of('entries', id)), damage: /8 entries, and 9 were kept/u },
        { title: 'twice', change: (id) => client.rpush(of('entries', id), '{"seq":1}'), damage: /10 entries/u },
        { title: 'length', change: set('length', '99'), damage: /99 were kept/u },
        { title: 'message', change: (id) => client.rpush(of('messages', id), '{'), damage: /message 0 is not JSON/u },
        { title: 'time', change: (id) => client.hdel(of('chat', id), 'due'), damage: /its `at` is not a number/u },
        { title: 'state', change: set('state', 'over'), damage: /its state is `over`/u },
        { title: 'no outcome', change: set('state', 'done'), damage: /its outcome is not one of that/u },
        { title: 'outcome', change: set(...ended), damage: /its outcome is not one of that/u },
        { title: 'epoch', change: set('epoch', '4611686018427387904'), damage: null },
        { title: 'heard', change: set('heard', '1000'), damage: null },
        {
          title: 'something else',
          async change(id) {
            await client.del(of('chat', id))
            await client.set(of('chat', id), 'x')
          },
          damage: /its key does not hold a hash/u,
        },
      ],
      breakEvents: (id) => client.xadd(of('events', id), '*', 'events', '{'),
      async breakQuestion(id) {
        const [[, n] = []] = Object.entries(await client.hgetall(of('asks', id)))
        await client.hset('{damaged}:question', n!, `${id}\n{`)
      },
      close: async () => client.disconnect(),
    }
  })
  const open = (at: HostBackend) => createHost({ chats: [], at })
  for (const suite of [limiterContract, sharedBudgetContract]) {
    suite({ describe, test, expect }, { name: 'redis', create, open })
  }

  test('a host keeps nothing where the server does not have its database', async () => {
    const errors: unknown[] = []
    const backend = redis(`${server.url}/99`, { prefix: 'elsewhere', onError: (error) => errors.push(error) })
    const chat = { id: 'a', name: 'one', version: '1', input: null, at: 0 }
    await expect(backend.store.submit(chat)).rejects.toThrow('closed')
    expect(errors).toMatchObject([{ message: 'ERR DB index is out of range' }])
    await backend.close()
  })

  test('a chat may begin with more entries and messages than a function has arguments', async () => {
    const { store, close } = create()
    onTestFinished(() => close())
    const entries = Array.from({ length: 26_000 }, (_, seq) => ({
      ...SEALED,
      seq,
      place: `1.${seq}`,
      kind: 'tool' as const,
    }))
    const messages = Array.from({ length: 10_000 }, (_, n) => n)
    await store.submit({ id: 'a', name: 'clerk', version: '1', input: null, entries: entries as never, messages })
    expect([(await store.entries('a')).length, (await store.messages('a')).length]).toEqual([26_000, 10_000])
  })

  test('a chat for later leaves no job in the queue when it is cancelled, whether it has begun or not', async () => {
    const client = new Redis(server.url)
    const { store, queue, close } = redis(server.url, { prefix: 'cancelled' })
    onTestFinished(async () => {
      client.disconnect()
      await close()
    })
    const jobs = async (): Promise<number> => (await client.keys('{cancelled}:clerk@1:*later')).length
    const at = Date.now() + 3_600_000
    const { chat } = await store.submit({ id: 'a', name: 'clerk', version: '1', input: null, at })
    await queue.add(chat)
    await store.submit({ id: 'b', name: 'clerk', version: '1', input: null })
    await queue.add((await store.suspend((await store.claim('b', 60))!, 0, at))!)
    expect(await jobs()).toBe(2)
    await store.cancel('a', 'enough')
    await store.cancel('b', 'enough')
    expect(await jobs()).toBe(0)
  })

  test('a worker is refused by name when a newer package has changed the layout of the keys', async () => {
    const client = new Redis(server.url)
    const { store, events, records, close } = redis(server.url, { prefix: 'later' })
    onTestFinished(async () => {
      client.disconnect()
      await close()
    })
    await store.submit({ id: 'a', name: 'clerk', version: '1', input: null })
    const claim = (await store.claim('a', 600))!
    for (const [layout, advice] of [
      ['2', 'update `@x/host-servers`'],
      ['x', 'restore `{later}:layout` from a copy'],
    ] as const) {
      await client.set('{later}:layout', layout)
      const calls = [
        async () => await store.submit({ id: 'b', name: 'clerk', version: '1', input: null }),
        async () => await store.append(claim, [{ ...QUESTION_ENTRY }]),
        async () => await store.renew([claim], 60),
        async () => await events.append(claim, []),
        async () => await records.change('k', () => ({ value: 1, answer: 1 })),
        async () => await store.get('a'),
        async () => await store.entries('a'),
        async () => await store.messages('a'),
        async () => await store.decisions('a'),
      ]
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: 'unknown-state-version',
          details: { version: Number(layout) || layout, known: [1] },
          message: expect.stringContaining(advice) as string,
        })
      }
    }
    await client.set('{later}:layout', '1')
    expect(await store.append(claim, [QUESTION_ENTRY])).not.toBeNull()
  })

  test('commands from outside count once, also when they are sent again after their answer was lost', async () => {
    const proxy = await startProxy(server.url)
    const { store, close } = redis(proxy.url, { prefix: `lossy-${hosts++}`, onError() {} })
    onTestFinished(async () => await close())
    const submitAndClaim = async (id: string): Promise<ChatClaim> => {
      await store.submit({ id, name: 'clerk', version: '1', input: null })
      return (await store.claim(id, 600))!
    }
    // Loads the scripts, so that the commands below are single calls.
    const warm = await submitAndClaim('warm')
    await store.append(warm, [QUESTION_ENTRY])
    await store.send('warm', 'hello')
    await store.decide('warm', DECISION_ENTRY, 'ann')
    await store.cancel('warm', 'enough')
    const claim = await submitAndClaim('chat')
    await store.append(claim, [QUESTION_ENTRY])
    proxy.lose('good morning')
    expect(await store.send('chat', 'good morning')).toMatchObject({ id: 'chat' })
    proxy.lose('"decision"')
    expect(await store.decide('chat', DECISION_ENTRY, 'ann')).toMatchObject({ id: 'chat' })
    expect(await store.decide('chat', DECISION_ENTRY, 'ann')).toBe('known')
    await store.release(claim)
    expect(await store.claim('chat', 600)).toMatchObject({ messages: ['good morning'], heard: 2 })
    proxy.lose('no more of it')
    expect(await store.cancel('chat', 'no more of it')).toMatchObject({ state: 'cancelled' })
    expect(await store.cancel('chat', 'no more of it')).toBe('ended')
    expect(proxy.lost).toBe(3)
  })
} else skipWithout('redis')
