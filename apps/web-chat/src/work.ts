#!/usr/bin/env node
// One of several workers: it runs chats, and nobody connects to it.
import { startMonitor } from './monitor.ts'
import { openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const { host } = openChatHost(settings, process.env['WEB_CHAT_AT'])
const stop = new AbortController()
const work = host.work({ concurrency: 100, lease: settings.lease, signal: stop.signal })
process.send?.({ monitor: await startMonitor(host, settings.monitor) })

// Who has started it is gone. `SIGTERM` hands everything over, too.
process.once('disconnect', () => stop.abort())
await work
await host.close()
process.exit()
