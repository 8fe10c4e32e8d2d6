import { createMemoryCache, ModelWrapper } from '@x/model'
import { openai } from '@x/provider-openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const messages = [{ role: 'user' as const, content: 'hi' }]

type Sent = Record<string, unknown> & { model: string; response_format?: { json_schema: { strict: boolean } } }

function wrapped(models = ['gpt-4o'], failing = '', content = '{}'): { model: ModelWrapper; sent: Sent[] } {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(JSON.parse(init!.body as string) as Sent)
    if (sent.at(-1)!.model === failing) return Response.json({ error: { message: 'down' } }, { status: 503 })
    return Response.json({
      id: 'c',
      model: 'gpt-4o',
      choices: [{ index: 0, message: { content }, finish_reason: 'stop' }],
    })
  }
  const io = { send: () => {}, input: () => '' }
  const configList = models.map((model) => ({ model, apiKey: 'k', fetch }))
  return { sent, model: new ModelWrapper({ providers: [openai], configList, cache: createMemoryCache(), io }) }
}

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: ['number', 'null'] } },
  required: ['city', 'days'],
  additionalProperties: false,
}

test.each([
  ['a schema of zod', z.object({ city: z.string(), days: z.number().nullable() })],
  ['a JSON Schema', schema],
])('the answer is to fit %s, and the schema is part of the cache key', async (_, format) => {
  const { model, sent } = wrapped()
  await model.create({ messages, response_format: format })
  expect(sent[0]!['response_format']).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'response', strict: true },
  })
  const { json_schema: lowered } = sent[0]!.response_format as unknown as { json_schema: { schema: typeof schema } }
  expect(lowered.schema).toMatchObject({ type: 'object', required: ['city', 'days'], additionalProperties: false })
  await model.create({ messages, response_format: format })
  expect(sent).toHaveLength(1)
  await model.create({ messages, response_format: z.object({ town: z.string() }) })
  expect(sent).toHaveLength(2)
})

test('the wire’s own forms pass', async () => {
  const { model, sent } = wrapped()
  await model.create({ messages, response_format: { type: 'json_object' } })
  expect(sent[0]!['response_format']).toEqual({ type: 'json_object' })
})

describe('an `answerSchema`', () => {
  test.each([
    ['gpt-4o', true],
    ['gpt-4o-mini', true],
    ['openai/gpt-4.1-mini', true],
    ['gpt-5.2', true],
    ['o3', true],
    ['gpt-4o-2024-05-13', false],
    ['gpt-4o-audio-preview', false],
    ['gpt-4-1106-preview', false],
    ['gpt-3.5-turbo', false],
    ['o1-mini', false],
    ['qwen3', false],
  ])('is sent to %s: %s', async (name, isSent) => {
    const { model, sent } = wrapped([name])
    await model.create({ messages, answerSchema: schema })
    expect(sent[0]!.response_format !== undefined).toBe(isSent)
    expect(sent[0]).not.toHaveProperty('answerSchema')
  })

  test('is sent to each config of a list that takes one', async () => {
    const { model, sent } = wrapped(['gpt-4o', 'qwen3'], 'gpt-4o')
    await model.create({ messages, answerSchema: schema })
    expect(sent.map((each) => [each.model, Boolean(each.response_format)])).toEqual([
      ['gpt-4o', true],
      ['qwen3', false],
    ])
  })

  test('is sent to nobody where the request has a form of its own', async () => {
    const { model, sent } = wrapped()
    await model.create({ messages, answerSchema: schema, response_format: { type: 'json_object' } })
    expect(sent[0]!.response_format).toEqual({ type: 'json_object' })
  })

  test.each<[what: string, shape: object, content: string, text: string]>([
    ['all properties are required', schema, '{"city":"Rome","days":null}', '{"city":"Rome","days":null}'],
    [
      'one is optional',
      { ...schema, properties: { city: { type: 'string' }, days: { type: 'number' } }, required: ['city'] },
      '{"city":"Rome","days":null}',
      '{"city":"Rome"}',
    ],
    [
      'names are free',
      { type: 'object', additionalProperties: { type: 'number' } },
      '{"value":[{"key":"a","value":1}]}',
      '{"a":1}',
    ],
    [
      'the whole is one of several forms',
      { oneOf: [schema, { type: 'array', items: { type: 'string' } }] },
      '{"value":["a"]}',
      '["a"]',
    ],
  ])('is strict where %s, and the answer has the form of the schema', async (_, shape, content, text) => {
    const { model, sent } = wrapped(['gpt-4o'], '', content)
    const { choices } = await model.create({ messages, answerSchema: shape })
    expect(sent[0]!.response_format!.json_schema.strict).toBe(true)
    expect(choices[0]!.message.content).toBe(text)
    const cached = await model.create({ messages, answerSchema: shape })
    expect([cached.cached, cached.choices[0]!.message.content]).toEqual([true, text])
  })
})
