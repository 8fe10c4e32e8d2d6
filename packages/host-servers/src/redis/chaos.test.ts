import { chaosSuite } from '../chaos-suite.fake.ts'
import { limitsSuite } from '../limits-suite.fake.ts'
import { findProgram, skipWithout, startRedis } from '../servers.fake.ts'
import { redis } from './redis.ts'

const program = findProgram('redis-server')

if (program) {
  await chaosSuite('redis', () => startRedis(program), redis)
  limitsSuite('redis', () => startRedis(program), redis)
} else skipWithout('redis')
