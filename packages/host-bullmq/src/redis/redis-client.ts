import type { Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.ts'
import { scriptText, type ScriptName } from './scripts.ts'

/** The keys and scripts of one host on Redis. */
export class RedisClient {
  /** What all keys begin with: a hash tag. */
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

  /** Makes calls that need no script. */
  async use<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    return await this.#connection.use(call)
  }

  /** Runs a script; Redis keeps scripts by their hash, until it is started again. */
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
