import { once } from 'node:events'
import { findPostgres, findProgram, startPostgres, startRedis } from './servers.fake.ts'

/** A server of a test in another package, `redis` or `postgres`: a line with its URL, or `missing`; it ends with its input. */
const [kind = ''] = process.argv.slice(2)
const program = kind === 'redis' ? findProgram('redis-server') : findPostgres()
if (program) {
  const server = await (kind === 'redis' ? startRedis : startPostgres)(program)
  process.stdout.write(`${server.url}\n`)
  process.stdin.resume()
  await once(process.stdin, 'end')
  await server.close()
} else {
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes(kind)) throw new Error(`CI expects ${kind}`)
  process.stdout.write('missing\n')
}
