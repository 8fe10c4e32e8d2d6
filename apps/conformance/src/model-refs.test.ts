import type { ModelRef } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic, createAnthropic } from '@x/provider-anthropic'
import { createGoogle, google } from '@x/provider-google'
import { createOpenAI, openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { afterEach, describe, expect, test, vi } from 'vitest'

const KEY = 'CanaryOf2026PlainKey'
const ELSEWHERE = 'https://models.example.com/v1'

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each<[ModelRef, string, readonly string[]]>([
  [openai('gpt-5-mini'), 'openai', ['OPENAI_API_KEY']],
  [openai('gpt-5-mini', { baseUrl: 'https://eu.api.openai.com/v1' }), 'openai', ['OPENAI_API_KEY']],
  [openai('gpt-5-mini', { apiKey: KEY }), 'openai', []],
  [openai('qwen3', { baseUrl: ELSEWHERE }), 'openai', []],
  [openai('d', { apiType: 'azure', baseUrl: 'https://a.openai.azure.com' }), 'azure', ['AZURE_OPENAI_API_KEY']],
  [openai('d', { apiType: 'azure', apiKey: () => KEY }), 'azure', []],
  [createOpenAI({ now: Date.now })('gpt-5-mini'), 'openai', ['OPENAI_API_KEY']],
  [anthropic('claude-haiku-4-5'), 'anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']],
  [anthropic('claude-haiku-4-5', { apiKey: KEY }), 'anthropic', []],
  [anthropic('claude-haiku-4-5', { baseUrl: ELSEWHERE }), 'anthropic', []],
  [createAnthropic({ now: Date.now })('c'), 'anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']],
  [google('gemini-2.5-flash'), 'google', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']],
  [google('gemini-2.5-flash', { apiKey: KEY }), 'google', []],
  [google('gemini-2.5-flash', { baseUrl: ELSEWHERE }), 'google', []],
  [createGoogle({ now: Date.now })('g'), 'google', ['GOOGLE_API_KEY', 'GEMINI_API_KEY']],
])('%j says where its key comes from', (ref, apiType, environment) => {
  expect(ref).toMatchObject({ apiType, environment })
})

const HEADERS: Readonly<Record<string, string>> = {
  openai: 'authorization',
  anthropic: 'x-api-key',
  google: 'x-goog-api-key',
}

describe.each([
  [openai, 'gpt-5-mini', { api: 'responses' }, responsesFormat],
  [anthropic, 'claude-haiku-4-5', {}, anthropicFormat],
  [google, 'gemini-2.5-flash', {}, googleFormat],
] as const)('%s', (provider, model, options, format) => {
  test('reads its key when the model is asked, and not before', async () => {
    const sent: Headers[] = []
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      sent.push(new Headers(init?.headers))
      return Response.json(format.whole({ text: 'Hi' }))
    }
    const ref = (provider as (model: string, options: object) => ModelRef)(model, { ...options, fetch, maxRetries: 0 })
    for (const name of ref.environment) vi.stubEnv(name, '')
    const asked = llmConfig(ref).with({ cacheSeed: null }).createModel()
    vi.stubEnv(ref.environment[0]!, KEY)
    const { choices } = await asked.create({ messages: [{ role: 'user', content: 'Hello' }] })
    expect(choices[0]?.message.content).toBe('Hi')
    expect(sent.map((headers) => headers.get(HEADERS[provider.apiTypes[0]!]!))).toEqual([expect.stringContaining(KEY)])
    expect(JSON.stringify(ref)).not.toContain(KEY)
  })
})
