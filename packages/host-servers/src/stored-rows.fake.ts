import { Redis } from 'ioredis'
import pg from 'pg'
import { MIGRATIONS_SQL } from './postgres/schema.ts'

/** A key of Redis: its type and value. */
type StoredKey = readonly [type: string, value: unknown]

/** Kinds of keys that belong to the store; all others are of BullMQ, whose queue is filled again from the store. */
const STORE_KEYS =
  /^(?:all|chat|decisions|due|ended|entries|epoch|events|identities|kind|kinds|messages|asks|question|questions|question-count|record|sent|state)(?::|$)/u

/** Reads the keys of a host under the default prefix. */
export async function readRedis(url: string): Promise<Record<string, StoredKey>> {
  const client = new Redis(url)
  const keys: Record<string, StoredKey> = {}
  for (const key of (await client.keys('{chats}:*')).toSorted()) {
    if (!STORE_KEYS.test(key.slice('{chats}:'.length))) continue
    const type = await client.type(key)
    const read: Record<string, () => Promise<unknown>> = {
      string: () => client.get(key),
      hash: () => client.hgetall(key),
      list: () => client.lrange(key, 0, -1),
      set: () => client.smembers(key),
      zset: () => client.zrange(key, 0, '-1', 'WITHSCORES'),
      stream: () => client.xrange(key, '-', '+'),
    }
    keys[key] = [type, await read[type]!()]
  }
  client.disconnect()
  return keys
}

/** Puts keys in place of all that a server has. */
export async function writeRedis(url: string, keys: Readonly<Record<string, StoredKey>>): Promise<void> {
  const client = new Redis(url)
  await client.flushall()
  for (const [key, [type, value]] of Object.entries(keys)) {
    const list = value as string[]
    const write: Record<string, () => Promise<unknown>> = {
      string: () => client.set(key, value as string),
      hash: () => client.hset(key, value as object),
      list: () => client.rpush(key, ...list),
      set: () => client.sadd(key, ...list),
      zset: () => client.zadd(key, ...pairsOf(list)),
      async stream() {
        for (const [id, fields] of value as [string, string[]][]) await client.xadd(key, id, ...fields)
      },
    }
    await write[type]!()
  }
  client.disconnect()
}

/** Members with their scores, each score first, as `ZADD` takes them. */
const pairsOf = (list: readonly string[]): string[] =>
  list.flatMap((member, index) => (index % 2 === 0 ? [list[index + 1]!, member] : []))

const TABLES = ['chats', 'entries', 'messages', 'events', 'records']
const SEQUENCES = ['epochs', 'record_versions', 'entries_n_seq', 'messages_n_seq']

/** The rows of a host in the default schema, and the last values of its sequences. */
interface StoredRows {
  readonly version: number
  readonly tables: Readonly<Record<string, readonly object[]>>
  readonly sequences: Readonly<Record<string, number>>
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=chats' })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export const readPostgres = (url: string): Promise<StoredRows> =>
  withClient(url, async (client) => {
    const one = async (sql: string): Promise<unknown> => (await client.query<{ value: unknown }>(sql)).rows[0]!.value
    const tables: Record<string, readonly object[]> = {}
    const sequences: Record<string, number> = {}
    for (const table of TABLES) {
      tables[table] = (await one(
        `SELECT coalesce(json_agg(t), '[]') AS value FROM (SELECT * FROM ${table} ORDER BY 1, 2) t`,
      )) as object[]
    }
    for (const name of SEQUENCES) sequences[name] = Number(await one(`SELECT last_value AS value FROM ${name}`))
    return { version: Number(await one('SELECT max(version) AS value FROM versions')), tables, sequences }
  })

/** Makes the tables of a version anew, with these rows. */
export const writePostgres = (url: string, { version, tables, sequences }: StoredRows): Promise<void> =>
  withClient(url, async (client) => {
    await client.query('DROP SCHEMA IF EXISTS chats CASCADE; CREATE SCHEMA chats')
    await client.query('CREATE TABLE versions (version integer PRIMARY KEY)')
    for (let index = 0; index < version; index++) {
      const migration = MIGRATIONS_SQL[index]
      if (migration) await client.query(migration)
      await client.query('INSERT INTO versions VALUES ($1)', [index + 1])
    }
    for (const [table, rows] of Object.entries(tables)) {
      const insert = `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(null::${table}, $1)`
      await client.query(insert, [JSON.stringify(rows)])
    }
    for (const [name, value] of Object.entries(sequences)) await client.query('SELECT setval($1, $2)', [name, value])
  })
