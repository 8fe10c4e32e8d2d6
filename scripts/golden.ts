/**
 * Writes the golden files of this release: what its formats look like when they are stored.
 *
 *   pnpm golden --write   those that are missing; one that exists never changes
 */
import { findPostgres, findProgram, startPostgres, startRedis } from '../packages/host-servers/src/servers.fake.ts'
import { FORMATS } from './golden/formats.ts'
import { writeGolden, type GoldenFormat } from './golden/golden-files.ts'
import { SERVER_FORMATS } from './golden/server-formats.ts'

if (!process.argv.includes('--write')) {
  console.error('give `--write` to write the golden files that are missing')
  process.exit(1)
}

async function write(name: string, format: GoldenFormat): Promise<void> {
  const isNew = await writeGolden(name, format)
  console.log(`${isNew ? 'written' : 'kept   '} ${name}-${format.version}`)
}

for (const [name, format] of Object.entries(FORMATS)) await write(name, format)
const servers = [
  ['host-redis', await startRedis(findProgram('redis-server')!)],
  ['host-postgres', await startPostgres(findPostgres()!)],
] as const
for (const [name, server] of servers) {
  await write(name, SERVER_FORMATS[name](server.url))
  await server.close()
}
