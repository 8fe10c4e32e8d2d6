import type { ModelParams } from '@x/interfaces'
import { googleFormat } from '@x/testing/google'
import { exchange } from '@x/testing/provider-contract'
import { expect, test } from 'vitest'
import { createGoogle, loadCatalogue } from './index.ts'

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
    createGoogle({ catalogue }),
    { model },
    { model, messages: [{ role: 'user', content: 'Hi' }], ...params },
    { whole: googleFormat.whole({ text: 'Hello' }) },
  )
  const config = (body['generationConfig'] ?? {}) as Record<string, unknown>
  return { body, config, warned: warnings.map(([topic]) => topic) }
}

test.each([
  [{ thinking: 'effort', efforts: ['low', 'high'] }, 'medium', { thinkingLevel: 'high' }],
  [{ thinking: 'effort', efforts: ['none', 'high'] }, 'none', { thinkingLevel: 'none' }],
  [{ thinking: 'budget', budget: [1000, 4000] }, 'medium', { thinkingBudget: 4000 }],
  [{ thinking: 'budget', budget: [1000, 4000] }, 'minimal', { thinkingBudget: 1000 }],
  [{ thinking: 'none' }, 'high', undefined],
])('a family with %j asked for the effort %s thinks as %j', async (rules, effort, sent) => {
  const { config } = await asked({ 'acme-#*': rules }, 'acme-7', { reasoning_effort: effort as 'high' })
  expect(config['thinkingConfig']).toEqual(sent)
})

test.each([
  ['gemini-2.5-pro', 40_000, 32_768],
  ['gemini-2.5-flash', 30_000, 24_576],
])('%s told to think with %s tokens thinks with %s', async (model, thinkingBudget, sent) => {
  const { config, warned } = await asked({}, model, { thinking_config: { thinkingBudget } })
  expect([config['thinkingConfig'], warned]).toEqual([{ thinkingBudget: sent }, ['thinking']])
})

test.each([
  ['always', {}, 'ANY'],
  ['never', {}, 'AUTO'],
  ['without-thinking', {}, 'AUTO'],
  ['without-thinking', { reasoning_effort: 'none' }, 'ANY'],
] as const)('a model with `forcedTools: %s` asked with %j', async (forcedTools, told, mode) => {
  const taught = { 'acme-1': { thinking: 'budget', budget: [0, 9000], forcedTools } }
  const { body } = await asked(taught, 'acme-1', { tools: TOOLS, tool_choice: 'required', ...told })
  expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode } })
})

test.each([
  ['both', { temperature: 1, topP: 1, topK: 3 }],
  ['one', { temperature: 1, topK: 3 }],
  ['no-temperature', { topK: 3 }],
  ['none', {}],
])('a model with `sampling: %s` takes %j', async (sampling, taken) => {
  const { config } = await asked({ 'acme-1': { sampling } }, 'acme-1', { temperature: 1, top_p: 1, top_k: 3 })
  expect(config).toEqual(taken)
})

test('the table for schemas is that of the model', async () => {
  const sent = async (schema: string) =>
    (await asked({ 'acme-1': { schema } }, 'acme-1', { response_format: RECORD })).config
  expect(await sent('gemini')).toMatchObject({ responseJsonSchema: RECORD_SCHEMA })
  expect(await sent('gemini-openapi')).toMatchObject({ responseSchema: { properties: { by: { type: 'array' } } } })
})

test('a model of a known family has rules of its own, and keeps the others', async () => {
  const { config } = await asked({ 'gemini-4-argon': { efforts: ['high'] } }, 'gemini-4-argon', {
    reasoning_effort: 'low',
    presence_penalty: 1,
  })
  expect(config).toEqual({ thinkingConfig: { thinkingLevel: 'high' } })
})
