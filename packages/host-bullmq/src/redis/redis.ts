import type { HostBackend } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { platformNow, warnOfError } from '../platform.ts'
import { BullQueue, KEPT_EVENTS, type BullClasses } from '../queue/bullmq-queue.ts'
import { Listeners } from '../listeners.ts'
import { SharedRecords } from '../shared-records.ts'
import { RedisClient } from './redis-client.ts'
import { connectRedis, RedisConnection } from './redis-connection.ts'
import { RedisEvents } from './redis-events.ts'
import { RedisRecords } from './redis-records.ts'
import { RedisStore } from './redis-store.ts'

/** Options of {@link redis}. */
export interface RedisOptions {
  /** Begins all keys, as a hash tag: hosts with different ones do not see each other. Letters, digits, `_` and `-`; default `chats`. */
  readonly prefix?: string | undefined
  /** Hears of lost connections, which are made again; default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const KINDS: OptionKinds<RedisOptions> = { prefix: kind.text, onError: kind.call }

/**
 * Hosts chats on Redis or Valkey, for any number of workers. It needs `ioredis`, and a server with `maxmemory-policy
 * noeviction` that writes to its disk (`appendonly yes`).
 */
export function redis(url: string, options: RedisOptions = {}): HostBackend {
  checkOptions(options, KINDS, 'open `redis`')
  const { prefix = 'chats', onError = warnOfError } = options
  if (typeof url !== 'string' || !/^rediss?:\/\//u.test(url)) {
    throw new XError('invalid-argument', 'cannot open `redis`: give its URL, such as `redis://localhost:6379`')
  }
  if (!/^[\w-]{1,64}$/u.test(prefix)) {
    throw new XError('invalid-argument', 'cannot open `redis`: `prefix` takes 1 to 64 letters, digits, `_` and `-`')
  }
  const tag = `{${prefix}}`
  const connection = new RedisConnection(url, onError)
  const client = new RedisClient(tag, connection)
  const queue = new BullQueue(() => connectBull(url, tag), platformNow, onError)
  const listeners = new Listeners(async (tell) => {
    const subscriber = await connectRedis(url, onError)
    subscriber.on('message', (_, id) => tell(id))
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
    queue: (name) => new Queue(name, { connection: { url }, prefix, streams: { events: { maxLen: KEPT_EVENTS } } }),
    worker: (name, process, options) => new Worker(name, process, { ...options, connection, prefix }),
    putBack: () => new WaitingError(),
  }
}
