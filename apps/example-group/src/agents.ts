import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionAgents } from '@x/session'
import { createExampleGroup, type ExampleGroupOptions } from './example-group.ts'

/** Makes the example group for `x chat`; an order is written down in the folder of the chat, since the shop is none. */
export const agents = ({
  folder,
  ...options
}: Pick<ExampleGroupOptions, 'llmConfig' | 'io'> & { readonly folder: string }): SessionAgents =>
  createExampleGroup({
    ...{ llmConfig: options.llmConfig, io: options.io },
    order(request) {
      appendFileSync(join(folder, 'orders.jsonl'), `${JSON.stringify(request)}\n`)
      return `${request.items.join(', ')}: ordered at the ${request.shop}`
    },
  })
