import { chatQueueContract, chatStoreContract, eventLogContract } from '@x/testing/hosting'
import { afterAll, describe, expect, test } from 'vitest'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { postgres } from './postgres.ts'

const programs = findPostgres()

if (programs) {
  const server = await startPostgres(programs)
  let hosts = 0
  const create = () => postgres(server.url, { schema: `host_${hosts++}` })
  afterAll(() => server.close())
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create })
  }
} else skipWithout('postgres')
