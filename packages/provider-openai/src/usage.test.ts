import type { AnswerUsage, ConfigEntry } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { createOpenAI } from './openai.ts'
import { eventsOf, response, said } from './responses/responses.fake.ts'
import { fakeWire, framesOf, wholeAnswer } from './wire.fake.ts'

const MILLION = { prompt_tokens: 1e6, completion_tokens: 1e6, total_tokens: 2e6 }

/** Cost of one answer, in US dollars. */
async function costOf(answer: object | string, config: ConfigEntry = {}): Promise<number | null> {
  const wire = fakeWire(answer, config)
  return wire.client.cost(typeof answer === 'string' ? (await wire.stream()).answer : await wire.create())
}

const answerOf = (model: string, usage: object, more: object = {}): object =>
  wholeAnswer(undefined, { model, usage: { ...MILLION, ...usage }, ...more })

test.each<[string, object, object, number]>([
  ['cached tokens', { prompt_tokens_details: { cached_tokens: 1e6 } }, {}, 0.5 + 8],
  ['the flexible tier', {}, { service_tier: 'priority' }, (2 + 8) * 1.75],
  ['the usual tier', {}, { service_tier: 'default' }, 2 + 8],
])('%s', async (_, usage, more, dollars) => {
  expect(await costOf(answerOf('gpt-4.1-2025-04-14', usage, more))).toBeCloseTo(dollars)
})

test('audio has prices of its own', async () => {
  const usage = { prompt_tokens_details: { audio_tokens: 5e5 }, completion_tokens_details: { audio_tokens: 5e5 } }
  expect(await costOf(answerOf('gpt-audio', usage))).toBeCloseTo(1.25 + 16 + 5 + 32)
})

test('the reasoning of Gemini, which stands in the total alone, is output', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 1e6 + 20 }
  const config = { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', model: 'gemini-3.8-flash' }
  expect(await costOf(answerOf('models/gemini-3.8-flash', usage), config)).toBeCloseTo(3.75, 3)
  const { client, create } = fakeWire(answerOf('nobody-knows-it', usage))
  expect(client.getUsage(await create())).toMatchObject({ completionTokens: 10 })
})

test.each([{ cache_creation_tokens: 1e6 }, { cache_creation_input_tokens: 1e6 }])(
  'cache writes as gateways name them: %j',
  async (details) => {
    const answer = answerOf('claude', { completion_tokens: 0, prompt_tokens_details: details })
    expect((await fakeWire(answer).create()).usage).toMatchObject({ cache_write_tokens: 1e6 })
  },
)

test('the cached tokens of Mistral have one more name', async () => {
  const answer = answerOf('mistral-large-latest', { num_cached_tokens: 5e5 })
  expect((await fakeWire(answer).create()).usage).toMatchObject({ cached_tokens: 5e5 })
})

test('a model that searches for every answer pays for the search', async () => {
  expect(await costOf(answerOf('gpt-4o-search-preview', { prompt_tokens: 0, completion_tokens: 0 }))).toBeCloseTo(0.025)
})

test('searches of the Responses API are counted, whole and streamed; opened pages are not', async () => {
  const search = (type: string): object => ({
    id: type,
    type: 'web_search_call',
    status: 'completed',
    action: { type },
  })
  const usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }
  const whole = response([search('search'), search('open_page'), said('hi')], { model: 'gpt-6-sol', usage })
  const config: ConfigEntry = { model: 'gpt-6-sol', api: 'responses' }
  const dollars = 0.002 + 0.001 + 0.01
  expect(await costOf(whole, config)).toBeCloseTo(dollars)
  expect(await costOf(eventsOf([{ type: 'response.completed', response: whole }]), config)).toBeCloseTo(dollars)
  expect(await costOf({ ...whole, service_tier: 'flex' }, config)).toBeCloseTo(0.0015 + 0.01)
})

describe('a cost that the endpoint states', () => {
  test.each<[string, object, number]>([
    ['OpenRouter', { cost: 0.95, cost_details: { upstream_inference_cost: 0.95 }, is_byok: false }, 0.95],
    [
      'OpenRouter with a key of one’s own',
      { cost: 0.05, cost_details: { upstream_inference_cost: 0.9 }, is_byok: true },
      0.95,
    ],
    ['Perplexity', { cost: { input_tokens_cost: 0.1, total_cost: 0.3 } }, 0.3],
    ['xAI', { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ['DeepInfra', { estimated_cost: 0.002 }, 0.002],
    ['a free answer', { cost: 0 }, 0],
  ])('%s', async (_, usage, dollars) => {
    expect(await costOf(answerOf('gpt-4.1', usage))).toBeCloseTo(dollars, 8)
    expect(await costOf(answerOf('nobody-knows-it', usage))).toBeCloseTo(dollars, 8)
    expect(
      await costOf(
        framesOf([
          { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] },
          { choices: [], usage: { ...MILLION, ...usage } },
        ]),
      ),
    ).toBeCloseTo(dollars, 8)
  })

  test.each([{ cost: 'much' }, { cost: -1 }, { cost: { total_cost: null } }, { cost_in_usd_ticks: null }])(
    '%j is not one',
    async (usage) => expect(await costOf(answerOf('gpt-4.1', usage))).toBeCloseTo(2 + 8),
  )
})

describe('each endpoint has prices of its own', () => {
  test.each([
    ['https://api.groq.com/openai/v1', 'openai/gpt-oss-120b', 0.15 + 0.6],
    ['https://api.cerebras.ai/v1', 'gpt-oss-120b', 0.35 + 0.75],
    ['https://api.deepseek.com', 'deepseek-flash', 0.3 + 1.2],
    ['https://api.x.ai/v1', 'grok-4.7', 4 + 12],
    ['https://openrouter.ai/api/v1', 'anthropic/claude-opus-5.5', 4 + 20],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3.8-flash', 0.75 + 3.75],
    ['https://gateway.example.com/v1', 'openai/gpt-4.1', 2 + 8],
    ['http://localhost:11434/v1', 'gpt-oss:20b', null],
  ])('%s %s', async (baseUrl, model, dollars) => {
    const cost = await costOf(answerOf(model, {}), { baseUrl, model })
    if (dollars === null) expect(cost).toBe(null)
    else expect(cost).toBeCloseTo(dollars)
  })
})

test('data of one’s own win at every endpoint', () => {
  const catalogue = {
    date: '2026-12-01',
    models: { 'gpt-4.1': { contextWindow: 5, maxOutput: 3, price: { input: 7, output: 9 } }, 'gpt-9': '9/8 +ti $1/1' },
  }
  const client = createOpenAI({ catalogue }).createClient({ model: 'gpt-9', apiKey: 'k' })
  const usage = { prompt_tokens: 1e6, completion_tokens: 0, total_tokens: 1e6 }
  expect(client.cost({ id: '', model: 'gpt-4.1', created: 0, choices: [], usage })).toBe(7)
  expect(client.cost({ id: '', model: 'gpt-4o', created: 0, choices: [], usage })).toBe(2.5)
  expect(client.capabilities).toMatchObject({ contextWindow: 9, maxOutput: 8, tools: true, images: true })
  expect(client.limitsOf!('gpt-4.1')).toEqual({ contextWindow: 5, maxOutput: 3 })
  expect(client.limitsOf!('gpt-5-mini')).toEqual({ contextWindow: 400_000, maxOutput: 128_000 })
})

describe('counts of a stream that breaks off', () => {
  const chunk = (choices: object[], usage?: object): string =>
    `data: ${JSON.stringify({ id: 'a', created: 1, model: 'm', choices, ...(usage && { usage }) })}\n\n`
  const piece = { index: 0, delta: { content: 'Hel' }, finish_reason: null }
  const counts = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }

  test.each<[string, string, number]>([
    ['behind its content are told', chunk([piece]) + chunk([], counts), 1],
    ['with a piece of it are not: they are those of the answer so far', chunk([piece], counts), 0],
    ['of which there are none are not', chunk([piece]), 0],
  ])('%s', async (_, text, told) => {
    const fetch = async (): Promise<Response> =>
      new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const client = createOpenAI().createClient({ model: 'm', apiKey: 'k', fetch })
    const usages: AnswerUsage[] = []
    const onUsage = (usage: AnswerUsage): void => void usages.push(usage)
    const read = async (): Promise<void> => {
      for await (const _event of client.stream!({ model: 'm', messages: [] }, { onUsage }));
    }
    await expect(read()).rejects.toMatchObject({ kind: 'truncated' })
    expect(usages.map(({ total_tokens: total }) => total)).toEqual(Array.from({ length: told }, () => 10))
  })
})

describe('counts of a complete answer that has failed', () => {
  const usage = { input_tokens: 9, output_tokens: 1, total_tokens: 10 }
  const failed = { status: 'failed', error: { code: 'server_error', message: 'oh' } }

  test.each<[string, object, number]>([
    ['are told', { ...failed, usage }, 1],
    ['are told of one that was cancelled', { status: 'cancelled', usage }, 1],
    ['are told of one without an end', { status: 'in_progress', usage }, 1],
    ['of which there are none are not', { ...failed, usage: null }, 0],
  ])('%s', async (_, body, told) => {
    const fetch = async (): Promise<Response> => Response.json({ id: 'r', object: 'response', output: [], ...body })
    const client = createOpenAI().createClient({ model: 'm', apiKey: 'k', api: 'responses', fetch })
    const usages: AnswerUsage[] = []
    const asked = client.create({ model: 'm', messages: [] }, { onUsage: (counts) => void usages.push(counts) })
    await expect(asked).rejects.toMatchObject({ kind: expect.any(String) })
    expect(usages.map(({ total_tokens: total }) => total)).toEqual(Array.from({ length: told }, () => 10))
  })
})
