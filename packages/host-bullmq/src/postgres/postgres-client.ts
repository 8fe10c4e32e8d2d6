import { XError } from '@x/kernel'
import type { Client, ClientConfig, default as PgModule, Pool } from 'pg'
import { PendingCalls } from '../pending-calls.ts'
import { createTables, migrate } from './schema.ts'

/** A row as Postgres returns it. */
export type Row = Readonly<Record<string, unknown>>

/** Options of the connections to a schema. */
export interface ConnectionOptions {
  readonly url: string
  readonly schema: string
  /** Most connections of the pool. */
  readonly connections: number
  readonly onError: (error: unknown) => void
}

/** Connections to Postgres that are opened when first needed, and the tables of one host. */
export class PostgresClient {
  readonly #options: ConnectionOptions
  readonly #tablesSql: string | undefined
  /** Names of the prepared statements, by their texts. */
  readonly #names = new Map<string, string>()
  readonly #pending = new PendingCalls()
  #pool: Promise<Pool> | undefined

  /** `tablesSql` creates other tables than those of hosted chats, if they do not exist. */
  constructor(options: ConnectionOptions, tablesSql?: string) {
    this.#options = options
    this.#tablesSql = tablesSql
  }

  /** Runs a statement, which is prepared once for each text. */
  async rows(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return await this.#pending.run(() => this.#run(sql, values))
  }

  async #run(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const pool = await this.#connected()
    const { rows } = await pool.query<Record<string, unknown>>({
      name: this.#nameOf(sql),
      text: sql,
      values: [...values],
    })
    return rows
  }

  /** Listens to a channel on a separate connection, which is made again when it is lost; returns a function that disconnects. Null stands for missed notifications. */
  async listen(channel: string, notify: (text: string | null) => void): Promise<() => Promise<void>> {
    await this.#connected()
    const { Client: PgClient } = await loadPg()
    let isEnded = false
    let client: Client
    const connect = async (): Promise<void> => {
      client = new PgClient(configOf(this.#options))
      client.on('error', this.#options.onError)
      client.on('notification', ({ payload = '' }) => notify(payload))
      client.on('end', () => void (isEnded || setTimeout(() => void reconnect(), RETRY_DELAY_MS)))
      await client.connect()
      await client.query(`LISTEN "${channel}"`)
      // Changes before this moment were missed.
      notify(null)
    }
    const reconnect = async (): Promise<void> => {
      if (isEnded) return
      try {
        await connect()
      } catch (error) {
        this.#options.onError(error)
      }
    }
    try {
      await connect()
    } catch (error) {
      // No reconnect: the caller gets no function that would end it.
      isEnded = true
      throw error
    }
    return async () => {
      isEnded = true
      await client.end()
    }
  }

  /** Ends the connections after all pending statements: a pool that has ended drops those that wait for a connection. */
  async close(): Promise<void> {
    await this.#pending.settled()
    const pool = await this.#pool?.catch(() => undefined)
    await pool?.end()
  }

  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `chats_${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }

  #connected(): Promise<Pool> {
    this.#pool ??= this.#connect().catch((error: unknown) => {
      // The next statement tries again.
      this.#pool = undefined
      throw error
    })
    return this.#pool
  }

  async #connect(): Promise<Pool> {
    const { Pool: PgPool } = await loadPg()
    const Client = await guardedClient(this.#options.onError)
    const pool = new PgPool({ ...configOf(this.#options), max: this.#options.connections, Client })
    pool.on('error', this.#options.onError)
    try {
      const client = await pool.connect()
      try {
        if (this.#tablesSql === undefined) await migrate(client, this.#options.schema)
        else await createTables(client, this.#options.schema, this.#tablesSql)
        client.release()
      } catch (error) {
        client.release(true)
        throw error
      }
    } catch (error) {
      await pool.end()
      throw error
    }
    return pool
  }
}

/** Delay before a lost connection is made again. */
const RETRY_DELAY_MS = 500

const configOf = ({ url, schema }: ConnectionOptions): ClientConfig => ({
  connectionString: url,
  options: `-c search_path="${schema}"`,
  keepAlive: true,
})

/**
 * Returns a client class that always reports a lost connection. A pool listens only to idle clients, and an error without a
 * listener ends the process.
 */
export async function guardedClient(onError: (error: unknown) => void): Promise<typeof Client> {
  const { Client: PgClient } = await loadPg()
  return class extends PgClient {
    constructor(config?: string | ClientConfig) {
      super(config)
      this.on('error', onError)
    }
  }
}

async function loadPg(): Promise<Pick<typeof PgModule, 'Client' | 'Pool'>> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    const problem = 'Postgres needs `pg`: install it beside `@x/host-bullmq`'
    throw new XError('invalid-state', problem, { cause })
  })
  return pg
}
