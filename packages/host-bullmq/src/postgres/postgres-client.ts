import { XError } from '@x/kernel'
import type { Client, ClientConfig, default as PgModule, Pool } from 'pg'
import { UnderWay } from '../under-way.ts'
import { makeTables, migrate } from './schema.ts'

/** A row as Postgres gives it. */
export type Row = Readonly<Record<string, unknown>>

/** Options of a connection. */
export interface PostgresPlace {
  readonly url: string
  readonly schema: string
  /** Most connections for the store and the log. */
  readonly connections: number
  readonly onError: (error: unknown) => void
}

/** Connections to Postgres that are made when they are first needed, with the tables of one host. */
export class PostgresClient {
  readonly #place: PostgresPlace
  readonly #tables: string | undefined
  /** Names of prepared statements by their texts. */
  readonly #names = new Map<string, string>()
  readonly #underWay = new UnderWay()
  #pool: Promise<Pool> | undefined

  /** `tables` makes others in place of those of hosted chats; it bears repetition. */
  constructor(place: PostgresPlace, tables?: string) {
    this.#place = place
    this.#tables = tables
  }

  /** Runs a statement; those of equal text are prepared once. */
  async rows(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return await this.#underWay.run(() => this.#run(sql, values))
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

  /** Begins to listen to a channel on a connection of its own; gives what ends it. */
  async listen(channel: string, tell: (text: string | null) => void): Promise<() => Promise<void>> {
    await this.#connected()
    const { Client: PgClient } = await loadPg()
    let ended = false
    let client: Client
    const connect = async (): Promise<void> => {
      client = new PgClient(configOf(this.#place))
      client.on('error', this.#place.onError)
      client.on('notification', ({ payload = '' }) => tell(payload))
      client.on('end', () => void (ended || setTimeout(() => void reconnect(), RETRY)))
      await client.connect()
      await client.query(`LISTEN "${channel}"`)
      // What changed while nobody listened was not heard.
      tell(null)
    }
    const reconnect = async (): Promise<void> => {
      if (ended) return
      try {
        await connect()
      } catch (error) {
        this.#place.onError(error)
      }
    }
    try {
      await connect()
    } catch (error) {
      // Nobody would end a connection that is made later.
      ended = true
      throw error
    }
    return async () => {
      ended = true
      await client.end()
    }
  }

  /** Ends the connections behind the statements under way: an ended pool serves none that wait for a connection. */
  async close(): Promise<void> {
    await this.#underWay.ended()
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
    const Client = await guardedClient(this.#place.onError)
    const pool = new PgPool({ ...configOf(this.#place), max: this.#place.connections, Client })
    pool.on('error', this.#place.onError)
    try {
      const client = await pool.connect()
      try {
        if (this.#tables === undefined) await migrate(client, this.#place.schema)
        else await makeTables(client, this.#place.schema, this.#tables)
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

/** Milliseconds after which a lost connection is made again. */
const RETRY = 500

const configOf = ({ url, schema }: PostgresPlace): ClientConfig => ({
  connectionString: url,
  options: `-c search_path="${schema}"`,
  keepAlive: true,
})

/**
 * A client that tells of a lost connection wherever it is: a pool listens only to those that are idle, and an error that
 * nobody hears ends the process.
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
