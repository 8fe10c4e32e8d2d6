import { XError } from '@x/kernel'
import type { Redis } from 'ioredis'
import { UnderWay } from '../under-way.ts'

/** A connection to Redis that is made when it is first needed, and ends behind what is under way. */
export class RedisConnection {
  readonly #url: string
  readonly #onError: (error: unknown) => void
  readonly #underWay = new UnderWay()
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
    return await this.#underWay.run(async () => await call(await client))
  }

  async close(): Promise<void> {
    // What follows at once on what is under way goes too, such as the end of a claim behind its answer.
    await this.#underWay.ended()
    this.#isClosed = true
    const client = await this.#client
    client?.disconnect()
  }
}

/** Connects by `ioredis`, which the program installs. Errors of the connection are heard, and it connects again. */
export async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  const { Redis: Client } = await import('ioredis').catch((cause: unknown) => {
    const problem = 'Redis needs `ioredis`: install it beside `@x/host-bullmq`'
    throw new XError('invalid-state', problem, { cause })
  })
  const client = new Client(url, { maxRetriesPerRequest: 20, enableAutoPipelining: true })
  client.on('error', onError)
  return client
}
