import { Redis } from 'ioredis'
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
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { redis } from './redis.ts'

const program = findProgram('redis-server')

const FULL: Fault<ProxiedScene> = {
  title: 'the server is full for two seconds',
  async strike({ server }) {
    const client = new Redis(server.url)
    await client.config('SET', 'maxmemory', '1')
    await later(2000)
    await client.config('SET', 'maxmemory', '0')
    client.disconnect()
  },
}

if (program) {
  await chaosSuite('redis', () => startRedis(program), redis)
  limitsSuite('redis', () => startRedis(program), redis)
  const start = async (): Promise<ProxiedScene> => await sceneBehindProxy(await startRedis(program))
  faultsSuite('redis', { start, open: redis, faults: [FULL, END_WITHOUT_SERVER, ...SILENCES], countsErrors: true })
} else skipWithout('redis')
