import type { ConfigEntry, ModelParams, Provider, RequestParams } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'

/** A value for each shared parameter, different from the default of providers; the type demands all of them. */
const PARAM_VALUES: Required<Omit<RequestParams, 'model' | 'messages' | 'tools' | 'functions'>> = {
  temperature: 0.5,
  top_p: 0.5,
  top_k: 40,
  max_tokens: 500,
  max_completion_tokens: 500,
  stop: ['x'],
  seed: 1,
  n: 2,
  presence_penalty: 0.5,
  frequency_penalty: 0.5,
  logit_bias: { 50: 1 },
  logprobs: true,
  top_logprobs: 2,
  tool_choice: 'none',
  parallel_tool_calls: false,
  function_call: 'none',
  response_format: { type: 'json_object' },
  reasoning_effort: 'high',
  verbosity: 'low',
  service_tier: 'priority',
  user: 'u',
  metadata: { topic: 't' },
}

/** Parameters without an effect on these requests: `function_call` steers the older `functions` alone at OpenAI. */
const SILENT_PARAMS: Readonly<Record<string, readonly string[]>> = { google: ['user'], openai: ['function_call'] }

const openaiAnswer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
const targets: readonly (readonly [Provider, ConfigEntry, object])[] = [
  [openai, { model: 'gpt-4o' }, openaiAnswer],
  [openai, { model: 'o3' }, openaiAnswer],
  [openai, { model: 'gpt-4o', api: 'responses' }, responsesFormat.whole({ text: 'Hi' })],
  [openai, { model: 'o3', api: 'responses' }, responsesFormat.whole({ text: 'Hi' })],
  [anthropic, { model: 'claude-3-7-sonnet-latest' }, anthropicFormat.whole({ text: 'Hi' })],
  [anthropic, { model: 'claude-opus-5' }, anthropicFormat.whole({ text: 'Hi' })],
  [google, { model: 'gemini-2.5-flash' }, googleFormat.whole({ text: 'Hi' })],
]

describe.each(targets)('%o %j', (provider, config, whole) => {
  const sent = async (params: Partial<ModelParams>) => {
    const tools = [{ type: 'function' as const, function: { name: 'weather' } }]
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const request = { ...params, model: config.model!, messages, tools }
    const { body, warnings, error } = await exchange(provider, config, request, { whole })
    expect(error).toBeUndefined()
    return { body: JSON.stringify(body), warnings: warnings.map(([, text]) => text) }
  }
  const silent = SILENT_PARAMS[provider.apiTypes[0]!] ?? []

  test.each(Object.entries(PARAM_VALUES).filter(([key]) => !silent.includes(key)))(
    '`%s` is sent, or left out with a warning',
    async (key, value) => {
      const { body, warnings } = await sent({ [key]: value })
      if (body === (await sent({})).body) expect(warnings.join('\n')).toContain(key)
    },
  )
})
