import type { ChatKind, HostBackend, HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import { warnThat } from '@x/kernel/hosting'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ConnectionOptions, Queue, Worker } from 'bullmq'
import { Listeners } from '../listeners.ts'
import { CONNECTION_WARNING, DEFAULT_TIMEOUT_S, TIMEOUT_KIND } from '../pending-calls.ts'
import { platformNow } from '../platform.ts'
import { BullQueue, MAX_QUEUE_EVENTS, type BullClasses } from './bullmq-queue.ts'
import { urlProblem } from '../server-url.ts'
import { SharedRecords, type VersionedRecord, type VersionedRecords } from '../shared-records.ts'
import {
  probeRedis,
  REDIS_URL,
  RedisClient,
  RedisConnection,
  reconnectRedis,
  redisOptions,
  settledRedis,
  subscribeRedis,
  type RedisServer,
} from './redis-client.ts'
import { RedisEvents } from './redis-events.ts'
import { RedisStore } from './redis-store.ts'

/** Options of {@link redis}. */
export interface RedisOptions {
  /** Prefix of all keys, as a hash tag; hosts with different prefixes are separate. 1 to 64 letters, digits, `_` and `-`; default `chats`. */
  readonly prefix?: string | undefined
  /**
   * Seconds within which a call to the server is answered, or fails; a connection that is silent for half of them is made
   * again. At least 3; default 10.
   */
  readonly timeout?: number | undefined
  /** Receives errors of lost connections, which are made again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const REDIS_OPTION_KINDS: OptionKinds<RedisOptions> = {
  prefix: kind.text,
  timeout: TIMEOUT_KIND,
  onError: kind.call,
}

/**
 * Hosts chats on Redis or Valkey, for any number of workers. It needs `bullmq` and `ioredis`, and a server that writes to
 * its disk (`appendonly yes`) and evicts nothing (`maxmemory-policy noeviction`).
 */
export function redis(url: string, options: RedisOptions = {}): HostBackend {
  checkOptions(options, REDIS_OPTION_KINDS, 'open `redis`')
  const { prefix = 'chats', timeout = DEFAULT_TIMEOUT_S, onError = warnThat(CONNECTION_WARNING) } = options
  const problem = urlProblem(url, REDIS_URL)
  if (problem) throw new XError('invalid-argument', `cannot open \`redis\`: give its URL, ${problem}`)
  if (!/^[\w-]{1,64}$/u.test(prefix)) {
    throw new XError('invalid-argument', 'cannot open `redis`: `prefix` takes 1 to 64 letters, digits, `_` and `-`')
  }
  const tag = `{${prefix}}`
  const server: RedisServer = { url, timeout, onError }
  const connection = new RedisConnection(server)
  const client = new RedisClient(tag, connection)
  const store = new RedisStore(client, async (chat) => await queue.forget(chat))
  const late = async (kinds: readonly ChatKind[]): Promise<readonly HostedChat[]> => await store.late(kinds)
  const queue = new BullQueue(() => connectBull(server, tag), { late, now: platformNow, timeout, onError })
  const listeners = new Listeners((calls) => subscribeRedis(server, `${tag}:changed`, calls), onError)
  return {
    name: 'redis',
    store,
    queue,
    events: new RedisEvents(client),
    records: new SharedRecords(new RedisRecords(client)),
    watch: (listener) => listeners.add(listener),
    async reconnect() {
      listeners.reconnect()
      queue.reconnect()
      await connection.reconnect()
      await probeRedis(server, client.key('probe'))
    },
    async close() {
      await queue.close()
      await listeners.close()
      await connection.close()
    },
  }
}

/** Longest time for which a worker waits for a job in one call, in seconds. */
const MAX_BLOCK_S = 1

async function connectBull(server: RedisServer, prefix: string): Promise<BullClasses> {
  const { createRedisBackend, withBackend, WaitingError } = await import('bullmq').catch((cause: unknown) => {
    const problem = 'Redis needs `bullmq`: install it and `ioredis` beside `@x/host-servers`'
    throw new XError('invalid-state', problem, { cause })
  })
  const { Queue: RedisQueue, Worker: RedisWorker } = withBackend((...args: Parameters<typeof createRedisBackend>) =>
    // BullMQ would wait ten seconds in one call while it has delayed jobs, which looks like a silent connection.
    Object.defineProperty(createRedisBackend(...args), 'maximumBlockTimeout', { value: MAX_BLOCK_S }),
  )
  const connectionUntil = (ended: AbortSignal) => redisOptions({ ...server, ended }) as ConnectionOptions & object
  const clientsOf = (owner: Queue | Worker) => {
    const { client, blockingClient } = owner.getBackend()
    return blockingClient ? [client, blockingClient] : [client]
  }
  return {
    queue: (name, ended) =>
      new RedisQueue(name, {
        connection: connectionUntil(ended),
        prefix,
        streams: { events: { maxLen: MAX_QUEUE_EVENTS } },
      }),
    worker: (name, process, options, ended) =>
      new RedisWorker(name, process, {
        ...options,
        connection: { ...connectionUntil(ended), maxRetriesPerRequest: null },
        prefix,
      }),
    async reconnect(owner) {
      for (const client of await Promise.all(clientsOf(owner))) reconnectRedis(client)
    },
    async settled(owner) {
      await Promise.allSettled(clientsOf(owner).map(async (client) => await settledRedis(await client)))
    },
    requeuedError: () => new WaitingError(),
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
