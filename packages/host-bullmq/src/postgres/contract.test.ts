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
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { damagedSuite } from '../damaged-suite.fake.ts'
import { queueSuite } from '../queue-suite.fake.ts'
import { lostAnswersSuite } from '../lost-answers-suite.fake.ts'
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
  lostAnswersSuite(server.url, (url) => postgres(url, { schema: 'lost', onError() {} }))
  damagedSuite('postgres', async () => {
    const client = new pg.Client({ connectionString: server.url, options: '-c search_path=damaged' })
    await client.connect()
    const sql = (text: string) => async (id: string) => await client.query(text, [id])
    const set = (change: string) => sql(`UPDATE chats SET ${change} WHERE id = $1`)
    const entry = 'chat = $1 AND json LIKE \'%"seq":1,%\''
    return {
      at: postgres(server.url, { schema: 'damaged' }),
      tamperings: [
        { title: 'input', change: set("input = '{'"), damage: /its input is not JSON/u },
        { title: 'entry', change: sql(`UPDATE entries SET json = '{' WHERE ${entry}`), damage: /entry 1 is not JSON/u },
        { title: 'no entries', change: sql('DELETE FROM entries WHERE chat = $1'), damage: /0 entries/u },
        { title: 'one less', change: sql(`DELETE FROM entries WHERE ${entry}`), damage: /7 entries, and 8 were kept/u },
        { title: 'length', change: set('length = 99'), damage: /99 were kept/u },
        {
          title: 'message',
          change: sql("INSERT INTO messages (chat, json) VALUES ($1, '{')"),
          damage: /message 0 is not JSON/u,
        },
        { title: 'state', change: set("state = 'over'"), damage: /its state is `over`/u },
        { title: 'no outcome', change: set("state = 'done'"), damage: /its outcome is not one of that/u },
        {
          title: 'outcome',
          change: set(`ended = 1, outcome = '{"state":"done","value":1}'`),
          damage: /its outcome is not one of that/u,
        },
        { title: 'epoch', change: set('epoch = 4611686018427387904'), damage: null },
        { title: 'heard', change: set('heard = 1000'), damage: null },
      ],
      breakEvents: sql("UPDATE events SET json = '{' WHERE chat = $1"),
      breakQuestion: sql("UPDATE entries SET json = '{' WHERE chat = $1 AND kind = 'question'"),
      close: () => client.end(),
    }
  })
  const open = (at: HostBackend) => createHost({ chats: [], at })
  for (const suite of [limiterContract, sharedBudgetContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create, open })
  }

  test('a listening connection that fails is not retried, because nobody could end it', async () => {
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
