import { createInterface } from 'node:readline'
import { findPostgres, findProgram, startPostgres, startRedis } from './servers.fake.ts'

/**
 * A server for tests of other packages, `redis` or `postgres`: prints a line with the URL, or `missing`, and ends with the
 * input. For each line of the input, the server crashes, starts again, and prints a line.
 */
const [kind = ''] = process.argv.slice(2)
const program = kind === 'redis' ? findProgram('redis-server') : findPostgres()
if (program) {
  const server = await (kind === 'redis' ? startRedis : startPostgres)(program)
  process.stdout.write(`${server.url}\n`)
  for await (const _ of createInterface({ input: process.stdin })) {
    await server.kill()
    await server.start()
    process.stdout.write('again\n')
  }
  await server.close()
} else {
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes(kind)) throw new Error(`CI expects ${kind}`)
  process.stdout.write('missing\n')
}
