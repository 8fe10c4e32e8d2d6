#!/usr/bin/env node
// One of several web servers. It runs no chats and has no state.
import { startChatServer } from './chat-server.ts'
import { startMonitor } from './monitor.ts'
import { openChatHost, readSettings } from './settings.ts'

const { WEB_CHAT_AT: address, WEB_CHAT_TOKEN: token } = process.env
const settings = readSettings()
const host = openChatHost(settings, address)
const server = await startChatServer({ ...settings, host, token })
process.send?.({ url: server.url, monitor: await startMonitor(host.host, settings.monitor) })

const end = (): void =>
  void server[Symbol.asyncDispose]()
    .then(() => host.host.close())
    .then(() => process.exit())
process.once('SIGTERM', end)
// The parent process has ended.
process.once('disconnect', end)
