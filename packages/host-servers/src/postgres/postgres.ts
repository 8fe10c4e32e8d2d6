import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { warnThat } from '@x/kernel/hosting'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { Listeners } from '../listeners.ts'
import { CONNECTION_WARNING, DEFAULT_TIMEOUT_S, TIMEOUT_KIND } from '../pending-calls.ts'
import { platformNow } from '../platform.ts'
import { urlProblem } from '../server-url.ts'
import { SharedRecords, type VersionedRecord, type VersionedRecords } from '../shared-records.ts'
import { POSTGRES_URL, PostgresClient, Sockets, type ConnectionOptions } from './postgres-client.ts'
import { PostgresEvents } from './postgres-events.ts'
import { PostgresNotices } from './postgres-notices.ts'
import { PostgresQueue } from './postgres-queue.ts'
import { PostgresStore } from './postgres-store.ts'
import { PostgresWrites } from './postgres-writes.ts'
import { ASYNC_COMMIT_SQL, NOW_SQL } from './rows.ts'
import { checkSchema } from './schema.ts'

/** Options of {@link postgres}. */
export interface PostgresOptions {
  /** Schema of the tables, which are created and migrated. Lower-case letters, digits and `_`; default `chats`. */
  readonly schema?: string | undefined
  /** Most connections, without one that listens for changes and one of each worker that listens for chats. Default 5. */
  readonly connections?: number | undefined
  /** Seconds within which a connection is made or free, and a statement answered, or fails. At least 3; default 10. */
  readonly timeout?: number | undefined
  /** Receives errors of lost connections, which are made again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const POSTGRES_OPTION_KINDS: OptionKinds<PostgresOptions> = {
  schema: kind.text,
  connections: kind.whole(1),
  timeout: TIMEOUT_KIND,
  onError: kind.call,
}

/** True for a URL of several hosts, as `libpq` takes it. */
function namesHosts(url: string): boolean {
  const [, authority = ''] = /^[^:]*:\/\/([^/?#]*)/u.exec(url) ?? []
  return (
    authority.slice(authority.lastIndexOf('@') + 1).includes(',') ||
    url.split(/[?&]/u).some((each) => each.startsWith('host=') && each.includes(','))
  )
}

/** Hosts chats on Postgres, for any number of workers. It needs `pg`. */
export function postgres(url: string, options: PostgresOptions = {}): HostBackend {
  checkOptions(options, POSTGRES_OPTION_KINDS, 'open `postgres`')
  const {
    schema = 'chats',
    connections = 5,
    timeout = DEFAULT_TIMEOUT_S,
    onError = warnThat(CONNECTION_WARNING),
  } = options
  if (typeof url === 'string' && namesHosts(url)) {
    throw new XError(
      'invalid-argument',
      'cannot open `postgres`: its URL names several hosts, and `pg` connects to one; give an address that follows the primary, such as that of a proxy',
    )
  }
  const problem = urlProblem(url, POSTGRES_URL)
  if (problem) throw new XError('invalid-argument', `cannot open \`postgres\`: give its URL, ${problem}`)
  checkSchema(schema, 'open `postgres`')
  const channel = `${schema}_changed`
  const server: ConnectionOptions = { url, schema, connections, timeout, sockets: new Sockets(), onError }
  const client = new PostgresClient(server)
  const notices = new PostgresNotices(client, channel)
  const writes = new PostgresWrites(client, notices, { timeout, now: platformNow })
  const store = new PostgresStore(client, writes, notices)
  const listeners = new Listeners((calls) => client.subscribe(channel, calls), onError)
  return {
    name: 'postgres',
    store,
    queue: new PostgresQueue(client, store, schema),
    events: new PostgresEvents(client, writes),
    records: new SharedRecords(new PostgresRecords(client)),
    watch: (listener) => listeners.add(listener),
    reconnect: () => client.reconnect(),
    async close() {
      await listeners.close()
      await notices.flush()
      await client.close()
    },
  }
}

/** Keeps records in a table of Postgres. A change is one statement; versions come from a sequence, so that none is used twice. */
class PostgresRecords implements VersionedRecords {
  readonly #db: PostgresClient

  constructor(db: PostgresClient) {
    this.#db = db
  }

  async read(key: string): Promise<VersionedRecord> {
    const [row] = await this.#db.rows(
      `SELECT ${NOW_SQL} AS now, version, json FROM (SELECT $1::text AS key) AS wanted LEFT JOIN records USING (key)`,
      key,
    )
    return {
      version: (row!['version'] as string | null) ?? '0',
      text: row!['json'] as string | null,
      now: Number(row!['now']),
    }
  }

  async replace(key: string, version: string, text: string | null, durable: boolean): Promise<VersionedRecord | null> {
    const rows = await this.#db.rows(...replaceStatement(key, version, text, durable ? '1' : ASYNC_COMMIT_SQL))
    return rows.length > 0 ? null : await this.read(key)
  }
}

/** Returns a statement with its values; it evaluates `returning` if it replaced the record. */
function replaceStatement(
  key: string,
  version: string,
  text: string | null,
  returning: string,
): [sql: string, ...values: unknown[]] {
  if (text === null) return [`DELETE FROM records WHERE key = $1 AND version = $2 RETURNING ${returning}`, key, version]
  if (version === '0') {
    return [
      `INSERT INTO records VALUES ($1, nextval('record_versions'), $2) ON CONFLICT DO NOTHING RETURNING ${returning}`,
      ...[key, text],
    ]
  }
  return [
    `UPDATE records SET version = nextval('record_versions'), json = $3 WHERE key = $1 AND version = $2 RETURNING ${returning}`,
    ...[key, version, text],
  ]
}
