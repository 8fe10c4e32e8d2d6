import { appendFileSync } from 'node:fs'
import { createHost, sqlite } from './index.ts'
import { randomChat } from './random-program.fake.ts'

/** A worker of random programs: `<file> <log>`. */
const [, , file = '', log = ''] = process.argv
const chat = randomChat(async (line) => {
  appendFileSync(log, `${line}\n`)
  await new Promise((resolve) => setTimeout(resolve, 10))
})
const host = createHost({ chats: [chat], at: sqlite(file) })
await host.work({ concurrency: 10, lease: 5 })
await host.close()
