import { createHost } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import { appendFileSync } from 'node:fs'
import { randomParts, searchChats } from './thinking.ts'

/**
 * A worker on a server: `<url> <milliseconds of a call> [<lease> [<log>]]`. It runs searches and their jobs until it is stopped.
 * Every call is a line of the log.
 */
const [url = '', ms = '0', lease = '30', log] = process.argv.slice(2)
const onCall = log === undefined ? undefined : (key: string): void => appendFileSync(log, `${JSON.stringify(key)}\n`)
const onError = (): void => {}
const at = url.startsWith('redis') ? redis(url, { onError }) : postgres(url, { onError })
const chats = searchChats((seed) => randomParts({ seed, ms: Number(ms), onCall }))
const host = createHost({ chats, at })
process.stdout.write('working\n')
await host.work({ lease: Number(lease), onError })
await host.close()
