import { isXError } from '@x/kernel'
import { expect, test } from 'vitest'
import { createCatalogue } from '../catalogue/catalogue.ts'
import { createAdapterClient } from './adapter-client.ts'
import type { Dialect, LoweredRequest, Wire } from './dialect.ts'

const HELLO = { messages: [{ role: 'user' as const, content: 'Hi' }] }

/** A client whose provider answers with a body; `counts`: whether its wire format can count. */
function clientOf(body: unknown, counts: boolean = true) {
  const asked: LoweredRequest[] = []
  const dialect: Dialect = {
    provider: 'p',
    ids: { maxLength: 40, forbidden: /[^\w-]/gu },
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({}),
    lower: (_, { model }) => ({ model, body: {} }),
    reader: () => ({ push: () => true }),
    ...(counts && {
      lowerCount: (_, { model }) => ({ model, body: {}, operation: 'countTokens' }),
      readCount: (answer) => (answer as { tokens: unknown } | null)?.tokens,
    }),
  }
  const wire: Wire = {
    secrets: new Set(),
    url: 'http://p.invalid',
    complete: async (request) => {
      asked.push(request)
      return body
    },
    stream: () => Promise.reject(new Error('unused')),
  }
  const config = { model: 'm', maxRetries: 0 }
  const catalogue = createCatalogue({ date: '2026-01-01', models: {} })
  const client = createAdapterClient({
    config,
    catalogue,
    now: () => 0,
    dialect,
    connect: () => wire,
  })
  return { client, asked }
}

test('a client counts where its wire format can', async () => {
  const { client, asked } = clientOf({ tokens: 12 })
  expect(await client.countTokens!(HELLO, {})).toBe(12)
  expect(asked).toMatchObject([{ model: 'm', operation: 'countTokens' }])
  expect(clientOf({ tokens: 12 }, false).client.countTokens).toBeUndefined()
})

test.each([null, {}, { tokens: '12' }, { tokens: -1 }, { tokens: 1.5 }])('%j has no number of tokens', async (body) => {
  const { client } = clientOf(body)
  await expect(client.countTokens!(HELLO, {})).rejects.toSatisfy((error) => isXError(error) && error.kind === 'server')
})
