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
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
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
} else skipWithout('postgres')
