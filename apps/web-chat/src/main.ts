#!/usr/bin/env node
// The web server and the worker in one process, with the chats in a file or on the server of `--at`.
import { isXError } from '@x/kernel'
import { startChatServer } from './chat-server.ts'
import { startMonitor } from './monitor.ts'
import { modelText, openChatHost, readSettings, secret } from './settings.ts'

const settings = readSettings()
const host = openChatHost(settings, settings.at)
const stop = new AbortController()
const work = host.host
  .work({ concurrency: settings.concurrency, lease: settings.lease, signal: stop.signal })
  .catch((error: unknown) => {
    console.error(isXError(error) ? error.message : error)
    process.exit(1)
  })
const limits = { maxPages: settings.pages }
const server = await startChatServer({ ...settings, host, token: secret('WEB_CHAT_TOKEN'), limits })
const pages = (): number => server.watchers.count
const monitor = await startMonitor({ chats: host, listen: settings.listen, port: settings.monitor, pages })
console.log(`${modelText(settings)} Open ${server.url}`)
if (monitor) console.log(`Metrics are at ${monitor}/metrics`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort()
    void work
      .then(() => server[Symbol.asyncDispose]())
      .then(() => host.host.close())
      .then(() => process.exit())
  })
}
