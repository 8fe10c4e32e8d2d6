#!/usr/bin/env node
// One of several workers. It runs chats and accepts no connections.
import { startMonitor } from './monitor.ts'
import { openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const chats = openChatHost(settings, settings.at)
const { host } = chats
const stop = new AbortController()
const work = host.work({ concurrency: settings.concurrency, lease: settings.lease, signal: stop.signal })
const monitor = await startMonitor({ chats, listen: settings.listen, port: settings.monitor })
process.send?.({ monitor })

// The parent process has ended. `SIGTERM` releases all chats, too.
process.once('disconnect', () => stop.abort())
await work
await host.close()
process.exit()
