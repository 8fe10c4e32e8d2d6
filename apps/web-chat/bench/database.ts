import { Redis } from 'ioredis'
import pg from 'pg'

/** Cuts the connections of all other clients to a database server, and returns their number. */
export async function cutConnections(address: string): Promise<number> {
  return /^rediss?:/u.test(address) ? await cutRedis(address) : await cutPostgres(address)
}

/** Returns the bytes that a database server uses: of memory, or of the disk. */
export async function usedBytes(address: string): Promise<number> {
  if (!/^rediss?:/u.test(address)) {
    return await withPostgres(address, async (client) => {
      const { rows } = await client.query<{ readonly size: string }>(
        'select pg_database_size(current_database()) as size',
      )
      return Number(rows[0]!.size)
    })
  }
  const client = new Redis(address)
  try {
    return Number(/^used_memory:(\d+)/mu.exec(await client.info('memory'))?.[1])
  } finally {
    client.disconnect()
  }
}

async function cutRedis(address: string): Promise<number> {
  const client = new Redis(address)
  try {
    let cut = 0
    for (const type of ['normal', 'pubsub'])
      cut += Number(await client.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'))
    return cut
  } finally {
    client.disconnect()
  }
}

async function cutPostgres(address: string): Promise<number> {
  return await withPostgres(address, async (client) => {
    const cut = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return cut.rowCount ?? 0
  })
}

async function withPostgres<T>(address: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}
