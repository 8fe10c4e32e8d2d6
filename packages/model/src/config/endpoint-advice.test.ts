import { readFileSync } from 'node:fs'
import type { ConfigEntry } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { fakeProvider } from '../fakes/provider.fake.ts'
import { llmConfig } from '../wrapper/llm-config.ts'
import { ENDPOINT_URLS } from './endpoint-advice.ts'

const { provider: fake } = fakeProvider(['x'])
const openai = { ...fake, apiTypes: ['openai', 'azure'] }
const anthropic = { ...fake, apiTypes: ['anthropic'] }
const google = { ...fake, apiTypes: ['google'] }

describe('an `apiType` that no provider has', () => {
  const missing = (apiType: string | undefined, providers = [openai]) =>
    llmConfig({ providers, configList: [{ model: 'm', apiType }] })

  test.each<[string | undefined, string]>([
    [
      'anthropic',
      "install `@x/provider-anthropic` and write `providers: [anthropic]`, or `anthropic('m')` in place of the entry (there: openai, azure)",
    ],
    ['google', "install `@x/provider-google` and write `providers: [google]`, or `google('m')` in place of the entry"],
    ['claude', "write `apiType: 'anthropic'`"],
    ['gemini', "write `apiType: 'google'`"],
    ['vertex_ai', "write `apiType: 'google'`"],
    ['OpenAI', "write `apiType: 'openai'`"],
    ['open_ai', "write `apiType: 'openai'`"],
    ['antropic', "write `apiType: 'anthropic'`"],
    ['responses', "leave `apiType` out and write `api: 'responses'`"],
    ['responses_v2', "leave `apiType` out and write `api: 'responses'`"],
    [
      'groq',
      "leave `apiType` out and write `baseUrl: 'https://api.groq.com/openai/v1'`, which `openai` of `@x/provider-openai` reaches",
    ],
    ['Groq', "leave `apiType` out and write `baseUrl: 'https://api.groq.com/openai/v1'`"],
    ['lm_studio', "leave `apiType` out and write `baseUrl: 'http://localhost:1234/v1'`"],
    ['ollama', "leave `apiType` out and write `baseUrl: 'http://localhost:11434/v1'`"],
    [
      'mistral',
      "leave `apiType` out and write `baseUrl: 'https://api.mistral.ai/v1'`, which `openai` of `@x/provider-openai` reaches by its row `mistral`",
    ],
    ['mistral-ai', "leave `apiType` out and write `baseUrl: 'https://api.mistral.ai/v1'`"],
    ['deepseek', "leave `apiType` out and write `baseUrl: 'https://api.deepseek.com'`"],
    ['together_ai', "leave `apiType` out and write `baseUrl: 'https://api.together.xyz/v1'`"],
    ['x.ai', "leave `apiType` out and write `baseUrl: 'https://api.x.ai/v1'`"],
    ['grok', "leave `apiType` out and write `baseUrl: 'https://api.x.ai/v1'`"],
    [
      'snowflake',
      "leave `apiType` out and write the `baseUrl` of the server and `endpointProfile: 'snowflake'`, for `openai` of `@x/provider-openai`",
    ],
    ['llama.cpp', "leave `apiType` out and write the `baseUrl` of the server and `endpointProfile: 'compatible'`"],
    [
      'cohere',
      "leave `apiType` out and write `baseUrl: 'https://api.cohere.ai/compatibility/v1'`, which `openai` of `@x/provider-openai` reaches by its row `compatible`",
    ],
    [
      'bedrock',
      "for Claude, import `anthropicBedrock` of `@x/provider-anthropic/bedrock`, and write `providers: [anthropicBedrock]` with `apiType: 'anthropic-bedrock'`; other models by `@x/provider-ai-sdk`",
    ],
    ['anthropic-vertex', 'for Claude, import `anthropicVertex` of `@x/provider-anthropic/vertex`, and write'],
    ['acme', 'add a provider for it to `providers` (there: openai, azure)'],
  ])('`%s`: the message says what to write', (apiType, remedy) => {
    expect(() => missing(apiType)).toThrow(
      expect.objectContaining({
        code: 'unknown-provider',
        message: expect.stringContaining(`no provider answers for \`apiType: '${apiType}'\` of entry 0: ${remedy}`),
      }),
    )
  })

  test('without `providers`, the message names the package as well', () => {
    expect(() => missing(undefined, [])).toThrow(
      "no provider answers for `apiType: 'openai'` of entry 0: install `@x/provider-openai` and write `providers: [openai]`, or `openai('m')` in place of the entry",
    )
    expect(() => missing('azure', [])).toThrow(
      "install `@x/provider-openai` and write `providers: [openai]`, or `openai('m', { apiType: 'azure' })` in place",
    )
    expect(() => missing('groq', [])).toThrow('which `openai` of `@x/provider-openai` reaches')
  })
})

test('the addresses of endpoints are those of the documentation', () => {
  const text = readFileSync(new URL('../../../../docs/endpoints.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)`\s+\| `(https?:[^`]+)`\s+\|$/gmu)].map(([, name, url]) => [name, url])
  expect(Object.entries(ENDPOINT_URLS)).toEqual(rows)
})

describe('a `baseUrl` to which the adapter adds its own path', () => {
  const withUrl = (baseUrl: string, entry: ConfigEntry = {}) =>
    llmConfig({ providers: [openai, anthropic, google, fake], configList: [{ model: 'm', baseUrl, ...entry }] })

  test.each<[string, ConfigEntry, string, string]>([
    [
      'https://api.groq.com/openai/v1/chat/completions',
      {},
      '/chat/completions',
      "`baseUrl: 'https://api.groq.com/openai/v1'`",
    ],
    ['http://localhost:11434/v1/chat/completions/', {}, '/chat/completions', "`baseUrl: 'http://localhost:11434/v1'`"],
    ['https://x.example.com/v1/completions', {}, '/completions', "`baseUrl: 'https://x.example.com/v1'`"],
    ['https://x.example.com/v1/responses', {}, '/responses', "`baseUrl: 'https://x.example.com/v1'`"],
    [
      'https://r.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
      { apiType: 'azure' },
      '/chat/completions',
      "`baseUrl: 'https://r.openai.azure.com'`, `model: 'gpt-4o'`, `apiVersion: '2024-10-21'`",
    ],
    [
      'https://r.openai.azure.com/openai/v1/responses',
      { apiType: 'azure' },
      '/responses',
      "`baseUrl: 'https://r.openai.azure.com/openai/v1'`",
    ],
    [
      'https://api.anthropic.com/v1/messages',
      { apiType: 'anthropic' },
      '/v1/messages',
      "`baseUrl: 'https://api.anthropic.com'`",
    ],
    [
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
      { apiType: 'google' },
      '/models/gemini-2.5-flash:generateContent',
      "`baseUrl: 'https://generativelanguage.googleapis.com/v1beta'`",
    ],
    [
      'https://ann:sesame-open-9@x.example.com/v1/chat/completions?key=sesame-open-8',
      {},
      '/chat/completions',
      "`baseUrl: 'https://x.example.com/v1'`",
    ],
  ])('%s is refused when the config is made', (baseUrl, entry, end, remedy) => {
    const call = () => withUrl(baseUrl, entry)
    expect(call).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: `\`baseUrl\` of entry 0 of \`configList\` ends in \`${end}\`, which is added to each request: write ${remedy}`,
      }),
    )
    expect(call).not.toThrow('sesame')
  })

  test.each<[string, ConfigEntry]>([
    ['http://localhost:11434/v1', {}],
    ['http://localhost:8000', {}],
    ['https://api.perplexity.ai', {}],
    ['https://gateway.example.com/chat/completions/v1', {}],
    ['https://r.openai.azure.com/openai/deployments/gpt-4o', { apiType: 'azure' }],
    ['https://api.anthropic.com/v1', { apiType: 'anthropic' }],
    ['https://gateway.example.com/v1/chat/completions', { apiType: 'fake' }],
    ['https://gateway.example.com/v1/chat/completions', { modelClientCls: 'Own' }],
    ['not a url/chat/completions', {}],
  ])('%s %j is left alone', (baseUrl, entry) => {
    expect(() => withUrl(baseUrl, entry)).not.toThrow()
  })
})
