import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import type { OptionKinds } from '@x/kernel/options'
import { kind } from '@x/kernel/options'
import { newToken } from '../platform.ts'
import { CACHE_KINDS, checkCache, WEEK, type SharedCacheOptions } from '../shared-cache.ts'
import { readJson } from '../stored-json.ts'
import { PostgresClient } from './postgres-client.ts'
import { checkSchema } from './schema.ts'

/** Options of {@link createPostgresCache}. */
export interface PostgresCacheOptions extends SharedCacheOptions {
  /** The server and database, such as `postgres://localhost/app`. */
  readonly url: string
  /** Schema of the tables, which are made there. Small letters, digits and `_`; default `answers`. */
  readonly schema?: string | undefined
  /** Most connections; default 3. */
  readonly connections?: number | undefined
}

const KINDS: OptionKinds<PostgresCacheOptions> = { ...CACHE_KINDS, schema: kind.text, connections: kind.whole(1) }

const SERVER = { protocol: /^postgres(?:ql)?:\/\//u, example: 'postgres://localhost/app' }

/** Writes after which what has expired is deleted, at most so many answers at once. */
const SWEEP_EVERY = 100
const SWEEP_MOST = 1000

const TABLES = `
  CREATE TABLE IF NOT EXISTS answers (
    namespace text NOT NULL, key text COLLATE "C" NOT NULL, answer text NOT NULL, until timestamptz NOT NULL,
    PRIMARY KEY (namespace, key)
  );
  CREATE INDEX IF NOT EXISTS answers_by_end ON answers (until);
  CREATE TABLE IF NOT EXISTS claims (
    namespace text NOT NULL, key text COLLATE "C" NOT NULL, token text NOT NULL, until timestamptz NOT NULL,
    PRIMARY KEY (namespace, key)
  )`

const GET = 'SELECT answer FROM answers WHERE namespace = $1 AND key = $2 AND until > clock_timestamp()'
const SET = `INSERT INTO answers VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
  ON CONFLICT (namespace, key) DO UPDATE SET answer = excluded.answer, until = excluded.until`
const SWEEP = `DELETE FROM answers WHERE (namespace, key) IN
  (SELECT namespace, key FROM answers WHERE until <= clock_timestamp() LIMIT ${SWEEP_MOST} FOR UPDATE SKIP LOCKED)`
const SWEEP_CLAIMS = `DELETE FROM claims WHERE (namespace, key) IN
  (SELECT namespace, key FROM claims WHERE until <= clock_timestamp() LIMIT ${SWEEP_MOST} FOR UPDATE SKIP LOCKED)`
const CLAIM = `INSERT INTO claims VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
  ON CONFLICT (namespace, key) DO UPDATE SET token = excluded.token, until = excluded.until
  WHERE claims.until <= clock_timestamp() RETURNING 1`
const RENEW = `UPDATE claims SET until = clock_timestamp() + $4 * interval '1 second'
  WHERE namespace = $1 AND key = $2 AND token = $3 AND until > clock_timestamp() RETURNING 1`
const RELEASE = 'DELETE FROM claims WHERE namespace = $1 AND key = $2 AND token = $3'

/** Seconds that stand for no end: a hundred years. */
const ENDLESS = 3_155_760_000

/**
 * Makes a cache of model answers on Postgres that many processes share: of those that miss the same answer, one asks for it.
 * It needs `pg`. Its methods return promises, so `createSync` cannot use it.
 */
export function createPostgresCache(options: PostgresCacheOptions): CacheStore {
  checkCache('createPostgresCache', options, KINDS, SERVER)
  const { url, namespace, ttl = WEEK, name = namespace, schema = 'answers', connections = 3 } = options
  const { onError = () => {} } = options
  checkSchema(schema, 'run `createPostgresCache`')
  const client = new PostgresClient({ url, schema, connections, onError }, TABLES)
  const seconds = Math.min(ttl, ENDLESS)
  let closed = false
  let writes = 0
  const rows = async (sql: string, ...values: readonly unknown[]) => {
    if (closed) throw new Error(`the cache \`${name}\` is closed`)
    return await client.rows(sql, ...values)
  }
  return {
    name,
    async get(key) {
      const [row] = await rows(GET, namespace, key)
      return row && (readJson(row['answer']) as StoredAnswer)
    },
    async set(key, value) {
      await rows(SET, namespace, key, JSON.stringify(value), seconds)
      if (++writes % SWEEP_EVERY !== 0) return
      await rows(SWEEP)
      await rows(SWEEP_CLAIMS)
    },
    async claim(key, lease) {
      const token = newToken()
      if ((await rows(CLAIM, namespace, key, token, lease)).length === 0) return null
      return {
        async renew(longer) {
          return (await rows(RENEW, namespace, key, token, longer)).length > 0
        },
        async release() {
          await client.rows(RELEASE, namespace, key, token)
        },
      } satisfies CacheClaim
    },
    async close() {
      if (closed) return
      closed = true
      await client.close()
    },
  }
}
