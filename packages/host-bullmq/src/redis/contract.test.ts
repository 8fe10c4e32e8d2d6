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
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { queueSuite } from '../queue-suite.fake.ts'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { startLossyProxy } from './lossy-proxy.fake.ts'
import { redis } from './redis.ts'

const SEALED = { place: '1.0', checksum: '00000000' }
const questionEntry: JournalEntry = { ...SEALED, seq: 0, kind: 'question', value: { id: '1.0', agent: 'user' } }
const decisionEntry: JournalEntry = { ...SEALED, kind: 'decision', value: { allow: true } }

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
  const open = (at: HostBackend) => createHost({ chats: [], at })
  for (const suite of [limiterContract, sharedBudgetContract]) {
    suite({ describe, test, expect }, { name: 'redis', create, open })
  }

  test('what comes from outside counts once, also when the answer of the server is lost and it is sent again', async () => {
    const proxy = await startLossyProxy(server.url)
    const { store, close } = redis(proxy.url, { prefix: `lossy-${hosts++}`, onError() {} })
    onTestFinished(async () => await close())
    const submitted = async (id: string): Promise<ChatClaim> => {
      await store.submit({ id, name: 'clerk', version: '1', input: null })
      return (await store.claim(id, 600))!
    }
    // The scripts are there: it is their answers that are lost.
    const warm = await submitted('warm')
    await store.append(warm, [questionEntry])
    await store.send('warm', 'hello')
    await store.decide('warm', decisionEntry, 'ann')
    await store.cancel('warm', 'enough')
    const claim = await submitted('chat')
    await store.append(claim, [questionEntry])
    proxy.lose('good morning')
    expect(await store.send('chat', 'good morning')).toMatchObject({ id: 'chat' })
    proxy.lose('"decision"')
    expect(await store.decide('chat', decisionEntry, 'ann')).toMatchObject({ id: 'chat' })
    expect(await store.decide('chat', decisionEntry, 'ann')).toBe('known')
    await store.release(claim)
    expect(await store.claim('chat', 600)).toMatchObject({ messages: ['good morning'], heard: 2 })
    proxy.lose('no more of it')
    expect(await store.cancel('chat', 'no more of it')).toMatchObject({ state: 'cancelled' })
    expect(await store.cancel('chat', 'no more of it')).toBe('ended')
    expect(proxy.lost).toBe(3)
  })
} else skipWithout('redis')
