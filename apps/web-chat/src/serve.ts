#!/usr/bin/env node
// One of several web servers. It runs no chats and has no state.
import { startChatServer } from './chat-server.ts'
import { startMonitor } from './monitor.ts'
import { openChatHost, readSettings, secret } from './settings.ts'

const settings = readSettings()
const host = openChatHost(settings, settings.at)
const token = secret('WEB_CHAT_TOKEN')
const limits = { maxPages: settings.pages }
const server = await startChatServer({ ...settings, host, token, limits })
const pages = (): number => server.watchers.count
const monitor = await startMonitor({ chats: host, listen: settings.listen, port: settings.monitor, pages })
if (process.send) process.send({ url: server.url, port: server.port, monitor })
else console.log(token === undefined ? `Open ${server.url}` : `Open ${server.origin}/# with the token behind it.`)

const end = (): void =>
  void server[Symbol.asyncDispose]()
    .then(() => host.host.close())
    .then(() => process.exit())
process.once('SIGTERM', end)
// The parent process has ended.
process.once('disconnect', end)
