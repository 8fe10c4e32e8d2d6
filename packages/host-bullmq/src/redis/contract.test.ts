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
import { afterAll, describe, expect, test } from 'vitest'
import { queueSuite } from '../queue-suite.fake.ts'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { redis } from './redis.ts'

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
} else skipWithout('redis')
