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
import { checkSuite } from '../check-suite.fake.ts'
import { steeringSuite } from '../steering-suite.fake.ts'
import { damagedSuite } from '../damaged-suite.fake.ts'
import { queueSuite } from '../queue-suite.fake.ts'
import { lostAnswersSuite, lostWritesSuite } from '../lost-answers-suite.fake.ts'
import { readersSuite } from '../readers-suite.fake.ts'
import { timesSuite } from '../times-suite.fake.ts'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { PostgresClient, Sockets } from './postgres-client.ts'
import { postgres } from './postgres.ts'
import { MIGRATIONS_SQL } from './schema.ts'

const programs = findPostgres()

const ENTRIES = ['first', 'second'].map((value, seq) => ({ seq, place: `1.${seq}`, kind: 'tool' as const, value }))

/** A worker of an older version, with the prepared statements of the first one: later versions added columns that it does not write. */
async function startOldWorker(url: string, schema: string, version: number) {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  await client.query(`CREATE SCHEMA ${schema}; CREATE TABLE versions (version integer PRIMARY KEY)`)
  for (const [index, migration] of MIGRATIONS_SQL.slice(0, version).entries()) {
    await client.query(migration)
    await client.query('INSERT INTO versions VALUES ($1)', [index + 1])
  }
  const change = async (name: string, text: string, ...values: unknown[]) =>
    await client.query<Record<string, unknown>>({ name, text, values })
  const held = "id = $1 AND epoch = $2 AND state = 'running'"
  const columns = 'id, name, version, input, state, epoch, turn, heard, length, submitted, due, ended, outcome'
  return {
    async submit(id: string) {
      const insert = `INSERT INTO chats (id, name, version, input, submitted, due, queued, heard)
        VALUES ($1, 'clerk', '1', '{"n":1}', 5, 0, 5, 1) RETURNING ${columns}`
      await change('submit', insert, id)
      await change('send', 'INSERT INTO messages (chat, json) VALUES ($1, \'"hello"\')', id)
    },
    async claim(id: string): Promise<number> {
      const claim = `UPDATE chats SET state = 'running', epoch = nextval('epochs'), lease = 10, leased = 5
        WHERE id = $1 RETURNING ${columns}`
      return Number((await change('claim', claim, id)).rows[0]!['epoch'])
    },
    async append(id: string, epoch: number, entry: (typeof ENTRIES)[number]): Promise<boolean> {
      const grow = `UPDATE chats SET length = length + 1 WHERE ${held} AND length = $3 RETURNING id`
      if ((await change('grow', grow, id, epoch, entry.seq)).rowCount === 0) return false
      const identity = JSON.stringify([entry.place, entry.kind])
      const keep = 'INSERT INTO entries (chat, identity, place, kind, json, at) VALUES ($1, $2, $3, $4, $5, 7)'
      await change('keep', keep, id, identity, JSON.stringify(entry.place), entry.kind, JSON.stringify(entry))
      return true
    },
    async finish(id: string, epoch: number): Promise<number | null> {
      const finish = `UPDATE chats SET state = 'done', ended = 9, outcome = '{"state":"done","value":"fine"}' WHERE ${held}`
      return (await change('finish', finish, id, epoch)).rowCount
    },
    versions: async () => (await client.query('SELECT version FROM versions ORDER BY version')).rows,
    close: async () => await client.end(),
  }
}

if (programs) {
  const server = await startPostgres(programs)
  let hosts = 0
  const create = () => postgres(server.url, { schema: `host_${hosts++}` })
  afterAll(() => server.close())
  for (const suite of [chatStoreContract, chatQueueContract, eventLogContract, recordStoreContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create })
  }
  queueSuite('postgres', create)
  checkSuite('postgres', create)
  timesSuite('postgres', create)
  steeringSuite('postgres', create)
  lostAnswersSuite(server.url, (url) => postgres(url, { schema: 'lost', onError() {} }))
  lostWritesSuite(server.url, (url) => postgres(url, { schema: 'lost', timeout: 3, onError() {} }))
  // Counts what is sent, as the server counts its statements later.
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  readersSuite('postgres', server.url, {
    open: (url, onError) => postgres(url, { schema: 'read', onError }),
    countCommands: () => queries.mock.calls.length,
  })
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
  test('a chat that is added notifies a worker, which passes the notice on when it has no free slot', async () => {
    // Without their intervals, workers are notified or get nothing.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const stop = new AbortController()
    const kinds = [{ name: 'short', version: '1' }]
    const backends = [0, 1, 2].map(() => postgres(server.url, { schema: 'noticed' }))
    const [{ store, queue }, full, free] = backends as [HostBackend, HostBackend, HostBackend]
    const common = { kinds, concurrency: 1, lease: 60, signal: stop.signal, onError() {} }
    const submit = async (id: string) => await queue.add((await store.submit({ id, ...kinds[0]!, input: null })).chat)
    const ran: string[] = []
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await submit('long')
    const works = [
      full.queue.work({ ...common, run: async () => (begun.resolve(), await end.promise) }),
      begun.promise.then(() => free.queue.work({ ...common, run: async (id) => void ran.push(id) })),
    ]
    onTestFinished(async () => {
      vi.useRealTimers()
      end.resolve()
      stop.abort()
      await Promise.all(works)
      await Promise.all(backends.map(async (each) => await each.close()))
    })
    await begun.promise
    await submit('first')
    await vi.waitUntil(() => ran.includes('first'), { timeout: 30_000 })
    const ids = Array.from({ length: 8 }, (_, n) => `short-${n}`)
    for (const id of ids) await submit(id)
    await vi.waitUntil(() => ran.length === 1 + ids.length, { timeout: 30_000 })
    expect(ran.toSorted()).toEqual(['first', ...ids])
  })

  const open = (at: HostBackend) => createHost({ chats: [], at })
  for (const suite of [limiterContract, sharedBudgetContract]) {
    suite({ describe, test, expect }, { name: 'postgres', create, open })
  }

  test.each(MIGRATIONS_SQL.map((_, version) => version).slice(1))(
    'tables of version %i are migrated while an old worker writes, and lose nothing',
    async (version) => {
      const schema = `old_${version}`
      const old = await startOldWorker(server.url, schema, version)
      for (const id of ['lost', 'ends', 'waits']) await old.submit(id)
      const [lost, ends] = [await old.claim('lost'), await old.claim('ends')]
      await old.append('lost', lost, ENTRIES[0]!)
      // Two processes of the new version start at once, and the old worker writes meanwhile.
      const [{ store, close }, other] = [postgres(server.url, { schema }), postgres(server.url, { schema })]
      onTestFinished(async () => {
        await Promise.all([close(), other.close()])
        await old.close()
      })
      const writeMeanwhile = async (): Promise<void> => {
        expect(await old.append('lost', lost, ENTRIES[1]!)).toBe(true)
        expect(await old.finish('ends', ends)).toBe(1)
        await old.submit('meanwhile')
      }
      await Promise.all([store.get('waits'), other.store.get('waits'), writeMeanwhile()])
      await old.submit('later')
      expect(await store.get('ends')).toMatchObject({ outcome: { state: 'done', value: 'fine' }, damage: null })
      const whole = { input: { n: 1 }, messages: ['hello'], retry: null, damage: null }
      for (const id of ['waits', 'meanwhile', 'later'])
        expect(await store.claim(id, 600)).toMatchObject({ ...whole, entries: [] })
      const taken = (await other.store.claim('lost', 600))!
      expect(taken).toMatchObject({ ...whole, entries: ENTRIES, takenOver: true, setbacks: 1 })
      expect(await old.append('lost', lost, { ...ENTRIES[1]!, seq: 2, place: '1.2' })).toBe(false)
      // What the newer versions have added.
      await store.send('later', 'again', 'key')
      expect(await store.putOff(taken, 'down', { kind: 'server', delay: 60 })).toMatchObject({ retry: { failures: 1 } })
      expect(await old.versions()).toEqual(MIGRATIONS_SQL.map((_, index) => ({ version: index + 1 })))
    },
  )

  test('the schema, and not the URL or the defaults of the database, says where tables are and what a statement sees', async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('CREATE DATABASE strict')
    await client.query("ALTER DATABASE strict SET default_transaction_isolation = 'serializable'")
    const url = server.url.replace(/postgres$/u, 'strict?options=-c%20search_path%3Dpublic%20-c%20lock_timeout%3D9000')
    const backends = ['one', 'one', 'other'].map((schema) => postgres(url, { schema }))
    onTestFinished(async () => {
      await Promise.all([client.end(), ...backends.map(async (each) => await each.close())])
    })
    const chat = { id: 'a', name: 'clerk', version: '1', input: null }
    // Both make the tables at once.
    const submitted = await Promise.all(backends.map(async ({ store }) => (await store.submit(chat)).isNew))
    expect(submitted.filter(Boolean)).toHaveLength(2)
    const sends = Array.from({ length: 20 }, async (_, n) => await backends[n % 2]!.store.send('a', n))
    await Promise.all(sends)
    expect(await backends[0]!.store.messages('a')).toHaveLength(20)
    expect(await backends[2]!.store.messages('a')).toEqual([])
  })

  test('a user needs no right to change the database, nor tables that are up to date', async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('CREATE ROLE owner LOGIN; CREATE ROLE clerk LOGIN; CREATE SCHEMA owned AUTHORIZATION owner')
    const open = (user: string) => postgres(server.url.replace('test@', `${user}@`), { schema: 'owned' })
    const [owner, clerk] = [open('owner'), open('clerk')]
    onTestFinished(async () => {
      await Promise.all([client.end(), owner.close(), clerk.close()])
    })
    await owner.store.submit({ id: 'a', name: 'clerk', version: '1', input: null })
    await client.query('GRANT USAGE ON SCHEMA owned TO clerk; GRANT ALL ON ALL TABLES IN SCHEMA owned TO clerk')
    await client.query('GRANT ALL ON ALL SEQUENCES IN SCHEMA owned TO clerk')
    expect(await clerk.store.claim('a', 60)).toMatchObject({ id: 'a', damage: null })
  })

  test('tables of a later version are refused, and left as they are', async () => {
    const next = MIGRATIONS_SQL.length + 1
    const later = await startOldWorker(server.url, 'next', MIGRATIONS_SQL.length)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('INSERT INTO next.versions VALUES ($1)', [next])
    const { store, close } = postgres(server.url, { schema: 'next' })
    onTestFinished(async () => {
      await Promise.all([client.end(), later.close(), close()])
    })
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'unknown-state-version',
      details: { version: next, known: [MIGRATIONS_SQL.length] },
      message: expect.stringContaining('update `@x/host-servers`') as string,
    })
    expect(await later.versions()).toHaveLength(next)
  })

  test('a subscription that cannot be made leaves nothing behind', async () => {
    const own = await startPostgres(programs)
    const client = new PostgresClient({
      ...{ url: own.url, schema: 'chats', connections: 1, timeout: 10, sockets: new Sockets(), onError() {} },
    })
    onTestFinished(async () => {
      vi.useRealTimers()
      await client.close()
      await own.close()
    })
    await client.rows('SELECT 1')
    await own.kill()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const calls = { notify() {}, onLost() {} }
    await expect(client.subscribe('changes', calls)).rejects.toThrow('ECONNREFUSED')
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve))
    expect(vi.getTimerCount()).toBe(0)
    await own.start()
  })
} else skipWithout('postgres')
