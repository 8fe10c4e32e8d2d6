import { inspect } from 'node:util'
import type { ConfigEntry } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { fakeWire } from './wire.fake.ts'

const sentBy = async (config: ConfigEntry, params: object = {}) => {
  const wire = fakeWire(undefined, config)
  await wire.create(params)
  const { url, headers } = wire.sent[0]!
  return { url, key: headers.get('api-key'), authorization: headers.get('authorization'), headers }
}

describe('any endpoint', () => {
  test('by its URL, without a key and without one from the environment', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-from-the-environment'
    try {
      const { url, authorization, headers } = await sentBy({ baseUrl: 'http://localhost:11434/v1', apiKey: undefined })
      expect([url, authorization]).toEqual(['http://localhost:11434/v1/chat/completions', null])
      expect(headers.get('openai-organization')).toBeNull()
    } finally {
      delete process.env['OPENAI_API_KEY']
    }
  })

  test('headers and organisation', async () => {
    const { headers } = await sentBy({ defaultHeaders: { 'x-team': 'blue' }, organization: 'org-1' })
    expect([headers.get('x-team'), headers.get('openai-organization')]).toEqual(['blue', 'org-1'])
  })

  test('a key that is a function is asked for with every call and never shown', async () => {
    let n = 0
    const fetch = async (): Promise<Response> =>
      Response.json({ error: { message: `bad key sk-rotating-${n}` } }, { status: 401 })
    const wire = fakeWire(undefined, { apiKey: async () => `sk-rotating-${++n}` })
    await wire.create()
    await wire.create()
    expect(wire.sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer sk-rotating-1',
      'Bearer sk-rotating-2',
    ])
    const error: unknown = await fakeWire(undefined, { apiKey: () => `sk-rotating-${++n}`, fetch })
      .create()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'auth', status: 401 })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sk-rotating')
  })

  test('no key anywhere is an auth failure that says what to do', async () => {
    const error: unknown = await fakeWire(undefined, { apiKey: undefined })
      .create()
      .catch((reason: unknown) => reason)
    expect(isXError(error) && [error.kind, error.message]).toEqual([
      'auth',
      "there is no API key: set OPENAI_API_KEY, or `apiKey` at the model, as in `openai('gpt-5-mini', { apiKey })`",
    ])
  })
})

describe('O25: the hosted variant', () => {
  const azure = { apiType: 'azure', apiKey: 'azure-key', model: 'gpt-4o', baseUrl: 'https://res.openai.azure.com' }
  const path = 'https://res.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21'

  test.each([
    'https://res.openai.azure.com',
    'https://res.openai.azure.com/',
    'https://res.openai.azure.com/openai/deployments/other',
  ])('%s', async (baseUrl) => {
    expect(await sentBy({ ...azure, baseUrl, apiVersion: '2024-10-21' })).toMatchObject({
      url: path,
      key: 'azure-key',
      authorization: null,
    })
  })

  test('a function gives tokens', async () => {
    expect(await sentBy({ ...azure, apiVersion: '2024-10-21', apiKey: async () => 'token' })).toMatchObject({
      key: null,
      authorization: 'Bearer token',
    })
  })

  test('questions about batches have the version beside what they ask', async () => {
    const urls: unknown[] = []
    const fetch: typeof globalThis.fetch = async (input) => {
      urls.push(input)
      return Response.json({ data: [], status: 'completed' })
    }
    const { client } = fakeWire(undefined, { ...azure, apiVersion: '2024-10-21', fetch })
    await client.batches!.find('key', {})
    await client.batches!.hasEnded('batch_1', {})
    expect(urls).toEqual([
      'https://res.openai.azure.com/openai/batches?limit=100&api-version=2024-10-21',
      'https://res.openai.azure.com/openai/batches/batch_1?api-version=2024-10-21',
    ])
  })

  test('its newer form', async () => {
    const url = 'https://res.openai.azure.com/openai/v1'
    expect(await sentBy({ ...azure, baseUrl: url })).toMatchObject({
      url: `${url}/chat/completions`,
      key: 'azure-key',
      authorization: null,
    })
    expect(await sentBy({ ...azure, baseUrl: url, apiVersion: 'preview' })).toMatchObject({
      url: `${url}/chat/completions?api-version=preview`,
    })
    expect(await sentBy({ ...azure, baseUrl: url, apiKey: () => 'token' })).toMatchObject({
      authorization: 'Bearer token',
      key: null,
    })
  })

  test.each([
    [{ ...azure }, '`apiVersion`'],
    [{ ...azure, baseUrl: undefined, apiVersion: 'v' }, '`baseUrl`'],
  ])('what is missing is named', async (config, name) => {
    const error: unknown = await fakeWire(undefined, config)
      .create()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining(name) as unknown })
  })

  test('O23: a filtered prompt keeps its reason', async () => {
    const body = {
      error: {
        code: 'content_filter',
        message: 'filtered',
        param: 'prompt',
        innererror: { content_filter_result: { hate: { filtered: true } } },
      },
    }
    const fetch = async (): Promise<Response> => Response.json(body, { status: 400 })
    const error: unknown = await fakeWire(undefined, { ...azure, apiVersion: 'v', fetch })
      .create()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'content-filter',
      kind: 'content-filter',
      details: { contentFilter: { hate: { filtered: true } } },
    })
  })
})

describe('O17, X17: bodies of errors', () => {
  test.each<[string, unknown, string]>([
    ['a number for a code', { error: { code: 429, message: 'slow', param: {} } }, 'rate-limit'],
    ['no code', { error: { message: 'slow', code: null, type: null } }, 'rate-limit'],
    ['a text for an error', { error: 'slow' }, 'rate-limit'],
    ['O18: a quota', { error: { code: 'insufficient_quota', message: 'x' } }, 'quota'],
  ])('%s', async (_, body, kind) => {
    const fetch = async (): Promise<Response> => Response.json(body, { status: 429 })
    await expect(fakeWire(undefined, { fetch }).create()).rejects.toMatchObject({ kind, status: 429 })
  })

  test.each(['', '<html>no</html>', '{"half'])('%j', async (body) => {
    const fetch = async (): Promise<Response> => new Response(body, { status: 503 })
    await expect(fakeWire(undefined, { fetch }).create()).rejects.toMatchObject({ kind: 'overloaded', status: 503 })
  })

  test('a 404 says where it asked', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ error: { message: 'no such deployment' } }, { status: 404 })
    await expect(fakeWire(undefined, { fetch, baseUrl: 'http://user:pass@host/v1' }).create()).rejects.toMatchObject({
      kind: 'not-found',
      message: 'no such deployment (`http://host/v1/chat/completions`)',
    })
  })
})

test('nothing of the request is changed', async () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
    return value
  }
  const params = frozen({
    messages: [
      { role: 'system', content: 's' },
      { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 't' }] },
    ],
    tools: [
      { type: 'function', function: { name: 'a.b', parameters: { type: 'object', properties: {} }, strict: true } },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'r', schema: { type: 'object', properties: {} }, strict: true },
    },
    max_tokens: 3,
  })
  await fakeWire(undefined, { model: 'gpt-5' }).create(params as never)
})
