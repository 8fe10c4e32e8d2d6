import { appendFileSync } from 'node:fs'
import { longTalkHost } from './long-talk-host.ts'

/** A worker of a long conversation: `<URL or path of the store> <file>`. It notes there what its claims have read at most. */
const [store, log] = process.argv.slice(2) as [string, string]
const most = { entries: 0, unread: 0 }
const host = longTalkHost(store, ({ entries, messages }) => {
  const unread = messages.length
  if (entries.length <= most.entries && unread <= most.unread) return
  most.entries = Math.max(most.entries, entries.length)
  most.unread = Math.max(most.unread, unread)
  appendFileSync(log, `${JSON.stringify(most)}\n`)
})
await host.work({ lease: 1 })
await host.close()
