#!/usr/bin/env node
// Deletes the chats in which nothing has happened for `--days` days. It takes the options of a worker.
import { forgetChats } from './chat-reader.ts'
import { openChatHost, readSettings } from './settings.ts'

const settings = readSettings()
const chats = openChatHost(settings, settings.at)
const count = await forgetChats(chats, Date.now() - settings.days * 24 * 3600 * 1000)
console.log(`${count} chats are deleted.`)
await chats.host.close()
process.exit()
