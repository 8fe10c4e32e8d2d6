import type { ConfigEntry } from '@x/interfaces'
import { expect, test } from 'vitest'
import { fakeWire } from '../wire.fake.ts'

const COUNT = { object: 'response.input_tokens', input_tokens: 42 }

const AZURE: ConfigEntry = { apiType: 'azure', baseUrl: 'https://res.openai.azure.com/openai/v1' }

test.each<[string, ConfigEntry]>([
  ['https://api.openai.com/v1/responses/input_tokens', {}],
  ['https://api.openai.com/v1/responses/input_tokens', { api: 'chat' }],
  ['https://res.openai.azure.com/openai/v1/responses/input_tokens', AZURE],
])('%s', async (url, config) => {
  const { client, sent } = fakeWire(COUNT, { model: 'gpt-5.5', ...config })
  const tool = { type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const params = { messages, tools: [tool], max_tokens: 99, reasoning_effort: 'low', service_tier: 'flex', user: 'u' }
  expect(await client.countTokens!({ model: 'gpt-5.5', ...params }, {})).toBe(42)
  expect(sent[0]!.url).toBe(url)
  expect(sent[0]!.body).toEqual({
    model: 'gpt-5.5',
    input: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }],
    reasoning: { effort: 'low' },
  })
})

test('an endpoint without the Responses API counts no tokens', () => {
  expect(fakeWire(COUNT, { baseUrl: 'https://api.groq.com/openai/v1' }).client.countTokens).toBeUndefined()
})
