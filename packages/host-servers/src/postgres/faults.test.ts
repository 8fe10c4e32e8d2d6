import pg from 'pg'
import { vi } from 'vitest'
import {
  END_WITHOUT_SERVER,
  faultsSuite,
  refusing,
  sceneBehindProxy,
  SILENCES,
  type Fault,
  type ProxiedScene,
  type Scene,
} from '../faults-suite.fake.ts'
import { startProxy } from '../proxy.fake.ts'
import { findPostgres, skipWithout, startPostgres, type TestServer } from '../servers.fake.ts'
import { postgres } from './postgres.ts'

const programs = findPostgres()

/** A primary whose changes are kept by a standby too before they are answered, behind an address that follows the primary. */
interface StandbyScene extends Scene {
  readonly primary: TestServer
  /** Makes the standby the primary. */
  promote(): Promise<void>
}

async function startScene(path: string): Promise<StandbyScene> {
  const primary = await startPostgres(path)
  const standby = await startPostgres(path, primary)
  await query(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await query(primary, 'SELECT pg_reload_conf()')
  const synchronous = "SELECT pid FROM pg_stat_replication WHERE sync_state = 'sync'"
  await vi.waitUntil(async () => (await query(primary, synchronous)).length === 1, { timeout: 30_000 })
  const proxy = await startProxy(primary.url)
  return {
    ...{ primary, url: proxy.url, workerUrl: proxy.url },
    async promote() {
      await query(standby, 'SELECT pg_promote()')
      proxy.redirect(standby.url)
    },
    async close() {
      for (const each of [proxy, primary, standby]) await each.close()
    },
  }
}

async function query({ url }: TestServer, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const FAILOVER: Fault<StandbyScene> = {
  title: 'the primary is killed and the standby is promoted',
  async strike({ primary, promote }) {
    await primary.kill()
    await promote()
  },
}

/** Makes a server refuse writes, or take them again. */
async function refuseWrites({ server }: ProxiedScene, isRefusing: boolean): Promise<void> {
  await query(server, `ALTER SYSTEM SET default_transaction_read_only = ${isRefusing ? 'on' : 'off'}`)
  await query(server, 'SELECT pg_reload_conf()')
}

const READ_ONLY = refusing('the server refuses writes for two seconds', refuseWrites)

if (programs) {
  const start = async (): Promise<ProxiedScene> => await sceneBehindProxy(await startPostgres(programs))
  faultsSuite('postgres', {
    start,
    open: postgres,
    faults: [READ_ONLY, END_WITHOUT_SERVER, ...SILENCES],
    refuseWrites,
  })
  faultsSuite('postgres with a standby', { start: () => startScene(programs), open: postgres, faults: [FAILOVER] })
} else skipWithout('postgres')
