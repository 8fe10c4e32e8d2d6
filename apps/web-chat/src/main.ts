#!/usr/bin/env node
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createExampleGroup } from '@x/example-group'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ChatSession } from '@x/session'
import { createExampleAgents } from './assistant.ts'
import { startChatServer } from './chat-server.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'web-chat' },
    port: { type: 'string', default: '0' },
    model: { type: 'string', default: 'gpt-5-mini' },
    'base-url': { type: 'string' },
    group: { type: 'boolean', default: false },
  },
})
const { port, model, 'base-url': baseUrl } = values
const apiKey = process.env['OPENAI_API_KEY']
const real =
  apiKey || baseUrl ? llmConfig({ providers: [openai], configList: [{ model, apiKey, baseUrl }] }) : undefined

const server = await startChatServer({
  port: Number(port),
  folder: values.folder,
  kind: values.group ? 'group' : 'assistant',
  open({ questions: io, folder, kind }) {
    const keep = (file: string, line: object): void => appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`)
    const order = (request: { readonly items: readonly string[]; readonly shop: string }): string => {
      keep('orders.jsonl', request)
      return `${request.items.join(', ')}: ordered at the ${request.shop}`
    }
    return new ChatSession({
      folder,
      agents: () =>
        kind === 'group'
          ? createExampleGroup({ llmConfig: real, io, order })
          : createExampleAgents({ llmConfig: real, io, send: (to, text) => keep('letters.jsonl', { to, text }) }),
    })
  },
})
console.log(`${real ? `The model is ${model}.` : 'The model is simulated.'} Open ${server.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit()))
}
