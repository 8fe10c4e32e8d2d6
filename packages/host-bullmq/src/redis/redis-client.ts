import { XError } from '@x/kernel'
import type { Redis } from 'ioredis'
import { scriptText, type ScriptName } from './scripts.ts'

/** A connection to Redis that is made when it is first needed, and the keys and scripts of one host. */
export class RedisClient {
  /** What all keys begin with: a hash tag. */
  readonly tag: string
  readonly #connect: () => Promise<Redis>
  readonly #hashes = new Map<ScriptName, string>()
  #client: Promise<Redis> | undefined

  constructor(tag: string, connect: () => Promise<Redis>) {
    this.tag = tag
    this.#connect = connect
  }

  get client(): Promise<Redis> {
    this.#client ??= this.#connect()
    return this.#client
  }

  key(...parts: readonly string[]): string {
    return [this.tag, ...parts].join(':')
  }

  /** Runs a script; Redis keeps scripts by their hash, until it is started again. */
  async run(name: ScriptName, ...values: readonly (string | number)[]): Promise<unknown> {
    const client = await this.client
    try {
      return await client.evalsha(this.#hash(name), 1, this.tag, ...values)
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await client.eval(scriptText(name), 1, this.tag, ...values)
    }
  }

  async close(): Promise<void> {
    if (!this.#client) return
    const client = await this.#client
    client.disconnect()
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
