import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'
import { DEFAULT_TIMEOUT_S } from '../pending-calls.ts'
import { newToken } from '../platform.ts'
import { checkCache, DEFAULT_TTL_S, SHARED_CACHE_KINDS, type SharedCacheOptions } from '../shared-cache.ts'
import { readJson } from '../stored-text.ts'
import { POSTGRES_URL, PostgresClient, Sockets } from './postgres-client.ts'
import { checkSchema } from './schema.ts'

/** Options of {@link createPostgresCache}. */
export interface PostgresCacheOptions extends SharedCacheOptions {
  /** The server and database, such as `postgres://localhost/app`. */
  readonly url: string
  /** Schema of the tables; created if it does not exist. Lower-case letters, digits and `_`; default `answers`. */
  readonly schema?: string | undefined
  /** Most connections; default 3. */
  readonly connections?: number | undefined
}

const POSTGRES_CACHE_KINDS: OptionKinds<PostgresCacheOptions> = {
  ...SHARED_CACHE_KINDS,
  schema: kind.text,
  connections: kind.whole(1),
}

const CACHE_URL = { ...POSTGRES_URL, example: 'postgres://localhost/app' }

/** Number of writes after which expired rows are deleted. */
const WRITES_PER_SWEEP = 100
/** Most rows that are deleted at once. */
const MAX_SWEPT_ROWS = 1000

const CACHE_TABLES_SQL = `
  CREATE TABLE IF NOT EXISTS answers (
    namespace text NOT NULL, key text COLLATE "C" NOT NULL, answer text NOT NULL, until timestamptz NOT NULL,
    PRIMARY KEY (namespace, key)
  );
  CREATE INDEX IF NOT EXISTS answers_by_end ON answers (until);
  CREATE TABLE IF NOT EXISTS claims (
    namespace text NOT NULL, key text COLLATE "C" NOT NULL, token text NOT NULL, until timestamptz NOT NULL,
    PRIMARY KEY (namespace, key)
  )`

const GET_ANSWER_SQL = 'SELECT answer FROM answers WHERE namespace = $1 AND key = $2 AND until > clock_timestamp()'
const SET_ANSWER_SQL = `INSERT INTO answers VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
  ON CONFLICT (namespace, key) DO UPDATE SET answer = excluded.answer, until = excluded.until`
const SWEEP_ANSWERS_SQL = `DELETE FROM answers WHERE (namespace, key) IN
  (SELECT namespace, key FROM answers WHERE until <= clock_timestamp() LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`
const SWEEP_CLAIMS_SQL = `DELETE FROM claims WHERE (namespace, key) IN
  (SELECT namespace, key FROM claims WHERE until <= clock_timestamp() LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`
const CLAIM_SQL = `INSERT INTO claims VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
  ON CONFLICT (namespace, key) DO UPDATE SET token = excluded.token, until = excluded.until
  WHERE claims.until <= clock_timestamp() RETURNING 1`
const RENEW_CLAIM_SQL = `UPDATE claims SET until = clock_timestamp() + $4 * interval '1 second'
  WHERE namespace = $1 AND key = $2 AND token = $3 AND until > clock_timestamp() RETURNING 1`
const RELEASE_CLAIM_SQL = 'DELETE FROM claims WHERE namespace = $1 AND key = $2 AND token = $3'

/** Stands for an infinite `ttl`: a hundred years. */
const MAX_TTL_S = 3_155_760_000

/**
 * Makes a cache of model answers on Postgres that many processes share: of the processes that miss the same answer, one calls
 * the model. It needs `pg`. Its methods return promises, so `createSync` cannot use it.
 */
export function createPostgresCache(options: PostgresCacheOptions): CacheStore {
  checkCache('createPostgresCache', options, POSTGRES_CACHE_KINDS, CACHE_URL)
  const { url, namespace, ttl = DEFAULT_TTL_S, name = namespace, schema = 'answers', connections = 3 } = options
  const { onError = () => {} } = options
  checkSchema(schema, 'run `createPostgresCache`')
  const server = { url, schema, connections, timeout: DEFAULT_TIMEOUT_S, sockets: new Sockets(), onError }
  const client = new PostgresClient(server, CACHE_TABLES_SQL)
  const ttlSeconds = Math.min(ttl, MAX_TTL_S)
  let isClosed = false
  let writes = 0
  const rows = async (sql: string, ...values: readonly unknown[]) => {
    if (isClosed) throw new Error(`cannot use the cache \`${name}\`: it was closed`)
    return await client.rows(sql, ...values)
  }
  return {
    name,
    async get(key) {
      const [row] = await rows(GET_ANSWER_SQL, namespace, key)
      return row && (readJson(row['answer']) as StoredAnswer)
    },
    async set(key, value) {
      await rows(SET_ANSWER_SQL, namespace, key, JSON.stringify(value), ttlSeconds)
      if (++writes % WRITES_PER_SWEEP !== 0) return
      await rows(SWEEP_ANSWERS_SQL)
      await rows(SWEEP_CLAIMS_SQL)
    },
    async claim(key, lease) {
      const token = newToken()
      if ((await rows(CLAIM_SQL, namespace, key, token, lease)).length === 0) return null
      return {
        async renew(seconds) {
          return (await rows(RENEW_CLAIM_SQL, namespace, key, token, seconds)).length > 0
        },
        async release() {
          await client.rows(RELEASE_CLAIM_SQL, namespace, key, token)
        },
      } satisfies CacheClaim
    },
    async close() {
      if (isClosed) return
      isClosed = true
      await client.close()
    },
  }
}
