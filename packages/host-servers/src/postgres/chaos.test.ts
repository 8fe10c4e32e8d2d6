import { chaosSuite } from '../chaos-suite.fake.ts'
import { limitsSuite } from '../limits-suite.fake.ts'
import { findPostgres, skipWithout, startPostgres } from '../servers.fake.ts'
import { postgres } from './postgres.ts'

const programs = findPostgres()

if (programs) {
  await chaosSuite('postgres', () => startPostgres(programs), postgres)
  limitsSuite('postgres', () => startPostgres(programs), postgres)
} else skipWithout('postgres')
