import { createBudget, ModelWrapper } from '@x/model'
import { openai } from '@x/provider-openai'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'

const messages = [{ role: 'user' as const, content: 'hi' }]
let server: Worker
let baseUrl: string

beforeAll(async () => {
  server = new Worker(new URL('fault-thread.ts', import.meta.url))
  ;[baseUrl] = (await once(server, 'message')) as [string]
})
afterAll(async () => void (await server.terminate()))

const ways: Record<string, (model: ModelWrapper) => Promise<unknown>> = {
  create: async (model) => await model.create({ messages }),
  createSync: async (model) => model.createSync({ messages }),
  createStream: async (model) => await model.createStream({ messages }).result,
}

test.each(
  Object.entries(ways).flatMap(([name, ask]) => [
    { name, ask, limit: 10, requests: 3 },
    { name, ask, limit: 2, requests: 2 },
  ]),
)('$name counts every refused request of $limit that may be sent: $requests', async ({ ask, limit, requests }) => {
  const budget = createBudget({ calls: limit })
  const model = new ModelWrapper({
    providers: [openai],
    configList: [{ model: 'again', baseUrl, apiKey: 'k', maxRetries: 2 }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
    budget,
  })
  await expect(ask(model)).rejects.toMatchObject({ kind: 'overloaded' })
  // The provider itself says that it is overloaded, so it has not worked on a request.
  expect(budget.spent).toEqual({ cost: 0, tokens: 0, calls: requests })
})

test.each(Object.entries(ways))('%s of an answer is one call', async (_, ask) => {
  const budget = createBudget({ calls: 5, tokens: 1000 })
  const model = new ModelWrapper({
    providers: [openai],
    configList: [{ model: 'gpt-4o-mini', baseUrl, apiKey: 'k' }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
    budget,
  })
  await ask(model)
  expect(budget.spent).toMatchObject({ calls: 1, tokens: 15 })
})
