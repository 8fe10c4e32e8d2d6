import type { ModelAnswer } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { anthropic, createAnthropic } from './anthropic.ts'
import { usageOf } from './read-answer.ts'
import type { WireUsage } from './wire-types.ts'

const answerOf = (model: string, raw: object): ModelAnswer => ({
  id: 'm',
  model,
  created: 0,
  choices: [],
  usage: usageOf(raw as WireUsage),
})

const costOf = (model: string, raw: object): number | null =>
  anthropic.createClient({ model }).cost(answerOf(model, raw))

const MILLION = { input_tokens: 1e6, output_tokens: 1e6 }

describe('the price of each current model', () => {
  test.each([
    ['claude-fable-5-2', 8 + 40],
    ['claude-fable-5-1', 10 + 50],
    ['claude-opus-5-5', 4 + 20],
    ['claude-sonnet-5-5', 2 + 10],
    ['claude-haiku-5-5', 0.5 + 2.5],
    ['claude-opus-4-5-20251101', 5 + 25],
    ['anthropic/claude-opus-5.5', 4 + 20],
    ['us.anthropic.claude-opus-5-v1:0', 5 + 25],
    ['claude-opus-4-1@20250805', 15 + 75],
  ])('%s', (model, dollars) => expect(costOf(model, MILLION)).toBeCloseTo(dollars))

  test('a newer model has limits, and no price', () => {
    expect(costOf('claude-opus-9', MILLION)).toBe(null)
    expect(anthropic.createClient({ model: 'claude-opus-9' }).limitsOf!('claude-opus-9')).toEqual({
      contextWindow: 1_000_000,
      maxOutput: 128_000,
    })
  })
})

describe('what has a price of its own', () => {
  test.each<[string, object, number]>([
    ['searches', { ...MILLION, server_tool_use: { web_search_requests: 3 } }, 24 + 0.03],
    ['the fast mode', { ...MILLION, speed: 'fast' }, 48],
    ['a batch', { ...MILLION, service_tier: 'batch' }, 12],
    ['committed capacity, whose price nobody knows here', { ...MILLION, service_tier: 'priority' }, 24],
    ['one country', { ...MILLION, inference_geo: 'us' }, 24 * 1.1],
    ['any country', { ...MILLION, inference_geo: 'global' }, 24],
    [
      'cache writes by their lifetime',
      {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 2e6,
        cache_creation: { ephemeral_5m_input_tokens: 1e6, ephemeral_1h_input_tokens: 1e6 },
      },
      5 + 8,
    ],
    [
      'steps and searches',
      {
        ...MILLION,
        server_tool_use: { web_search_requests: 2 },
        iterations: [MILLION, { ...MILLION, model: 'claude-haiku-4-5' }],
      },
      24 + 6 + 0.02,
    ],
    ['steps of the fast mode', { ...MILLION, speed: 'fast', iterations: [MILLION, MILLION] }, 48 + 48],
  ])('%s', (_, raw, dollars) => expect(costOf('claude-opus-5-5', raw)).toBeCloseTo(dollars))
})

test('data of one’s own win, for limits too', async () => {
  const catalogue = {
    date: '2026-12-01',
    models: { 'claude-opus-6': { contextWindow: 500, maxOutput: 100, price: { input: 1, output: 2 } } },
  }
  const sent: { max_tokens?: number }[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(JSON.parse(init?.body as string) as object)
    return Response.json({
      type: 'message',
      content: [],
      stop_reason: 'end_turn',
      usage: MILLION,
      model: 'claude-opus-6',
    })
  }
  const client = createAnthropic({ catalogue, fetch }).createClient({ model: 'claude-opus-6', apiKey: 'k' })
  const answer = await client.create({ model: 'claude-opus-6', messages: [{ role: 'user', content: 'Hi' }] }, {})
  expect(sent[0]!.max_tokens).toBe(100)
  expect(client.cost(answer)).toBeCloseTo(3)
  expect(client.capabilities).toMatchObject({ contextWindow: 500, maxOutput: 100 })
})
