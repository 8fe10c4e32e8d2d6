import type { JsonSchema, ModelParams } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { deepFreeze, exchange } from '@x/testing/provider-contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyHistory, refusalOf, targets } from './any-history.fake.ts'

const anySchema = fc.constantFrom<JsonSchema | undefined>(
  undefined,
  {},
  { type: 'object' },
  { type: 'object', properties: {} },
  {
    anyOf: [
      { type: 'object', properties: { a: { const: 1 }, b: { type: 'string' } }, required: ['a', 'b'] },
      { type: 'object', properties: { a: { const: 2 }, c: { type: 'number' } }, required: ['a'] },
    ],
  },
  { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { type: 'string' } } },
  {
    type: 'object',
    properties: { a: { $ref: '#/$defs/n' }, b: { type: ['number', 'null'] }, c: { const: 1 }, d: { oneOf: [{}] } },
    $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
    required: ['a'],
  },
)
const anyName = fc.constantFrom('weather', 'geo.locate', 'json', '2nd', 'wéather', 'a'.repeat(70))
const anyTools = fc.uniqueArray(
  fc.record({ name: anyName, parameters: anySchema, strict: fc.constantFrom(undefined, true) }),
  { selector: ({ name }) => name, maxLength: 3 },
)

const some = <T>(...values: T[]): fc.Arbitrary<T | undefined> => fc.constantFrom(undefined, ...values)

/** Parameters of a caller who knows one provider, for an answer of another. */
const anyParams = fc
  .record({
    tools: anyTools,
    tool_choice: some<unknown>('auto', 'none', 'required', { type: 'function', function: { name: 'weather' } }),
    parallel_tool_calls: some(true, false),
    reasoning_effort: some('none', 'minimal', 'low', 'high', 'xhigh'),
    temperature: some(0, 0.7, 1, 2),
    top_p: some(0.5, 1),
    top_k: some(40),
    max_tokens: some(1, 500, 1_000_000),
    stop: some<unknown>('x', ['a', ' ', 'b', 'c', 'd', 'e']),
    n: some(1, 2),
    seed: some(1),
    presence_penalty: some(0.5),
    logprobs: some(true),
    user: some('u'),
    response_format: some<unknown>(
      { type: 'text' },
      { type: 'json_object' },
      {
        type: 'json_schema',
        json_schema: {
          name: 'n',
          schema: { type: 'object', properties: { a: { type: 'object', properties: { b: { minimum: 1 } } } } },
        },
      },
    ),
  })
  .map(({ tools, ...rest }): Partial<ModelParams> => {
    const given = tools.map(({ name, parameters, strict }) => ({
      type: 'function' as const,
      function: { name, description: 'd', ...(parameters && { parameters }), ...(strict && { strict }) },
    }))
    const params = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    const named = typeof params['tool_choice'] === 'object' && !tools.some(({ name }) => name === 'weather')
    if (named || (tools.length === 0 && params['tool_choice'] !== undefined)) delete params['tool_choice']
    if (params['logprobs'] === true) params['top_logprobs'] = 2
    return { ...params, ...(given.length > 0 && { tools: given }) }
  })

describe.each(targets)('%s', (_, provider, format, entry) => {
  const whole = format.whole({ text: '{}' })

  test('takes any parameters beside any history and changes none', async () => {
    await fc.assert(
      fc.asyncProperty(anyParams, anyHistory, async (params, messages) => {
        const request = deepFreeze({ ...params, model: entry.model!, messages })
        const { body, error } = await exchange(provider, entry, request, { whole })
        expect(error).toBe(undefined)
        expect(refusalOf(format, entry, body)).toBe(undefined)
      }),
      { numRuns: 300 },
    )
  })
})

describe.each(['gpt-4o', 'gpt-5-mini', 'o3'])('OpenAI, %s', (model) => {
  test('takes any parameters beside any history', async () => {
    await using server = await startFakeOpenAI({ strict: true })
    const client = openai.createClient({ model, apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
    await fc.assert(
      fc.asyncProperty(anyParams, anyHistory, async (params, history) => {
        // What only others take is not for this adapter to know.
        const { top_k: _, stop, ...rest } = params as Record<string, unknown>
        const messages = [...history, { role: 'user' as const, content: 'Hi' }]
        const request = { ...rest, ...(typeof stop === 'string' && { stop }), model, messages }
        const answer = await client.create(deepFreeze(request), {})
        expect(answer.choices.length).toBe(params['n'] ?? 1)
      }),
      { numRuns: 100 },
    )
  })
})

/** Calls a client once more if it has learnt how to ask, as the wrapper does. */
async function askedTwice<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if ((error as { details?: { askAgain?: unknown } }).details?.askAgain === true) return await call()
    throw error
  }
}

describe.each([
  ['gpt-5.4', 'auto'],
  ['gpt-5.5', 'auto'],
  ['gpt-4o', 'responses'],
] as const)('OpenAI, %s, by the API that takes it (%s)', (model, api) => {
  test('takes any parameters beside any history', async () => {
    await using server = await startFakeOpenAI({ strict: true })
    const client = openai.createClient({ model, api, apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
    await fc.assert(
      fc.asyncProperty(anyParams, anyHistory, async (params, history) => {
        const { top_k: _, stop, ...rest } = params as Record<string, unknown>
        const messages = [...history, { role: 'user' as const, content: 'Hi' }]
        const request = { ...rest, ...(typeof stop === 'string' && { stop }), model, messages }
        const answer = await askedTwice(async () => await client.create(deepFreeze(request), {}))
        expect(answer.choices.length).toBeGreaterThan(0)
      }),
      { numRuns: 100 },
    )
  })
})
