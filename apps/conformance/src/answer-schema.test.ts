import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { expect, it } from 'vitest'

it.each([
  [openai, 'gpt-4o', true],
  [openai, 'qwen3', undefined],
  [anthropic, 'claude-sonnet-4-5', true],
  [anthropic, 'claude-3-5-haiku-latest', false],
  [google, 'gemini-3-pro-preview', true],
  [google, 'gemini-2.5-flash', false],
])('an adapter says whether a model takes a schema of its answer beside tools: %#', (provider, model, can) => {
  const { capabilities } = provider.createClient({ model, apiKey: 'k' })
  expect(capabilities?.structuredOutputWithTools).toBe(can)
})
