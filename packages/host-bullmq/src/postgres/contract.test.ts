import { createHost } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import {
  chatQueueContract,
  chatStoreContract,
  eventLogContract,
  limiterContract,
  recordStoreContract,
  sharedBudgetContract,
} from '@x/testing/hosting'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { queueSuite } from '../queue-suite.fake.ts'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { PostgresClient } from './postgres-client.ts'
import { postgres } from './postgres.ts'

const programs = findPostgres()

if (programs) {
  const server = await startPostgres(programs)
  let hosts = 0
  const create = () => postgres(server.url, { schema: `host_${hosts++}` })
  afterAll(() => server.close())
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract, recordStoreContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create })
  }
  queueSuite('postgres', create)
  const open = (at: HostBackend) => createHost({ chats: [], at })
  for (const suite of [limiterContract, sharedBudgetContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create, open })
  }

  test('a connection to listen that could not be made is not made later, when nobody would end it', async () => {
    const own = await startPostgres(programs)
    const client = new PostgresClient({ url: own.url, schema: 'chats', connections: 1, onError() {} })
    onTestFinished(async () => {
      vi.useRealTimers()
      await client.close()
      await own.close()
    })
    await client.rows('SELECT 1')
    await own.kill()
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    await expect(client.listen('changes', () => {})).rejects.toThrow('ECONNREFUSED')
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve))
    expect(vi.getTimerCount()).toBe(0)
    await own.start()
  })
} else skipWithout('postgres')
