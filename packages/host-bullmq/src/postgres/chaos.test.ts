import pg from 'pg'
import { chaosSuite } from '../chaos-suite.fake.ts'
import {
  END_WITHOUT_SERVER,
  faultsSuite,
  later,
  sceneBehindProxy,
  SILENCES,
  type Fault,
  type ProxiedScene,
} from '../faults-suite.fake.ts'
import { limitsSuite } from '../limits-suite.fake.ts'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { postgres } from './postgres.ts'

const programs = findPostgres()

const READ_ONLY: Fault<ProxiedScene> = {
  title: 'the server refuses writes for two seconds',
  async strike({ server }) {
    const client = new pg.Client(server.url)
    await client.connect()
    for (const state of ['on', 'off']) {
      await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${state}`)
      await client.query('SELECT pg_reload_conf()')
      if (state === 'on') await later(2000)
    }
    await client.end()
  },
}

if (programs) {
  await chaosSuite('postgres', () => startPostgres(programs), postgres)
  limitsSuite('postgres', () => startPostgres(programs), postgres)
  const start = async (): Promise<ProxiedScene> => await sceneBehindProxy(await startPostgres(programs))
  faultsSuite('postgres', {
    start,
    open: postgres,
    faults: [READ_ONLY, END_WITHOUT_SERVER, ...SILENCES],
    countsErrors: true,
  })
} else skipWithout('postgres')
