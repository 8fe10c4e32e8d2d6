import { appendFileSync } from 'node:fs'
import { createHost } from '@x/host'
import { interruptStore, type StorePoint } from '@x/testing/hosting'
import { clerkChat, payingTalk, type ClerkLog } from './clerk.fake.ts'
import { postgres, redis } from './index.ts'

/**
 * A worker on a server: `<url> <log> [<point> <times>]`, with a lease of `LEASE` seconds and
 * a time-out of `TIMEOUT` seconds. It kills itself when it has reached
 * the point so many times. Every model call and every payment is a line of the log; its warnings go to its `stderr`.
 */
const [, , url = '', log = '', point, times] = process.argv
const write = async (line: string): Promise<void> => {
  appendFileSync(log, `${line}\n`)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
const listeners: ClerkLog = {
  asked: (id, content) => write(`asked ${id} ${content}`),
  paid: (id, key) => write(`paid ${id} ${key}`),
}
const options = { timeout: Number(process.env['TIMEOUT'] ?? 10) }
const at = url.startsWith('redis') ? redis(url, options) : postgres(url, options)
const store = interruptStore(at.store, point as StorePoint, (reached) => {
  if (reached === Number(times)) process.kill(process.pid, 'SIGKILL')
})
const host = createHost({ chats: [clerkChat(listeners), payingTalk(listeners)], at: point ? { ...at, store } : at })
await host.work({ concurrency: 5, lease: Number(process.env['LEASE'] ?? 1.5) })
await host.close()
