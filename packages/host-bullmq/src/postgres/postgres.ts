import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { Listeners } from '../listeners.ts'
import { platformNow, warnOfError } from '../platform.ts'
import { BullQueue, KEPT_EVENTS, type BullClasses } from '../queue/bullmq-queue.ts'
import { guardedClient, PostgresClient, type PostgresPlace } from './postgres-client.ts'
import { leanBackend } from './lean-backend.ts'
import { PostgresEvents } from './postgres-events.ts'
import { SharedRecords } from '../shared-records.ts'
import { PostgresNotices } from './postgres-notices.ts'
import { PostgresRecords } from './postgres-records.ts'
import { PostgresStore } from './postgres-store.ts'
import { checkSchema } from './schema.ts'
import { PostgresWrites } from './postgres-writes.ts'

/** Options of {@link postgres}. */
export interface PostgresOptions {
  /** Schema of the tables, which are made and brought up to date there; those of the queue are in one of this name with `_queue`. Small letters, digits and `_`; default `chats`. */
  readonly schema?: string | undefined
  /**
   * Most connections for chats and events, as many for each program and version that is put in line, and as many again for
   * each that a worker takes up; default 5.
   */
  readonly connections?: number | undefined
  /** Hears of lost connections, which are made again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const KINDS: OptionKinds<PostgresOptions> = { schema: kind.text, connections: kind.whole(1), onError: kind.call }

/** Hosts chats on Postgres, for any number of workers. It needs `pg`. */
export function postgres(url: string, options: PostgresOptions = {}): HostBackend {
  checkOptions(options, KINDS, 'open `postgres`')
  const { schema = 'chats', connections = 5, onError = warnOfError } = options
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//u.test(url)) {
    throw new XError('invalid-argument', 'cannot open `postgres`: give its URL, such as `postgres://localhost/chats`')
  }
  checkSchema(schema, 'open `postgres`')
  const channel = `${schema}_changed`
  const client = new PostgresClient({ url, schema, connections, onError })
  const queue = new BullQueue(
    () => connectBull({ url, schema: `${schema}_queue`, connections, onError }),
    platformNow,
    onError,
  )
  const notices = new PostgresNotices(client, channel)
  const writes = new PostgresWrites(client, notices)
  const listeners = new Listeners((tell) => client.listen(channel, tell), onError)
  return {
    name: 'postgres',
    store: new PostgresStore(client, writes, notices),
    queue,
    events: new PostgresEvents(client, writes),
    records: new SharedRecords(new PostgresRecords(client)),
    watch: (listener) => listeners.add(listener),
    async close() {
      await queue.close()
      await listeners.close()
      await notices.flush()
      await client.close()
    },
  }
}

async function connectBull({ url, schema, connections, onError }: PostgresPlace): Promise<BullClasses> {
  const { createPostgresBackend, withBackend, WaitingError } = await import('bullmq')
  const { Queue, Worker } = withBackend(leanBackend(createPostgresBackend))
  const Client = await guardedClient(onError)
  // The store decides what is true: a server that goes down may forget the last changes of the queue, which `sweep` makes again.
  const options = '-c synchronous_commit=off'
  const connection = {
    connectionString: url,
    schema,
    max: connections,
    migrate: true,
    keepAlive: true,
    options,
    Client,
  }
  return {
    queue: (name) => new Queue(name, { connection, streams: { events: { maxLen: KEPT_EVENTS } } }) as never,
    worker: (name, process, options) => new Worker(name, process, { ...options, connection }) as never,
    putBack: () => new WaitingError(),
  }
}
