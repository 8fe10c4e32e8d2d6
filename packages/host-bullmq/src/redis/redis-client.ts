import { XError } from '@x/kernel'
import type { Redis } from 'ioredis'
import { PendingCalls } from '../pending-calls.ts'
import { scriptText, type ScriptName } from './scripts.ts'

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

  /** Makes calls without a script. */
  async use<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    return await this.#connection.use(call)
  }

  /** Runs a script by its hash, and sends its text when Redis does not have the script, for example after a restart. */
  async run(name: ScriptName, ...values: readonly (string | number)[]): Promise<unknown> {
    return await this.#connection.use(async (client) => {
      try {
        return await client.evalsha(this.#hash(name), 1, this.tag, ...values)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return await client.eval(scriptText(name), 1, this.tag, ...values)
      }
    })
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

/** A connection to Redis that opens with its first call, and closes after its pending calls. */
export class RedisConnection {
  readonly #url: string
  readonly #onError: (error: unknown) => void
  readonly #pending = new PendingCalls()
  #client: Promise<Redis> | undefined
  #isClosed = false

  constructor(url: string, onError: (error: unknown) => void) {
    this.#url = url
    this.#onError = onError
  }

  /** Makes calls on the connection. */
  async use<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new XError('invalid-state', 'the connection to Redis was closed by this program')
    this.#client ??= connectRedis(this.#url, this.#onError)
    const client = this.#client
    return await this.#pending.run(async () => await call(await client))
  }

  async close(): Promise<void> {
    // Also waits for the calls that follow at once, such as the release of a claim after its answer.
    await this.#pending.settled()
    this.#isClosed = true
    const client = await this.#client
    client?.disconnect()
  }
}

/** Connects with the `ioredis` that the program has installed. A lost connection is reported, and made again. */
export async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  const { Redis: Client } = await import('ioredis').catch((cause: unknown) => {
    const problem = 'Redis needs `ioredis`: install it beside `@x/host-bullmq`'
    throw new XError('invalid-state', problem, { cause })
  })
  const client = new Client(url, { maxRetriesPerRequest: 20, enableAutoPipelining: true })
  client.on('error', onError)
  return client
}
