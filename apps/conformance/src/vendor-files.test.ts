import type { ConfigEntry, ModelParams, Provider, ToolSchema } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'

const chat = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
const targets: readonly {
  readonly name: string
  readonly provider: Provider
  readonly config: ConfigEntry
  readonly whole: object
}[] = [
  { name: 'openai', provider: openai, config: { model: 'gpt-4o' }, whole: chat },
  { name: 'openai', provider: openai, config: { model: 'gpt-4o', api: 'responses' }, whole: responsesFormat.whole({}) },
  { name: 'groq', provider: openai, config: { model: 'm', baseUrl: 'https://api.groq.com/openai/v1' }, whole: chat },
  {
    name: 'anthropic',
    provider: anthropic,
    config: { model: 'claude-opus-5' },
    whole: anthropicFormat.whole({ text: 'Hi' }),
  },
  {
    name: 'google',
    provider: google,
    config: { model: 'gemini-2.5-flash', sdk: 'fetch' },
    whole: googleFormat.whole({ text: 'Hi' }),
  },
]

const FILES = {
  openai: 'file-abc123',
  anthropic: 'file_011CNha8iCJcU1wXNR6q4V8w',
  google: 'https://generativelanguage.googleapis.com/v1beta/files/abc-123',
}

describe.each(targets)('$name $config', ({ name, provider, config, whole }) => {
  const sent = async (params: Partial<ModelParams>) => {
    const { body, warnings, error } = await exchange(
      provider,
      { baseUrl: undefined, ...config },
      { model: config.model!, messages: [{ role: 'user', content: 'Hi' }], ...params },
      { whole },
    )
    expect(error).toBeUndefined()
    return { body: JSON.stringify(body), warnings: warnings.map(([, text]) => text).join('\n') }
  }
  const asking = (file: object): Partial<ModelParams> => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read.' },
          { type: 'file', file },
        ],
      },
    ],
  })

  test.each(Object.entries(FILES))(
    'X28: a file that %s stores goes there alone; a note stands for it',
    async (vendor, id) => {
      const { body, warnings } = await sent(asking({ file_id: id }))
      expect([body.includes(id), body.includes(`[file that ${vendor} stores]`)]).toEqual([
        vendor === name,
        vendor !== name,
      ])
      expect(warnings.includes(vendor)).toBe(vendor !== name)
    },
  )

  test('X28: a file with the name of its provider goes there, with any identifier', async () => {
    const own = await sent(asking({ file_id: 'file-abc123', provider: name }))
    expect(own.body).toContain('file-abc123')
    expect(own.body).not.toContain('"provider"')
    expect((await sent(asking({ file_id: 'f1', provider: 'another' }))).body).not.toContain('"f1"')
    expect((await sent(asking({ file_id: 'f1' }))).body).toContain('"f1"')
  })

  test('X29: further fields of function tools reach their vendor', async () => {
    const tool = {
      type: 'function',
      cache_control: { type: 'ephemeral' },
      function: { name: 'f', parameters: { type: 'object', properties: { a: {} } }, behavior: 'NON_BLOCKING' },
    } as ToolSchema
    const { body, warnings } = await sent({ tools: [tool] })
    expect(body.includes('cache_control')).toBe(name === 'anthropic')
    expect(body.includes('NON_BLOCKING')).toBe(name === 'google')
    expect(warnings.includes('`cache_control`')).toBe(name !== 'anthropic')
    expect(warnings.includes('`behavior`')).toBe(name !== 'google')
    const novel = await sent({ tools: [{ ...tool, defer_loading: true }] })
    expect(novel.body.includes('defer_loading')).toBe(name !== 'google')
  })
})

test('X29: a gateway gets all fields of function tools', async () => {
  const tool = { type: 'function', cache_control: { type: 'ephemeral' }, function: { name: 'f' } } as const
  const { body } = await exchange(
    openai,
    { model: 'anthropic/claude-opus-5', baseUrl: 'https://openrouter.ai/api/v1' },
    { model: 'anthropic/claude-opus-5', messages: [{ role: 'user', content: 'Hi' }], tools: [tool] },
    { whole: chat },
  )
  const parameters = { type: 'object', properties: {} }
  expect(body['tools']).toEqual([{ ...tool, function: { ...tool.function, parameters } }])
})
