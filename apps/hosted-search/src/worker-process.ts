import { createHost } from '@x/host'
import { postgres, redis } from '@x/host-bullmq'
import { appendFileSync } from 'node:fs'
import { randomParts, searchChats } from './thinking.ts'

/**
 * A worker on a server, `<url> <milliseconds of a call> [<lease> [<log>]]`: it searches and performs jobs of searches until
 * it is ended. Every call is a line of the log.
 */
const [url = '', ms = '0', lease = '30', log] = process.argv.slice(2)
const asked = log === undefined ? undefined : (what: string): void => appendFileSync(log, `${JSON.stringify(what)}\n`)
const onError = (): void => {}
const at = url.startsWith('redis') ? redis(url, { onError }) : postgres(url, { onError })
const chats = searchChats((seed) => randomParts({ seed, ms: Number(ms), asked }))
const host = createHost({ chats, at })
process.stdout.write('working\n')
await host.work({ lease: Number(lease), onError })
await host.close()
