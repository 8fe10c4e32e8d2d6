import { XError } from '@x/kernel'
import type { Socket } from 'node:net'
import type { Client, ClientConfig, default as PgModule, Pool, QueryConfig } from 'pg'
import type { Subscription, SubscriptionCalls } from '../listeners.ts'
import { PendingCalls } from '../pending-calls.ts'
import type { ServerUrl } from '../server-url.ts'
import { createTables, migrate } from './schema.ts'

/** A row as Postgres returns it. */
export type Row = Readonly<Record<string, unknown>>

/** Options of the connections to a schema. */
export interface ConnectionOptions {
  readonly url: string
  readonly schema: string
  /** Most connections of the pool. */
  readonly connections: number
  /** Seconds within which a connection is made, and a statement answered, or fails. */
  readonly timeout: number
  readonly sockets: Sockets
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
  #isClosed = false

  /** `tablesSql` creates other tables than those of hosted chats, if they do not exist. */
  constructor(options: ConnectionOptions, tablesSql?: string) {
    this.#options = options
    this.#tablesSql = tablesSql
  }

  /** Runs a statement, which is prepared once for each text. */
  async rows(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return await this.#pending.run(() => this.#run(sql, values, this.#nameOf(sql)))
  }

  /**
   * Runs a statement that is not prepared, since its text differs from call to call. A list has its limit in the text: a plan
   * for any limit would read the whole table.
   */
  async list(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return await this.#pending.run(() => this.#run(sql, values))
  }

  async #run(sql: string, values: readonly unknown[], name?: string): Promise<readonly Row[]> {
    const pool = await this.#connected()
    const { rows } = await pool.query<Record<string, unknown>>({ name, text: sql, values: [...values] } as QueryConfig)
    return rows
  }

  /** Subscribes to the notifications of a channel, on a connection of its own. */
  async subscribe(channel: string, { notify, onLost }: SubscriptionCalls): Promise<Subscription> {
    await this.#connected()
    const client = await newClient(this.#options)
    client.on('notification', ({ payload = '' }) => notify(payload))
    client.on('end', onLost)
    const listen = async (): Promise<unknown> => await client.query(`LISTEN "${channel}"`)
    const close = async (): Promise<void> => await client.end()
    try {
      await client.connect()
      await listen()
    } catch (error) {
      await close()
      throw error
    }
    return { renew: listen, close }
  }

  /** Cuts all connections of the backend, which are made again when they are needed. Fails if a new one cannot write. */
  async reconnect(): Promise<void> {
    this.#options.sockets.cut()
    const client = await newClient({ ...this.#options, onError() {} })
    try {
      await client.connect()
      await client.query('SELECT txid_current()')
    } finally {
      await client.end()
    }
  }

  /** Ends the connections after all pending statements: a pool that has ended drops those that wait for a connection. */
  async close(): Promise<void> {
    await this.#pending.settled()
    this.#isClosed = true
    const pool = await this.#pool?.catch(() => undefined)
    await pool?.end()
  }

  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `chats_${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }

  async #connected(): Promise<Pool> {
    if (this.#isClosed) throw new XError('invalid-state', 'the connections to Postgres were closed by this program')
    this.#pool ??= this.#connect().catch((error: unknown) => {
      // The next statement tries again.
      this.#pool = undefined
      throw error
    })
    return await this.#pool
  }

  async #connect(): Promise<Pool> {
    await this.#makeTables()
    const { Pool: PgPool } = await loadPg()
    const { connections, onError } = this.#options
    const Client = await guardedClient(onError)
    const pool = new PgPool({ ...configOf(this.#options), max: connections, Client })
    pool.on('error', onError)
    return pool
  }

  /** Makes or migrates the tables, on a connection without time-outs: it may have to wait for another process that does. */
  async #makeTables(): Promise<void> {
    const { schema } = this.#options
    const client = await newClient(this.#options, false)
    try {
      await client.connect()
      if (this.#tablesSql === undefined) await migrate(client, schema)
      else await createTables(client, schema, this.#tablesSql)
    } finally {
      await client.end()
    }
  }
}

/** Time without a packet after which the operating system asks whether the other side is there. */
const KEEP_ALIVE_DELAY_MS = 10_000
/** Time in which a connection that this process ends has to be ended by the server. */
const END_TIMEOUT_MS = 250

/** The sockets of all connections of a backend. */
export class Sockets {
  readonly #open = new Set<Socket>()

  /** Makes the socket of a new connection. */
  make(): Socket {
    const { Socket: NetSocket } = process.getBuiltinModule('node:net')
    const socket = new NetSocket()
    let timer: NodeJS.Timeout | undefined
    this.#open.add(socket)
    // Without an answer to its end, a socket would keep its process running for minutes.
    socket.once('finish', () => void (timer = setTimeout(() => socket.destroy(), END_TIMEOUT_MS)))
    socket.once('close', () => {
      clearTimeout(timer)
      this.#open.delete(socket)
    })
    return socket
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

/**
 * Settings of every connection. A statement is planned once: for some of them the server would otherwise plan each execution,
 * which takes it several times as long as the execution itself. And it sees what others have written until it begins, whatever
 * the default of the database is.
 */
const SETTINGS = String.raw`-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=read\ committed`

/** Returns the options of a connection. The server gives a statement up as this process does, if its time `isLimited`. */
function configOf({ url, schema, timeout, sockets }: ConnectionOptions, isLimited: boolean = true): ClientConfig {
  const timeoutMs = timeout * 1000
  const { rest, given } = splitOptions(url)
  const limits = `-c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=${timeoutMs}`
  return {
    connectionString: rest,
    // Of a setting that comes twice, the last one counts.
    options: [given, `-c search_path="${schema}"`, SETTINGS, isLimited && limits].filter(Boolean).join(' '),
    connectionTimeoutMillis: timeoutMs,
    query_timeout: isLimited ? timeoutMs : 0,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    stream: () => sockets.make(),
  }
}

/** Tells the URLs of a server; `pg` also reads one with a user and no host. */
export const POSTGRES_URL: ServerUrl = {
  protocol: /^postgres(?:ql)?:\/\//u,
  example: 'postgres://localhost/chats',
  isReadable: (url) => URL.canParse(url) || URL.canParse(url.replace('@/', '@localhost/')),
}

/** Splits the `options` from a URL: `pg` would take them in place of those of a connection, with the schema among them. */
export function splitOptions(url: string): { readonly rest: string; readonly given: string } {
  const start = url.indexOf('?') + 1
  const parameters = new URLSearchParams(start === 0 ? '' : url.slice(start))
  const given = parameters.getAll('options').join(' ')
  if (given === '') return { rest: url, given }
  parameters.delete('options')
  return { rest: url.slice(0, start) + String(parameters), given }
}

/** Makes a client outside of the pool. */
async function newClient(options: ConnectionOptions, isLimited: boolean = true): Promise<Client> {
  const GuardedClient = await guardedClient(options.onError)
  return new GuardedClient(configOf(options, isLimited))
}

/**
 * Returns a client class that always reports a lost connection. A pool listens only to idle clients, and an error without a
 * listener ends the process.
 */
async function guardedClient(onError: (error: unknown) => void): Promise<typeof Client> {
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
    const problem = 'Postgres needs `pg`: install it beside `@x/host-servers`'
    throw new XError('invalid-state', problem, { cause })
  })
  return pg
}
