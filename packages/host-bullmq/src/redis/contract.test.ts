import { chatQueueContract, chatStoreContract, eventLogContract } from '@x/testing/hosting'
import { afterAll, describe, expect, test } from 'vitest'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { redis } from './redis.ts'

const program = findProgram('redis-server')

if (program) {
  const server = await startRedis(program)
  let hosts = 0
  const create = () => redis(server.url, { prefix: `host-${hosts++}` })
  afterAll(() => server.close())
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract]) {
    suite({ describe, test, expect }, { name: 'redis', create })
  }
} else skipWithout('redis')
