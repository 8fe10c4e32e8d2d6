import { XError } from '@x/kernel'
import type { Redis, RedisOptions } from 'ioredis'
import type { Subscription, SubscriptionCalls } from '../listeners.ts'
import { answeredWithin, PendingCalls } from '../pending-calls.ts'
import type { ServerUrl } from '../server-url.ts'
import { LAYOUT_VERSION, scriptText, UNKNOWN_LAYOUT, type ScriptName } from './scripts.ts'

type ClientOptions = Omit<RedisOptions, 'replyMapping'>

/** The keys and scripts of one host on Redis. */
export class RedisClient {
  /** Prefix of all keys: a hash tag, which keeps them in one slot of a cluster. */
  readonly tag: string
  readonly #connection: RedisConnection
  readonly #hashes = new Map<ScriptName, string>()

  constructor(tag: string, connection: RedisConnection) {
    this.tag = tag
    this.#connection = connection
  }

  key(...parts: readonly string[]): string {
    return [this.tag, ...parts].join(':')
  }

  /** Reads keys without a script, and checks their layout with them. */
  async read<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    return await this.#connection.use(async (client) => {
      const [layout, value] = await Promise.all([client.get(this.key('layout')), call(client)])
      if (layout !== null && layout !== String(LAYOUT_VERSION)) throw this.#layoutError(layout)
      return value
    })
  }

  /**
   * Runs a script by its hash, and sends its text when Redis does not have the script, for example after a restart. A list among
   * the values stands for its own: a long one is too long for the arguments of a function.
   */
  async run(
    name: ScriptName,
    ...values: readonly (string | number | readonly (string | number)[])[]
  ): Promise<unknown> {
    const args = [1, this.tag, ...values].flat()
    try {
      return await this.#connection.use(async (client) => {
        try {
          return await client.call('EVALSHA', [this.#hash(name), ...args])
        } catch (error) {
          if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
          return await client.call('EVAL', [scriptText(name), ...args])
        }
      })
    } catch (error) {
      throw this.#scriptError(error)
    }
  }

  /** Names the layout that a script refuses. Other errors lose the place in the script, so that errors of one kind are alike. */
  #scriptError(cause: unknown): unknown {
    if (!(cause instanceof Error)) return cause
    const [, layout] = new RegExp(`${UNKNOWN_LAYOUT} (.*)`, 'u').exec(cause.message) ?? []
    if (layout !== undefined) return this.#layoutError(layout, cause)
    cause.message = cause.message.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?/u, '')
    return cause
  }

  #layoutError(layout: string, cause?: Error): XError {
    const version = Number(layout) || layout
    return new XError(
      'unknown-state-version',
      `cannot use the chats under \`${this.tag}\` on Redis: their keys have layout ${version}, and this package uses ${LAYOUT_VERSION}; ${Number(version) > LAYOUT_VERSION ? 'update `@x/host-servers`' : `restore \`${this.key('layout')}\` from a copy`}`,
      { cause, details: { version, known: [LAYOUT_VERSION] } },
    )
  }

  #hash(name: ScriptName): string {
    const known = this.#hashes.get(name)
    if (known) return known
    const { createHash } = process.getBuiltinModule('node:crypto')
    const hash = createHash('sha1').update(scriptText(name)).digest('hex')
    this.#hashes.set(name, hash)
    return hash
  }
}

/** A client of Redis, also as BullMQ has it. */
interface RedisStatus {
  readonly status: string
  disconnect(reconnect: boolean): void
  once(event: 'ready' | 'end', listener: () => void): unknown
}

/** A server, and what to expect of it. */
export interface RedisServer {
  readonly url: string
  /** Seconds within which a call is answered, or fails. */
  readonly timeout: number
  readonly onError: (error: unknown) => void
  /** Aborted when a connection that is lost is not made again. */
  readonly ended?: AbortSignal | undefined
}

/** A connection to Redis that opens with its first call, and closes after its pending calls. */
export class RedisConnection {
  readonly #server: RedisServer
  readonly #pending = new PendingCalls()
  readonly #ending = new AbortController()
  #client: Promise<Redis> | undefined
  #isClosed = false

  constructor(server: RedisServer) {
    this.#server = server
  }

  /** Makes calls on the connection. */
  async use<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new XError('invalid-state', 'the connection to Redis was closed by this program')
    this.#client ??= connectRedis({ ...this.#server, ended: this.#ending.signal })
    const client = this.#client
    // The time-out of a command begins when it is sent, which may be late while the connection is made again.
    return await this.#pending.run(() => answeredWithin(this.#server.timeout, client.then(call)))
  }

  /** Makes the connection again; calls without an answer are sent again. */
  async reconnect(): Promise<void> {
    const client = await this.#client
    if (client) reconnectRedis(client)
  }

  /** Closes the connection after its pending calls; they fail if the server is away. */
  async close(): Promise<void> {
    this.#ending.abort()
    // Also waits for the calls that follow at once, such as the release of a claim after its answer.
    await this.#pending.settled()
    this.#isClosed = true
    const client = await this.#client
    client?.disconnect()
  }
}

/** Connects with the `ioredis` that the program has installed. A lost connection is reported, and made again. */
async function connectRedis(server: RedisServer): Promise<Redis> {
  const { Redis: Client } = await import('ioredis').catch((cause: unknown) => {
    const problem = 'Redis needs `ioredis`: install it and `bullmq` beside `@x/host-servers`'
    throw new XError('invalid-state', problem, { cause })
  })
  const { url, ...common } = redisOptions(server)
  const rest: ClientOptions = { ...common, maxRetriesPerRequest: 20, enableAutoPipelining: true }
  const client = url === undefined ? new Client(rest) : new Client(url, rest)
  client.on('error', (error) => {
    // `ioredis` would go on in database 0, which may be that of another host.
    if ((error as { readonly command?: { readonly name?: unknown } }).command?.name === 'select') client.disconnect()
    server.onError(error)
  })
  return client
}

/** Subscribes to the messages of a channel, on a connection of its own that is not made again. */
export async function subscribeRedis(
  server: RedisServer,
  channel: string,
  { notify, onLost }: SubscriptionCalls,
): Promise<Subscription> {
  let problem: unknown
  const onError = (error: unknown): void => void (problem = error)
  const client = await connectRedis({ ...server, onError, ended: AbortSignal.abort() })
  client.on('message', (_, id) => notify(id))
  client.on('close', onLost)
  const renew = async (): Promise<unknown> => await client.subscribe(channel)
  const close = (): void => client.disconnect()
  try {
    await renew()
  } catch (error) {
    close()
    // The client only says that its connection is closed.
    throw problem ?? error
  }
  return { renew, close }
}

/**
 * Makes an open connection again. One that is being made is left alone: `ioredis` would give it up for good while it asks
 * sentinels.
 */
export function reconnectRedis(client: RedisStatus): void {
  if (client.status === 'ready' || client.status === 'connect') client.disconnect(true)
}

/** Resolves when a connection is open, or ended: `ioredis` tells of no other one that it is closed. */
export async function settledRedis(client: RedisStatus): Promise<void> {
  if (client.status === 'ready' || client.status === 'end') return
  await new Promise<void>((resolve) => {
    client.once('ready', resolve)
    client.once('end', resolve)
  })
}

/** Checks that a new connection can write. Fails within the time-out, also with a server that is full or was demoted. */
export async function probeRedis(server: RedisServer, key: string): Promise<void> {
  const client = await connectRedis({ ...server, onError: () => {}, ended: AbortSignal.abort() })
  try {
    await client.set(key, 1, 'PX', 1)
  } finally {
    client.disconnect()
  }
}

/** Longest delay before a lost connection is made again. */
const MAX_RETRY_DELAY_MS = 1000
/** Time in which a connection that this process closes has to be closed by the server. */
const DISCONNECT_TIMEOUT_MS = 250

/**
 * Returns the options of every connection, those of BullMQ too. A connection that is silent for half of the time-out, though
 * a call waits for its answer, is made again, and the call is sent again: so a call outlives a connection that was lost
 * without a sign. No call may block for as long.
 */
export function redisOptions({ url, timeout, ended }: RedisServer): ClientOptions & { readonly url?: string } {
  const timeoutMs = timeout * 1000
  const retryStrategy = (attempts: number): number | null =>
    ended?.aborted ? null : Math.min(50 * 2 ** Math.min(attempts, 10), MAX_RETRY_DELAY_MS)
  return {
    ...(sentinelOptions(url) ?? { url }),
    connectTimeout: timeoutMs / 2,
    socketTimeout: timeoutMs / 2,
    commandTimeout: timeoutMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy,
    // A sentinel that is silent is left for the next one.
    sentinelCommandTimeout: timeoutMs / 4,
    sentinelRetryStrategy: retryStrategy,
    // A primary that was demoted: another connection may find the new one, and the call is sent again.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  }
}

const SENTINEL_URL = /^redis(s?)\+sentinel:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/]+)\/([^/]+)(?:\/(\d{1,5}))?$/u

/** Reads the URL of a server that sentinels name; undefined for another URL. */
function sentinelOptions(url: string): ClientOptions | undefined {
  const match = SENTINEL_URL.exec(url)
  if (!match) return undefined
  const [, secure, username, password, hosts, name, db] = match
  return {
    sentinels: hosts!.split(',').map((each) => {
      const { hostname, port } = new URL(`redis://${each}`)
      return { host: hostname, port: Number(port || DEFAULT_SENTINEL_PORT) }
    }),
    name: decodeURIComponent(name!),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(db && { db: Number(db) }),
    ...(secure && { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} }),
  }
}

const DEFAULT_SENTINEL_PORT = 26_379

/** Tells the URLs of a server, and of one that sentinels name. */
export const REDIS_URL: ServerUrl = {
  protocol: new RegExp(`^rediss?://|${SENTINEL_URL.source}`, 'u'),
  example: 'redis://localhost:6379',
  isReadable(url) {
    try {
      if (sentinelOptions(url)) return true
      const { username, password } = new URL(url)
      return typeof decodeURIComponent(username + password) === 'string'
    } catch {
      return false
    }
  },
}
