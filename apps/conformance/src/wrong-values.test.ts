import type { ConfigEntry, ModelParams, Provider } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { describe, expect, test } from 'vitest'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const invalid = (message: string): Error => expect.objectContaining({ code: 'invalid-config', message }) as Error

describe('names a config value of a wrong type and the expected kind', () => {
  test.each<[Provider, ConfigEntry, string]>([
    [openai, { reasoningModel: 'yes' }, '`reasoningModel` cannot be used: it is the text "yes"; give true or false'],
    [openai, { streamUsage: 1 }, '`streamUsage` cannot be used: it is 1; give true or false'],
    [
      anthropic,
      { promptCache: '2h' },
      "`promptCache` cannot be used: it is the text \"2h\"; give true, false, '5m' or '1h'",
    ],
    [anthropic, { betas: [1] }, '`betas` cannot be used: it is a list of 1; give a text or a list, each item a text'],
    [
      anthropic,
      { modelFamily: { maxTokens: '9' } },
      '`modelFamily.maxTokens` cannot be used: it is the text "9"; give a number',
    ],
    [
      google,
      { sdk: 'vertex' },
      "`sdk` cannot be used: it is the text \"vertex\"; give 'fetch', 'genai' or 'generative-ai'",
    ],
    [
      google,
      { safetySettings: {} },
      '`safetySettings` cannot be used: it is an object; give a list, each item an object',
    ],
  ])('%o: %j', async (provider, config, text) => {
    const entry = { apiType: provider.apiTypes[0]!, model: 'm', apiKey: 'key', ...config }
    const model = llmConfig({ providers: [provider], configList: [entry], cacheSeed: null }).createModel()
    await expect(model.create({ messages })).rejects.toThrow(invalid(`the config key ${text}`))
  })
})

describe.each([openai, anthropic, google])('%o', (provider) => {
  test.each<[string, unknown, string]>([
    ['temperature', 'hot', '`temperature` cannot be used: it is the text "hot"; give a number'],
    ['stop', [1], '`stop` cannot be used: it is a list of 1; give a text or a list, each item a text'],
    ['parallel_tool_calls', 'no', '`parallel_tool_calls` cannot be used: it is the text "no"; give true or false'],
  ])('sends no request with a parameter `%s` of a wrong type', async (key, value, text) => {
    const fetch = (): never => expect.unreachable('a request was sent')
    const client = provider.createClient({ model: 'm', apiKey: 'key', fetch })
    const params = { messages, [key]: value } as ModelParams
    await expect(client.create(params, {})).rejects.toThrow(invalid(`the request parameter ${text}`))
  })
})
