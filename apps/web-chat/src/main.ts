#!/usr/bin/env node
// The web server and the worker in one process, with the chats in a file or on the server of `--at`.
import { isXError } from '@x/kernel'
import { startChatServer } from './chat-server.ts'
import { startMonitor } from './monitor.ts'
import { modelText, openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const host = openChatHost(settings, settings.at)
const stop = new AbortController()
const work = host.host
  .work({ concurrency: 100, lease: settings.lease, signal: stop.signal })
  .catch((error: unknown) => {
    console.error(isXError(error) ? error.message : error)
    process.exit(1)
  })
const server = await startChatServer({ ...settings, host })
const monitor = await startMonitor(host.host, settings.monitor)
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
