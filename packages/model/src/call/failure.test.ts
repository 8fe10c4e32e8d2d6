import type { ConfigEntry, ErrorInit, ModelErrorKind } from '@x/interfaces'
import { XError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { fakeProvider, hello, recordingIo } from '../fakes/provider.fake.ts'
import { llmConfig } from '../wrapper/llm-config.ts'

/** Asks a model whose only request fails, and returns the message of the error. */
async function messageOf(
  entry: ConfigEntry,
  kind: ModelErrorKind,
  text: string,
  init: ErrorInit = {},
): Promise<string> {
  const { provider } = fakeProvider([new XError('model-failed', text, { ...init, kind })], {
    apiType: entry.apiType ?? 'openai',
  })
  const configList = [{ model: 'm', maxRetries: 0, cacheSeed: null, ...entry }]
  const model = llmConfig({ providers: [provider], configList }).createModel({ io: recordingIo().io })
  return await model.create({ messages: hello }).then(
    () => 'no error',
    (error: Error) => error.message,
  )
}

describe('an address that has no model', () => {
  test.each<[ConfigEntry, string]>([
    [{ baseUrl: 'http://localhost:11434' }, "try `baseUrl: 'http://localhost:11434/v1'`"],
    [{ baseUrl: 'http://localhost:11434/api' }, "try `baseUrl: 'http://localhost:11434/v1'`"],
    [{ baseUrl: 'http://gpu.example.com:8000/' }, "try `baseUrl: 'http://gpu.example.com:8000/v1'`"],
    [{ baseUrl: 'https://gateway.example.com/team/a' }, "try `baseUrl: 'https://gateway.example.com/team/a/v1'`"],
    [{ baseUrl: 'https://api.groq.com/v1' }, "try `baseUrl: 'https://api.groq.com/openai/v1'`"],
    [{ baseUrl: 'https://openrouter.ai' }, "try `baseUrl: 'https://openrouter.ai/api/v1'`"],
    [{ baseUrl: 'https://api.deepseek.com/v2' }, "try `baseUrl: 'https://api.deepseek.com'`"],
    [
      { baseUrl: 'https://ann:sesame-open-9@x.example.com?key=sesame-open-8' },
      "try `baseUrl: 'https://x.example.com/v1'`",
    ],
    [{ baseUrl: 'https://api.groq.com/openai/v1' }, 'check `model` and `baseUrl`'],
    [{ baseUrl: 'https://gateway.example.com/v1' }, 'check `model` and `baseUrl`'],
    [{ baseUrl: 'https://gateway.example.com/v1beta/openai/' }, 'check `model` and `baseUrl`'],
    [{ apiType: 'anthropic', baseUrl: 'https://gateway.example.com' }, 'check `model` and `baseUrl`'],
    [
      { apiType: 'azure', baseUrl: 'https://r.openai.azure.com' },
      'check `baseUrl`, and `model`, which is the name of the deployment',
    ],
    [{}, 'check `model` and `baseUrl`'],
  ])('%j', async (entry, advice) => {
    const missing = await messageOf(entry, 'not-found', 'Not Found', { status: 404 })
    expect(missing).toBe(`asking \`m\` (config 0) failed: not-found (HTTP 404), Not Found: ${advice}`)
    if (!advice.startsWith('try')) return
    const page = await messageOf(entry, 'server', 'a page', { details: { webPage: true } })
    expect(page).toBe(`asking \`m\` (config 0) failed: server, a page: ${advice}`)
  })

  test('a web page elsewhere is not told as a fault that passes', async () => {
    const entry = { baseUrl: 'https://gateway.example.com/v1' }
    const page = await messageOf(entry, 'server', 'a page', { details: { webPage: true } })
    expect(page).toMatch(/a page: check `baseUrl`$/u)
  })
})

test.each<[ConfigEntry, string]>([
  [
    { model: 'claude-sonnet-4-5' },
    "write `anthropic('claude-sonnet-4-5')`, with `anthropic` of `@x/provider-anthropic`",
  ],
  [{ model: 'gemini-2.5-flash' }, "write `google('gemini-2.5-flash')`, with `google` of `@x/provider-google`"],
  [{ model: 'anthropic/claude-opus-4-5' }, "write `anthropic('claude-opus-4-5')`, with `anthropic` of"],
  [{ model: 'google:gemini-2.5-flash' }, "write `google('gemini-2.5-flash')`, with `google` of"],
  [{ model: 'openai/gpt-5-mini' }, "write `openai('gpt-5-mini')`, with `openai` of `@x/provider-openai`"],
  [{ model: 'groq/llama-3.3-70b' }, "write `openai('llama-3.3-70b', { baseUrl: 'https://api.groq.com/openai/v1' })`"],
  [{ model: 'deepseek-chat' }, "write `openai('deepseek-chat', { baseUrl: 'https://api.deepseek.com' })`"],
  [
    { model: 'mistral-large-latest' },
    "write `openai('mistral-large-latest', { baseUrl: 'https://api.mistral.ai/v1' })`",
  ],
  [{ model: 'grok-4' }, "write `openai('grok-4', { baseUrl: 'https://api.x.ai/v1' })`"],
  [{ apiType: 'anthropic', model: 'gpt-5-mini' }, "write `openai('gpt-5-mini')`, with `openai` of"],
  [{ apiType: 'google', model: 'o3' }, "write `openai('o3')`, with `openai` of"],
  [{ model: 'gpt-9' }, 'check `model` and `baseUrl`'],
  [{ model: 'meta-llama/llama-4' }, 'check `model` and `baseUrl`'],
  [{ apiType: 'anthropic', model: 'claude-9' }, 'check `model` and `baseUrl`'],
  // An endpoint of others may have any model.
  [{ model: 'claude-sonnet-4-5', baseUrl: 'https://gateway.example.com/v1' }, 'check `model` and `baseUrl`'],
])('%j is not there, and the message says who has such a model', async (entry, advice) => {
  expect(await messageOf(entry, 'not-found', 'no such model', { status: 404 })).toContain(`no such model: ${advice}`)
})

const NO_KEY =
  "there is no API key: set OPENAI_API_KEY, or `apiKey` at the model, as in `openai('gpt-5-mini', { apiKey })`"

test.each<[ConfigEntry, string, ErrorInit, string]>([
  [{}, NO_KEY, {}, NO_KEY],
  [{ apiKey: undefined }, NO_KEY, {}, `${NO_KEY} (\`apiKey\` is there and empty: is what it is read from set?)`],
  [{ apiKey: '' }, NO_KEY, {}, `${NO_KEY} (\`apiKey\` is there and empty: is what it is read from set?)`],
  [{ apiKey: 'k' }, 'Incorrect API key', { status: 401 }, 'Incorrect API key: check `apiKey` and what it may use'],
])('a key that is missing or wrong: %j', async (entry, text, init, end) => {
  const message = await messageOf(entry, 'auth', text, init)
  expect(message.slice(message.indexOf(text))).toBe(end)
})
