import type { ChatMessage, ModelParams } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { exchange, type Exchange, type RecordedAnswer } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'

const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const TEXT: RecordedAnswer = { whole: anthropicFormat.whole({ text: 'Hello' }) }

/** Asks a model and returns what was sent; the request is one that the strict server takes. */
async function asked(model: string, params: Partial<ModelParams> = {}, recorded = TEXT): Promise<Exchange> {
  const sent = await exchange(anthropic, { model }, { model, messages: HI, ...params }, recorded)
  const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
  expect(
    anthropicFormat.refusal({ method: 'POST', path: '/v1/messages', query: {}, headers, body: sent.body }),
  ).toBeUndefined()
  return sent
}

describe('A31: thinking that is switched off', () => {
  test.each([
    ['claude-sonnet-4-6', { type: 'disabled' }, undefined, 0],
    ['claude-opus-4-8', { type: 'disabled' }, undefined, 0],
    ['claude-sonnet-5', { type: 'disabled' }, undefined, 0],
    ['claude-opus-5', { type: 'disabled' }, undefined, 0],
    ['claude-haiku-5-5', { type: 'disabled' }, undefined, 0],
    ['claude-sonnet-5-5', { type: 'between_tools' }, undefined, 0],
    ['claude-opus-5-5', undefined, 'low', 1],
    ['claude-fable-5', undefined, 'low', 1],
    ['claude-fable-5-1', undefined, 'low', 1],
    ['claude-mythos-5-2', undefined, 'low', 1],
    ['claude-opus-7', undefined, 'low', 1],
  ])('%s is told %j', async (model, thinking, effort, warned) => {
    for (const told of [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }]) {
      const { body, warnings } = await asked(model, told)
      expect([body['thinking'], body['output_config']]).toEqual([thinking, effort && { effort }])
      expect(warnings.filter(([topic]) => topic === 'thinking')).toHaveLength(warned)
    }
  })

  test.each(['claude-opus-5', 'claude-haiku-5-5', 'claude-sonnet-5-5'])(
    '%s then takes no more than high effort',
    async (model) => {
      const { body, warnings } = await asked(model, {
        thinking: { type: 'disabled' },
        output_config: { effort: 'max' },
      })
      expect(body['output_config']).toEqual({ effort: 'high' })
      expect(warnings.map(([topic]) => topic)).toEqual(['effort'])
    },
  )
})

test.each([{ type: 'disabled' }, { type: 'adaptive' }, { type: 'enabled', budget_tokens: 2000 }, { type: 'novel' }])(
  'A31: models of other makers are told %j as it was given',
  async (thinking) => {
    expect((await asked('someone-elses', { thinking, max_tokens: 9000 })).body['thinking']).toEqual(thinking)
  },
)

describe('A32: levels of effort', () => {
  test.each([
    ['claude-opus-4-6', 'xhigh', 'high', 1],
    ['claude-opus-4-6', 'max', 'max', 0],
    ['claude-opus-4-7', 'xhigh', 'xhigh', 0],
    ['claude-opus-5-5', 'minimal', 'low', 1],
    ['someone-elses', 'turbo', 'turbo', 0],
  ])('%s asked for %s is sent %s', async (model, effort, sent, warned) => {
    const { body, warnings } = await asked(model, { output_config: { effort }, max_tokens: 9 })
    expect(body['output_config']).toEqual({ effort: sent })
    expect(warnings).toHaveLength(warned)
  })

  test('a model that takes none is told a budget', async () => {
    const { body, warnings } = await asked('claude-sonnet-4-5', { output_config: { effort: 'low' } })
    expect(body).not.toHaveProperty('output_config')
    expect(warnings.map(([topic]) => topic)).toEqual(['effort'])
  })

  test.each([
    [
      'claude-opus-5-5',
      { type: 'enabled', budget_tokens: 2000, display: 'summarized' },
      { type: 'adaptive', display: 'summarized' },
    ],
    ['claude-sonnet-4-5', { type: 'adaptive' }, { type: 'enabled', budget_tokens: 8192 }],
    ['claude-3-haiku-20240307', { type: 'enabled', budget_tokens: 2000 }, undefined],
  ])('%s told %j thinks as %j', async (model, thinking, sent) => {
    const { body, warnings } = await asked(model, { thinking })
    expect(body['thinking']).toEqual(sent)
    expect(warnings.map(([topic]) => topic)).toEqual(['thinking'])
  })
})

describe('A33: a forced tool choice', () => {
  test.each([
    ['claude-opus-5-5', false],
    ['claude-sonnet-5-5', false],
    ['claude-fable-5-1', false],
    ['claude-haiku-5-5', true],
    ['claude-opus-5', true],
    ['claude-fable-5', true],
  ])('%s can be made to call a tool while it thinks: %s', async (model, can) => {
    for (const told of [{}, { reasoning_effort: 'high' }]) {
      const { body, warnings } = await asked(model, { tools, tool_choice: 'required', ...told })
      expect(body['tool_choice']).toEqual({ type: can ? 'any' : 'auto' })
      expect(warnings.map(([topic]) => topic)).toEqual(can ? [] : ['tool_choice'])
    }
  })

  test('an answer in JSON is then asked for, not forced', async () => {
    const { body } = await asked('claude-opus-5-5', { response_format: { type: 'json_object' } })
    expect(body['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true })
  })
})

describe('A34: thinking goes back to the model that made it', () => {
  const blocks = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'text', text: 'I look.' },
    { type: 'redacted_thinking', data: 'AAAA' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
  ]
  const recorded = (model: string): RecordedAnswer => ({
    whole: { id: 'm', type: 'message', role: 'assistant', model, content: blocks, stop_reason: 'tool_use', usage: {} },
  })
  const sentBack = async (from: string, answering: string, to: string) => {
    const { answer } = await asked(from, { tools }, recorded(answering))
    const { message } = answer!.choices[0]!
    const history: ChatMessage[] = [...HI, message, { role: 'tool', tool_call_id: 'toolu_1', content: '1' }]
    const { body, warnings } = await asked(to, { tools, messages: history })
    return { content: (body['messages'] as { content: { type: string }[] }[])[1]!.content, warnings }
  }

  test.each([
    ['claude-opus-4-6', 'claude-opus-4-6', 'claude-opus-4-6'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5-20251001'],
    ['my-deployment', 'claude-opus-5', 'my-deployment'],
    ['anthropic.claude-opus-5-v1:0', 'claude-opus-5', 'vertex/claude-opus-5@20260724'],
  ])('%s, that answers as %s, to %s', async (from, answering, to) => {
    const { content } = await sentBack(from, answering, to)
    expect(content).toEqual(blocks)
  })

  test('another model gets text and calls, and a warning says so', async () => {
    const { content, warnings } = await sentBack('claude-opus-4-6', 'claude-opus-4-6', 'claude-opus-5-5')
    expect(content).toEqual([blocks[1], blocks[3]])
    expect(warnings).toEqual([
      ['reasoning', 'reasoning of `claude-opus-4-6` was left out: `claude-opus-5-5` cannot read it'],
    ])
  })
})

test.each([
  ['claude-haiku-4-5', 200_000],
  ['claude-sonnet-4-6', 1_000_000],
  ['claude-opus-5-5', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
])('A35: the window of %s has %s tokens', (model, contextWindow) => {
  expect(anthropic.createClient({ model }).capabilities).toMatchObject({ contextWindow })
})

test('A25: an older model has to answer in JSON, or to call a tool that it may call before', async () => {
  const json = { response_format: { type: 'json_object' } }
  const choice = async (params: object): Promise<unknown> =>
    (await asked('claude-3-haiku-20240307', { ...json, ...params })).body['tool_choice']
  const forced = { type: 'tool', name: 'json', disable_parallel_tool_use: true }
  expect(await choice({})).toEqual(forced)
  expect(await choice({ tools, tool_choice: 'none' })).toEqual(forced)
  expect(await choice({ tools })).toEqual({ type: 'any', disable_parallel_tool_use: true })
  const f = { type: 'function', function: { name: 'f' } }
  expect(await choice({ tools, tool_choice: f })).toEqual({ type: 'tool', name: 'f' })
})

test.each([
  ['auto', 'auto', 0],
  ['default', 'standard_only', 0],
  ['flex', undefined, 1],
])('the tier `%s` is `%s`', async (tier, sent, warned) => {
  const { body, warnings } = await asked('claude-opus-5-5', { service_tier: tier })
  expect([body['service_tier'], warnings.length]).toEqual([sent, warned])
  const own = { providerOptions: { anthropic: { service_tier: tier } } } as Partial<ModelParams>
  expect((await asked('claude-opus-5-5', own)).body['service_tier']).toBe(tier)
})
