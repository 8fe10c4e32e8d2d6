import type { ConfigEntry, ModelParams, Provider } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { exchange } from '@x/testing/provider-contract'
import { startWireServer } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'

const chat = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }

/** An adapter, its name in `providerOptions`, and parameters of other vendors. */
interface Target {
  readonly name: string
  readonly provider: Provider
  readonly config: ConfigEntry
  readonly whole: object
  readonly foreign: readonly string[]
}

const targets: readonly Target[] = [
  {
    name: 'openai',
    provider: openai,
    config: { model: 'gpt-4o' },
    whole: chat,
    foreign: ['thinking', 'safety_settings', 'min_p'],
  },
  {
    name: 'openai',
    provider: openai,
    config: { model: 'gpt-5', api: 'responses' },
    whole: responsesFormat.whole({ text: 'Hi' }),
    foreign: ['betas', 'labels'],
  },
  {
    name: 'mistral',
    provider: openai,
    config: { model: 'mistral-large', baseUrl: 'https://api.mistral.ai/v1' },
    whole: chat,
    foreign: ['prompt_cache_options', 'safety_settings', 'betas'],
  },
  {
    name: 'anthropic',
    provider: anthropic,
    config: { model: 'claude-opus-5' },
    whole: anthropicFormat.whole({ text: 'Hi' }),
    foreign: ['prompt_cache_key', 'web_search_options', 'safety_settings', 'repetition_penalty'],
  },
  {
    name: 'google',
    provider: google,
    config: { model: 'gemini-2.5-flash', sdk: 'fetch' },
    whole: googleFormat.whole({ text: 'Hi' }),
    foreign: ['prompt_cache_key', 'web_search_options', 'thinking', 'min_p'],
  },
]

describe.each(targets)('X22: $name $config', ({ name, provider, config, whole, foreign }) => {
  const sent = async (params: Partial<ModelParams>) => {
    const request = { ...params, model: config.model!, messages: [{ role: 'user' as const, content: 'Hi' }] }
    const { body, warnings, error } = await exchange(provider, { baseUrl: undefined, ...config }, request, { whole })
    expect(error).toBeUndefined()
    return { body, warnings: warnings.map(([, text]) => text).join('\n') }
  }

  test.each(foreign)('`%s` is left out with a warning, unless it is written for this provider', async (key) => {
    const value = key === 'safety_settings' ? [{ a: 1 }] : { a: 1 }
    const { body, warnings } = await sent({ [key]: value })
    expect(body).not.toHaveProperty(key)
    expect(warnings).toContain(`\`${key}\``)
    const own = await sent({ providerOptions: { [name]: { [key]: value } } })
    expect(own.body).toMatchObject({ [key]: value })
    expect(own.warnings).toBe('')
    const other = await sent({ providerOptions: { other: { [key]: value } } })
    expect(other).toEqual({ body: (await sent({})).body, warnings: '' })
  })

  test('parameters for the provider win over shared ones, and null leaves a parameter out', async () => {
    const limits = JSON.stringify(
      (await sent({ max_tokens: 600, providerOptions: { [name]: { max_tokens: 700 } } })).body,
    )
    expect([limits.includes('600'), limits.includes('700')]).toEqual([false, true])
    const none = await sent({ stop: ['x'], providerOptions: { [name]: { stop: null } } })
    expect(none).toEqual(await sent({}))
  })
})

test('X22: at a failover, each provider gets its own parameters, and each warning comes once', async () => {
  await using one = await startFakeOpenAI({ replies: [{ failure: 'quota' }, { failure: 'quota' }] })
  await using two = await startWireServer(anthropicFormat, { steps: () => ({ reply: { text: 'ok' } }) })
  const warnings: string[] = []
  const model = new ModelWrapper({
    providers: [openai, anthropic],
    configList: [
      { model: 'gpt-4o', apiKey: 'key', baseUrl: one.url, endpointProfile: 'openai' },
      { apiType: 'anthropic', model: 'claude-opus-5', apiKey: 'key', baseUrl: two.url },
    ],
    cacheSeed: null,
    io: {
      send: (event) => void (event.type === 'warning' && event.topic === 'parameter' && warnings.push(event.text)),
      input: () => '',
    },
  })
  const request = {
    messages: [{ role: 'user' as const, content: 'Hi' }],
    prompt_cache_key: 'k',
    providerOptions: { anthropic: { thinking: { type: 'adaptive' } } },
  }
  for (let n = 0; n < 2; n++) expect((await model.create(request)).configId).toBe(1)
  expect(one.requests[0]!.body).toMatchObject({ prompt_cache_key: 'k' })
  expect(one.requests[0]!.body).not.toHaveProperty('thinking')
  expect(two.requests[0]!.body).toMatchObject({ thinking: { type: 'adaptive' } })
  expect(two.requests[0]!.body).not.toHaveProperty('prompt_cache_key')
  expect(warnings).toEqual([expect.stringContaining('prompt_cache_key')])
})

test.each(targets.filter(({ name }) => name === 'anthropic' || name === 'google'))(
  'X13: a choice of tools in a form that $name does not know is left out with a warning, and breaks no failover',
  async ({ provider, config, whole }) => {
    const tools = [{ type: 'function' as const, function: { name: 'f' } }]
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools } }
    for (const tool_choice of [allowed, 'f']) {
      const request = { model: config.model!, messages: [{ role: 'user' as const, content: 'Hi' }], tools, tool_choice }
      const { body, warnings } = await exchange(provider, { baseUrl: undefined, ...config }, request, { whole })
      expect(body).not.toHaveProperty('tool_choice')
      expect(body).not.toHaveProperty('toolConfig')
      expect(warnings.map(([topic]) => topic)).toEqual(['tool_choice'])
    }
  },
)
