import { createMemoryCache, ModelWrapper } from '@x/model'
import { openai } from '@x/provider-openai'
import { expect, test } from 'vitest'
import { z } from 'zod'

const messages = [{ role: 'user' as const, content: 'hi' }]

function wrapped(): { model: ModelWrapper; sent: Record<string, unknown>[] } {
  const sent: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(JSON.parse(init!.body as string) as Record<string, unknown>)
    return Response.json({
      id: 'c',
      model: 'gpt-4o',
      choices: [{ index: 0, message: { content: '{}' }, finish_reason: 'stop' }],
    })
  }
  const io = { send: () => {}, input: () => '' }
  const configList = [{ model: 'gpt-4o', apiKey: 'k', fetch }]
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
  const { json_schema: lowered } = sent[0]!['response_format'] as { json_schema: { schema: typeof schema } }
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
