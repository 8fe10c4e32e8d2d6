import { Redis } from 'ioredis'
import pg from 'pg'

/** Cuts the connections of all other clients to a database server, and returns their number. */
export async function cutConnections(address: string): Promise<number> {
  return /^rediss?:/u.test(address) ? await cutRedis(address) : await cutPostgres(address)
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
  const client = new pg.Client(address)
  await client.connect()
  try {
    const cut = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return cut.rowCount ?? 0
  } finally {
    await client.end()
  }
}
