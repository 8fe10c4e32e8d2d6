import { appendFileSync } from 'node:fs'
import { interruptStore, type StorePoint } from '@x/testing/hosting'
import { clerkChat, type ClerkLog } from './clerk.fake.ts'
import { createHost, sqlite } from './index.ts'
import { talkChat } from './talk.fake.ts'

/**
 * A worker on a file: `<file> <log> [<point> <times>]`. It kills itself when it has reached the point so many times. Every model
 * call and every payment is a line of the log.
 */
const [, , file = '', log = '', point, times] = process.argv
const write = (line: string): void => appendFileSync(log, `${line}\n`)
const listeners: ClerkLog = {
  async asked(id, content) {
    write(`asked ${id} ${content}`)
    // A fault of the program that kills its worker.
    if (id === 'poison') process.exit(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
  },
  async paid(id, key) {
    write(`paid ${id} ${key}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  },
}
const at = sqlite(file)
const store = interruptStore(at.store, point as StorePoint, (reached) => {
  if (reached === Number(times)) process.kill(process.pid, 'SIGKILL')
})
const host = createHost({ chats: [clerkChat(listeners), talkChat(listeners)], at: point ? { ...at, store } : at })
await host.work({ concurrency: 20, lease: 5 })
await host.close()
