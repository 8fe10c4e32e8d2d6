import type { ModelParams } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { createAnthropic, loadCatalogue } from './index.ts'

const TOOLS = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const RECORD_SCHEMA = {
  type: 'object',
  properties: { by: { type: 'object', additionalProperties: { type: 'number' } } },
  required: ['by'],
}
const RECORD = {
  type: 'json_schema' as const,
  json_schema: { name: 'r', strict: true, schema: RECORD_SCHEMA },
}

/** Asks a model by an adapter that was taught some facts, and returns what was sent and what was warned of. */
async function asked(models: object, model: string, params: Partial<ModelParams> = {}) {
  const catalogue = await loadCatalogue({ date: '2027-01-01', models })
  const { body, warnings } = await exchange(
    createAnthropic({ catalogue }),
    { model },
    { model, messages: [{ role: 'user', content: 'Hi' }], ...params },
    { whole: anthropicFormat.whole({ text: 'Hello' }) },
  )
  return { body, warned: warnings.map(([topic]) => topic) }
}

test.each([
  [{ thinking: 'effort', efforts: ['low', 'high'] }, { type: 'adaptive' }, { effort: 'low' }],
  [{ thinking: 'budget', efforts: [] }, { type: 'enabled', budget_tokens: 8192 }, undefined],
  [{ thinking: 'budget', budget: [500, 4000] }, { type: 'enabled', budget_tokens: 4000 }, undefined],
  [{ thinking: 'none' }, undefined, undefined],
])('a family with %j asked for medium effort is sent %j and %j', async (rules, thinking, config) => {
  const limits = { contextWindow: 200_000, maxOutput: 64_000 }
  const { body } = await asked({ 'acme-#*': { ...limits, ...rules } }, 'acme-7', { reasoning_effort: 'medium' })
  expect([body['thinking'], body['output_config']]).toEqual([thinking, config])
  expect(body['max_tokens']).toBe(64_000)
})

test.each([
  ['always', {}, 'any'],
  ['never', {}, 'auto'],
  ['without-thinking', {}, 'any'],
  ['without-thinking', { reasoning_effort: 'low' }, 'auto'],
] as const)('a model with `forcedTools: %s` asked with %j', async (forcedTools, told, type) => {
  const taught = { 'acme-1': { thinking: 'effort', forcedTools } }
  const { body } = await asked(taught, 'acme-1', { tools: TOOLS, tool_choice: 'required', ...told })
  expect(body['tool_choice']).toEqual({ type })
})

test.each([
  ['both', { temperature: 1, top_p: 1 }],
  ['one', { temperature: 1 }],
  ['none', {}],
])('a model with `sampling: %s` takes %j', async (sampling, taken) => {
  const { body } = await asked({ 'acme-1': { thinking: 'none', sampling } }, 'acme-1', { temperature: 1, top_p: 1 })
  const { temperature, top_p } = body
  expect(JSON.parse(JSON.stringify({ temperature, top_p }))).toEqual(taken)
})

describe('the table for schemas', () => {
  test('is that of the model', async () => {
    const sent = async (schema: string) =>
      (await asked({ 'acme-1': { thinking: 'none', schema } }, 'acme-1', { response_format: RECORD })).body
    const schemaOf = ({ output_config: config }: Record<string, unknown>): unknown =>
      (config as { format: { schema: unknown } }).format.schema
    expect(schemaOf(await sent('gemini'))).toMatchObject(RECORD_SCHEMA)
    expect(schemaOf(await sent('anthropic-strict'))).toMatchObject({ properties: { by: { type: 'array' } } })
    expect((await sent('none'))['tool_choice']).toMatchObject({ type: 'tool', name: 'json' })
  })
})

test('a model of a known family has rules of its own, and keeps the others and its limits', async () => {
  const taught = { 'claude-opus-5-5': { efforts: ['medium'], forcedTools: 'always' } }
  const told = { reasoning_effort: 'max', temperature: 1, tools: TOOLS, tool_choice: 'required' } as const
  const { body, warned } = await asked(taught, 'claude-opus-5-5-20261001', told)
  expect(body).toMatchObject({ output_config: { effort: 'medium' }, tool_choice: { type: 'any' }, max_tokens: 128_000 })
  expect(warned).toEqual(['effort', 'parameter'])
})

test('a newer family wins over the one that the package knows', async () => {
  const { body } = await asked({ 'claude-opus-6*': { sampling: 'both' } }, 'claude-opus-6-20270301', { temperature: 1 })
  expect(body).toMatchObject({ temperature: 1, max_tokens: 128_000 })
})
