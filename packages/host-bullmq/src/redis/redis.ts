import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { Listeners } from '../listeners.ts'
import { platformNow, warnOfError } from '../platform.ts'
import { BullQueue, MAX_QUEUE_EVENTS, type BullClasses } from '../queue/bullmq-queue.ts'
import { SharedRecords, type VersionedRecord, type VersionedRecords } from '../shared-records.ts'
import { connectRedis, RedisClient, RedisConnection } from './redis-client.ts'
import { RedisEvents } from './redis-events.ts'
import { RedisStore } from './redis-store.ts'
import { LAYOUT_VERSION, UNKNOWN_LAYOUT } from './scripts.ts'

/** Options of {@link redis}. */
export interface RedisOptions {
  /** Prefix of all keys, as a hash tag; hosts with different prefixes are separate. 1 to 64 letters, digits, `_` and `-`; default `chats`. */
  readonly prefix?: string | undefined
  /** Receives errors of lost connections, which are made again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const REDIS_OPTION_KINDS: OptionKinds<RedisOptions> = { prefix: kind.text, onError: kind.call }

/**
 * Hosts chats on Redis or Valkey, for any number of workers. It needs `ioredis`, and a server that writes to its disk
 * (`appendonly yes`) and evicts nothing (`maxmemory-policy noeviction`).
 */
export function redis(url: string, options: RedisOptions = {}): HostBackend {
  checkOptions(options, REDIS_OPTION_KINDS, 'open `redis`')
  const { prefix = 'chats', onError = warnOfError } = options
  if (typeof url !== 'string' || !/^rediss?:\/\//u.test(url)) {
    throw new XError('invalid-argument', 'cannot open `redis`: give its URL, such as `redis://localhost:6379`')
  }
  if (!/^[\w-]{1,64}$/u.test(prefix)) {
    throw new XError('invalid-argument', 'cannot open `redis`: `prefix` takes 1 to 64 letters, digits, `_` and `-`')
  }
  const tag = `{${prefix}}`
  const connection = new RedisConnection(url, onError)
  const client = new LayoutClient(tag, connection)
  const queue = new BullQueue(() => connectBull(url, tag), platformNow, onError)
  const listeners = new Listeners(async (notify) => {
    const subscriber = await connectRedis(url, onError)
    subscriber.on('message', (_, id) => notify(id))
    await subscriber.subscribe(`${tag}:changed`)
    return () => subscriber.disconnect()
  }, onError)
  return {
    name: 'redis',
    store: new RedisStore(client),
    queue,
    events: new RedisEvents(client),
    records: new SharedRecords(new RedisRecords(client)),
    watch: (listener) => listeners.add(listener),
    async close() {
      await queue.close()
      await listeners.close()
      await connection.close()
    },
  }
}

async function connectBull(url: string, prefix: string): Promise<BullClasses> {
  const { Queue, Worker, WaitingError } = await import('bullmq')
  const connection = { url, maxRetriesPerRequest: null }
  return {
    queue: (name) =>
      new Queue(name, { connection: { url }, prefix, streams: { events: { maxLen: MAX_QUEUE_EVENTS } } }),
    worker: (name, process, options) => new Worker(name, process, { ...options, connection, prefix }),
    requeuedError: () => new WaitingError(),
  }
}

/** Names the layout that a script refuses. */
class LayoutClient extends RedisClient {
  override async run(...call: Parameters<RedisClient['run']>): Promise<unknown> {
    return await super.run(...call).catch((cause: unknown) => {
      const [, text] = new RegExp(`${UNKNOWN_LAYOUT} (.*)`, 'u').exec(String(cause)) ?? []
      if (text === undefined) throw cause
      const version = Number(text) || text
      throw new XError(
        'unknown-state-version',
        `cannot use the chats under \`${this.tag}\` on Redis: their keys have layout ${version}, and this package uses ${LAYOUT_VERSION}; ${Number(version) > LAYOUT_VERSION ? 'update `@x/host-bullmq`' : `restore \`${this.key('layout')}\` from a copy`}`,
        { cause, details: { version, known: [LAYOUT_VERSION] } },
      )
    })
  }
}

/** Keeps records in hashes of Redis. */
class RedisRecords implements VersionedRecords {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async read(key: string): Promise<VersionedRecord> {
    return readRecord((await this.#redis.run('record', key)) as RecordRow)
  }

  async replace(key: string, version: string, text: string | null): Promise<VersionedRecord | null> {
    const result = await this.#redis.run('replace', key, version, ...(text === null ? [] : [text]))
    return result === 1 ? null : readRecord(result as RecordRow)
  }
}

type RecordRow = readonly [version: string, text: string | null, now: string]

const readRecord = ([version, text, now]: RecordRow): VersionedRecord => ({ version, text, now: Number(now) })
