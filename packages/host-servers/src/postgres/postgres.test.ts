import { expect, it } from 'vitest'
import { PostgresStore } from './postgres-store.ts'
import { createPostgresCache } from './postgres-cache.ts'
import { splitOptions } from './postgres-client.ts'
import { postgres } from './postgres.ts'

const ROW = { id: 'a', name: 'clerk', version: '1', input: '"new"', state: 'waiting', ended: null, outcome: null }

it('submits a chat while another process deletes an old chat with the same identifier', async () => {
  const sent: string[] = []
  // The insert finds a chat, the read finds none, and the next insert adds one.
  const answers = [[], [], [ROW]]
  const client = {
    async rows(sql: string) {
      sent.push(/INSERT|SELECT/u.exec(sql)![0])
      return answers.shift()!
    },
  }
  const store = new PostgresStore(client as never, null as never, { notify() {} } as never)
  const { chat, isNew } = await store.submit({ id: 'a', name: 'clerk', version: '1', input: 'new' })
  expect([chat.input, isNew, sent]).toEqual(['new', true, ['INSERT', 'SELECT', 'INSERT']])
})

it('replaces in a reason what Postgres refuses, so that a chat can be put off and resumed', async () => {
  const reasons: unknown[] = []
  const client = {
    async rows(_: string, ...values: readonly unknown[]) {
      reasons.push(values.filter((value) => /gateway/u.test(String(value))))
      return []
    },
  }
  const store = new PostgresStore(client as never, null as never, { notify() {} } as never)
  const reason = 'bad\0gateway \ud83d'
  await store.putOff({ id: 'a', epoch: 1 }, reason)
  await store.putOff({ id: 'a', epoch: 1 }, reason, { kind: 'server', delay: 1 })
  await store.resume('a', reason)
  const mended = ['bad\ufffdgateway \ufffd']
  expect(reasons).toEqual([mended, mended, mended])
})

it.each(['postgres://me:a,b@one:5432,two:5433/chats', 'postgresql://one,two/chats', 'postgres:///chats?host=one,two'])(
  'refuses several hosts at once: %s',
  (url) => expect(() => postgres(url)).toThrow('its URL names several hosts'),
)

it.each([
  ['postgres://one/chats', 'postgres://one/chats', ''],
  ['postgres://one/chats?sslmode=require&a=1', 'postgres://one/chats?sslmode=require&a=1', ''],
  ['postgres://one/chats?options=endpoint%3Da', 'postgres://one/chats?', 'endpoint=a'],
  ['postgres://one/chats?a=1&options=-c%20x%3D1&options=-c+y%3D2', 'postgres://one/chats?a=1', '-c x=1 -c y=2'],
])('keeps the schema beside the `options` of a URL: %s', (url, rest, given) =>
  expect(splitOptions(url)).toEqual({ rest, given }),
)

it.each([
  'postgres://me:s3cret#1@one/chats',
  'postgresql://me:s3cret/1@one/chats',
  'postgres://me:s3cret@one:port/chats',
])('refuses a URL that cannot be read at once, and does not tell its password: %s', (url) => {
  for (const open of [() => postgres(url), () => createPostgresCache({ url, namespace: 'a' })]) {
    expect(open).toThrow('`%23` for `#`')
    expect(open).not.toThrow('s3cret')
  }
})

it.each([
  'postgres:///chats',
  'postgres://me@/chats?host=/run',
  'postgres://%2Frun/chats',
  'postgres://me:%zz@[::1]/chats',
])('takes the URL %s', async (url) => await postgres(url).close())

it.each(['pg_chats', 'pg_', '1a', 'Chats', '', 'a'.repeat(42)])(
  'refuses a schema that no server makes: %s',
  (schema) => {
    const url = 'postgres://one/chats'
    for (const open of [() => postgres(url, { schema }), () => createPostgresCache({ url, schema, namespace: 'a' })])
      expect(open).toThrow('`schema` takes 1 to 41 lower-case letters')
  },
)

it('takes a password with a comma', async () => await postgres('postgres://me:a,b@one:5432/chats').close())

it('makes no connection after its end', async () => {
  const { store, close } = postgres('postgres://localhost:1/chats')
  await close()
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'invalid-state',
    message: 'the connections to Postgres were closed by this program',
  })
})
