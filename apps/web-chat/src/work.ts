#!/usr/bin/env node
// One of several workers. It runs chats and accepts no connections.
import { startMonitor } from './monitor.ts'
import { openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const { host } = openChatHost(settings, process.env['WEB_CHAT_AT'])
const stop = new AbortController()
const work = host.work({ concurrency: 100, lease: settings.lease, signal: stop.signal })
process.send?.({ monitor: await startMonitor(host, settings.monitor) })

// The parent process has ended. `SIGTERM` releases all chats, too.
process.once('disconnect', () => stop.abort())
await work
await host.close()
process.exit()
