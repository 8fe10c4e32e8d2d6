import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { createOpenAI, loadCatalogue } from './index.ts'
import { response } from './responses/responses.fake.ts'
import { wholeAnswer } from './wire.fake.ts'

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

/** Asks a model by an adapter that was taught some facts, and returns what was sent, where to, and what was warned of. */
async function asked(models: object, model: string, params: Partial<ModelParams> = {}, config: ConfigEntry = {}) {
  const sent: { api: string; body: Record<string, unknown> }[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const api = (input as string).endsWith('/responses') ? 'responses' : 'chat'
    sent.push({ api, body: JSON.parse(init?.body as string) as Record<string, unknown> })
    return Response.json(api === 'responses' ? response() : wholeAnswer())
  }
  const catalogue = await loadCatalogue({ date: '2027-01-01', models })
  const client = createOpenAI({ catalogue }).createClient({ model, apiKey: 'k', fetch, ...config })
  const warned: string[] = []
  const messages = [{ role: 'user' as const, content: 'hi' }]
  await client.create({ model, messages, ...params }, { warn: (topic) => void warned.push(topic) })
  return { ...sent[0]!, warned, client }
}

describe('a family that the package does not know', () => {
  const family = {
    'acme-#*': { thinking: 'effort', efforts: ['low', 'high'], forcedTools: 'without-thinking', contextWindow: 5000 },
  }

  test.each([
    ['high', 'high', []],
    ['medium', 'low', ['effort']],
    ['minimal', 'low', ['effort']],
    ['own-level', 'own-level', []],
  ])('asked for the effort %s is sent %s', async (effort, sent, warnings) => {
    const { body, warned } = await asked(family, 'acme-7', { reasoning_effort: effort as 'high' })
    expect([body['reasoning_effort'], warned]).toEqual([sent, warnings])
  })

  test('reasons: it gets no temperature, and its limit by the newer name', async () => {
    const { body, client } = await asked(family, 'host/acme-7-mini', { temperature: 0.5, max_tokens: 9 })
    expect(body).toMatchObject({ max_completion_tokens: 9 })
    expect(body).not.toHaveProperty('temperature')
    expect(client.limitsOf?.('acme-8')).toMatchObject({ contextWindow: 5000 })
  })

  test('cannot be made to call a tool by either API', async () => {
    for (const api of ['chat', 'responses']) {
      const { body, warned } = await asked(family, 'acme-7', { tools: TOOLS, tool_choice: 'required' }, { api })
      expect([body['tool_choice'], warned]).toEqual(['auto', ['tool_choice']])
    }
  })

  test('leaves other names as they were', async () => {
    const { body } = await asked(family, 'acme-2027', { temperature: 0.5 })
    expect(body).toMatchObject({ temperature: 0.5 })
  })
})

test.each([
  ['responses', {}, 'responses'],
  ['chat', { tools: TOOLS }, 'chat'],
  ['responses-for-tools', {}, 'chat'],
  ['responses-for-tools', { tools: TOOLS }, 'responses'],
  ['responses-for-effort', { tools: TOOLS }, 'chat'],
  ['responses-for-effort', { tools: TOOLS, reasoning_effort: 'low' }, 'responses'],
] as const)('a model with `api: %s` asked with %j is asked by %s', async (api, params, by) => {
  const taught = { 'acme-1': { thinking: 'effort', api } }
  expect((await asked(taught, 'acme-1', params as Partial<ModelParams>)).api).toBe(by)
})

test.each([
  ['both', { temperature: 1, top_p: 1, presence_penalty: 1 }],
  ['one', { temperature: 1, presence_penalty: 1 }],
  ['no-temperature', { presence_penalty: 1 }],
  ['none', {}],
])('a model with `sampling: %s` takes %j', async (sampling, taken) => {
  const { body } = await asked({ 'acme-1': { thinking: 'none', sampling } }, 'acme-1', {
    ...{ temperature: 1, top_p: 1, presence_penalty: 1 },
  })
  const { model: _, messages: _messages, ...rest } = body
  expect(rest).toEqual(taken)
})

test('sampling that is taken only without reasoning', async () => {
  const taught = { 'acme-1': { thinking: 'effort', sampling: 'without-thinking' } }
  expect((await asked(taught, 'acme-1', { reasoning_effort: 'none', temperature: 1 })).body).toMatchObject({
    temperature: 1,
  })
  expect((await asked(taught, 'acme-1', { temperature: 1 })).body).not.toHaveProperty('temperature')
})

describe('the table for schemas', () => {
  const sentSchema = async (schema: string, api: 'chat' | 'responses'): Promise<unknown> => {
    const { body } = await asked({ 'acme-1': { schema } }, 'acme-1', { response_format: RECORD }, { api })
    const format = (api === 'chat' ? body['response_format'] : (body['text'] as object)) as Record<string, never>
    return api === 'chat' ? format['json_schema']!['schema'] : format['format']!['schema']
  }

  test.each(['chat', 'responses'] as const)('is that of the model, by %s', async (api) => {
    expect(await sentSchema('gemini', api)).toMatchObject(RECORD_SCHEMA)
    expect(await sentSchema('openai-strict', api)).toMatchObject({ properties: { by: { type: 'array' } } })
  })
})

describe('a model of a known family', () => {
  test('has rules of its own, and keeps its price and the other rules', async () => {
    const { body, client, warned } = await asked({ 'gpt-5.2': { efforts: ['high'] } }, 'gpt-5.2', {
      reasoning_effort: 'low',
      temperature: 1,
    })
    expect([body['reasoning_effort'], warned]).toEqual(['high', ['effort', 'parameter']])
    const answer = { id: 'a', model: 'gpt-5.2', created: 1, choices: [], usage: usageOf(1e6) }
    expect(client.cost(answer)).toBeGreaterThan(0)
  })

  test.each([
    ['gpt-5.1', 'minimal', 'low'],
    ['gpt-6-astra', 'none', 'low'],
    ['gpt-6-sol', 'none', 'none'],
    ['gpt-6.1-terra', 'max', 'max'],
    ['gpt-5-mini', 'none', 'minimal'],
    ['gpt-5-pro', 'low', 'high'],
    ['o3', 'xhigh', 'high'],
    ['gpt-5.1-codex-max', 'xhigh', 'xhigh'],
    ['gpt-5.1-codex', 'xhigh', 'high'],
    ['gpt-9', 'max', 'max'],
  ])('%s asked for the effort %s is sent %s', async (model, effort, sent) => {
    const { body } = await asked({}, model, { reasoning_effort: effort as 'low' }, { api: 'chat' })
    expect(body['reasoning_effort']).toBe(sent)
  })

  test.each([
    ['gpt-35-turbo', 'chat'],
    ['gpt-4o', 'chat'],
    ['gpt-9', 'responses'],
    ['gpt-5-2-pro', 'responses'],
    ['gpt-4o-production', 'chat'],
  ])('%s is asked by %s', async (model, api) => expect((await asked({}, model)).api).toBe(api))
})

const usageOf = (tokens: number) => ({ prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens })

describe('a parameter that a model refuses is left out, in the next request and later ones', () => {
  const refusing = (refuse: (body: Record<string, unknown>) => object | undefined) => {
    const sent: Record<string, unknown>[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const body = JSON.parse(init?.body as string) as Record<string, unknown>
      sent.push(body)
      const error = refuse(body)
      return error ? Response.json({ error }, { status: 400 }) : Response.json(wholeAnswer())
    }
    const config = { apiType: 'azure', baseUrl: 'https://r.openai.azure.com', apiVersion: '2024-10-21', model: 'mine' }
    const client = createOpenAI().createClient({ ...config, apiKey: 'k', fetch })
    const warned: string[] = []
    const ask = async (params: Partial<ModelParams>) =>
      await client.create(
        { messages: [{ role: 'user', content: 'Hi' }], ...params },
        { warn: (_, text) => void warned.push(text) },
      )
    return { sent, warned, ask }
  }
  const again = { details: { askAgain: true } }

  test('the limit of a deployment has its newer name', async () => {
    const { sent, warned, ask } = refusing((body) =>
      'max_tokens' in body
        ? {
            message: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            param: 'max_tokens',
          }
        : undefined,
    )
    await expect(ask({ max_tokens: 9 })).rejects.toMatchObject(again)
    await ask({ max_tokens: 9 })
    await ask({ max_tokens: 9, max_completion_tokens: 8 })
    expect(sent.slice(1)).toMatchObject([{ max_completion_tokens: 9 }, { max_completion_tokens: 8 }])
    expect(sent.slice(1).some((body) => 'max_tokens' in body)).toBe(false)
    expect(warned).toEqual([])
  })

  test.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0.5. Only the default (1) value is supported."],
    ['reasoning_effort', '`reasoning_effort` is not supported with this model'],
    ['seed', '{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}'],
  ])('%s, with a warning', async (name, message) => {
    const { sent, warned, ask } = refusing((body) => (name in body ? { message } : undefined))
    const params = { [name]: name === 'reasoning_effort' ? 'low' : 0.5, user: 'u' }
    const refused = { status: 'rejected', reason: again }
    expect(await Promise.allSettled([ask(params), ask(params)])).toMatchObject([refused, refused])
    await ask(params)
    expect(sent.at(-1)).not.toHaveProperty(name)
    expect(sent.at(-1)).toMatchObject({ user: 'u' })
    expect(warned).toEqual([`\`mine\` does not take \`${name}\`: it was left out`])
  })

  test.each([
    ['a value for which there are others', { message: "Unsupported value: 'verbosity'. Supported values are: 'low'." }],
    ['one that the other API takes', { message: "'verbosity' is not supported with tools: use /v1/responses" }],
    ['a parameter that changes what is asked', { message: "Unsupported parameter: 'n'", param: 'n' }],
    ['both names of the limit', { message: 'Unsupported parameter', param: 'max_completion_tokens' }],
  ])('but not %s', async (_, error) => {
    const { ask } = refusing(() => error)
    const params = { verbosity: 'high', n: 2, max_completion_tokens: 5 } as const
    for (let times = 0; times < 2; times++) {
      const isNew = times === 0 && error.message === 'Unsupported parameter'
      await expect(ask(params)).rejects.toMatchObject(isNew ? again : { kind: 'invalid-request' })
    }
    await expect(ask(params)).rejects.not.toMatchObject(again)
  })
})
