#!/usr/bin/env node
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ChatSession } from '@x/session'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { createExampleAgents } from './assistant.ts'
import { startChatServer } from './chat-server.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'web-chat' },
    port: { type: 'string', default: '0' },
    model: { type: 'string', default: 'gpt-5-mini' },
    'base-url': { type: 'string' },
  },
})
const { folder, port, model, 'base-url': baseUrl } = values
const apiKey = process.env['OPENAI_API_KEY']
const real =
  apiKey || baseUrl ? llmConfig({ providers: [openai], configList: [{ model, apiKey, baseUrl }] }) : undefined

const server = await startChatServer({
  port: Number(port),
  open: (io) =>
    new ChatSession({
      folder,
      agents: () =>
        createExampleAgents({
          llmConfig: real,
          io,
          send: (to, text) => appendFileSync(join(folder, 'letters.jsonl'), `${JSON.stringify({ to, text })}\n`),
        }),
    }),
})
console.log(`${real ? `The model is ${model}.` : 'The model is simulated.'} Open ${server.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit()))
}
