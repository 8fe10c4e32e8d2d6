import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { startFakeOpenAI } from '@x/testing'
import { describe, expect, test } from 'vitest'
import { openai } from './openai.ts'
import { answerOf, response, said, thought } from './responses/responses.fake.ts'
import { wholeAnswer } from './wire.fake.ts'

interface Reply {
  readonly status?: number
  readonly body: object
}

const refusal = (status: number, message: string, more: object = {}): Reply => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
})
const TOOLS = refusal(
  400,
  "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  { param: 'reasoning_effort' },
)
const ONLY = refusal(404, 'This model is only supported in v1/responses and not in v1/chat/completions.', {
  param: 'model',
})

/** Calls a client again as long as it has learnt how to ask, as the wrapper does. */
async function askedAgain<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isXError(error) || error.details?.['askAgain'] !== true) throw error
    }
  }
}

/** A client whose endpoint refuses some requests, by API and body, and what it was asked. */
function endpoint(
  config: ConfigEntry,
  refused: (api: string, body: Record<string, unknown>) => Reply | undefined = () => undefined,
) {
  const asked: string[] = []
  const bodies: Record<string, unknown>[] = []
  const warnings: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const api = (input as string).replace(/^.*?\/(?=chat\/|responses|completions)/u, '').replace(/\?.*/u, '')
    const body = JSON.parse(init?.body as string) as Record<string, unknown>
    asked.push(api)
    bodies.push(body)
    const { status = 200, body: answer } = refused(api, body) ?? {
      body: api === 'responses' ? response() : wholeAnswer(),
    }
    if (status !== 200 || !body['stream']) return Response.json(answer, { status })
    return new Response(`data: ${JSON.stringify(answer)}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
  }
  const client = openai.createClient({ apiKey: 'sk-test', maxRetries: 0, fetch, ...config })
  const options = { warn: (_: string, text: string) => void warnings.push(text) }
  const paramsOf = (given: Partial<ModelParams>): ModelParams => ({
    model: config.model!,
    messages: [{ role: 'user', content: 'Hi' }],
    ...given,
  })
  return {
    asked,
    bodies,
    warnings,
    create: async (given: Partial<ModelParams> = {}) =>
      await askedAgain(async () => await client.create(paramsOf(given), options)),
    stream: async (given: Partial<ModelParams> = {}) =>
      await askedAgain(async () => {
        for await (const _ of client.stream!(paramsOf(given), options));
      }),
  }
}

const tools: Partial<ModelParams> = { tools: [{ type: 'function', function: { name: 'f' } }] }
const search: Partial<ModelParams> = { tools: [{ type: 'web_search' }] }
const apiOf = async (config: ConfigEntry, params: Partial<ModelParams>): Promise<string | undefined> => {
  const { create, asked } = endpoint(config)
  await create(params)
  return asked[0]
}

describe('R1: the API is chosen by model and request', () => {
  const CHAT = 'chat/completions'
  test.each<[string, Partial<ModelParams>, string]>([
    ['gpt-4o', tools, CHAT],
    ['gpt-5-mini', { ...tools, reasoning_effort: 'high' }, CHAT],
    ['gpt-5.4', tools, CHAT],
    ['gpt-5.4', { reasoning_effort: 'high' }, CHAT],
    ['gpt-5.4-mini-2026-03-17', { ...tools, reasoning_effort: 'low' }, 'responses'],
    ['gpt-5.4', { ...tools, reasoning_effort: 'none' }, CHAT],
    ['gpt-5.5', {}, CHAT],
    ['gpt-5.5', tools, 'responses'],
    ['gpt-5.6-terra', tools, 'responses'],
    ['gpt-5.5', { ...tools, reasoning_effort: 'none' }, CHAT],
    ['gpt-5.5-chat-latest', tools, CHAT],
    ['gpt-6-sol', {}, 'responses'],
    ['gpt-6.1-terra', {}, 'responses'],
    ['gpt-99', {}, 'responses'],
    ['gpt-5.1-codex-max', {}, 'responses'],
    ['codex-mini-latest', {}, 'responses'],
    ['gpt-5-pro', {}, 'responses'],
    ['o3-pro-2025-06-10', {}, 'responses'],
    ['o4-mini-deep-research', {}, 'responses'],
    ['computer-use-preview', {}, 'responses'],
    ['gpt-4o', search, 'responses'],
    ['gpt-4o', { reasoning: { summary: 'auto' } }, 'responses'],
    ['gpt-4o', { max_output_tokens: 50 }, 'responses'],
    ['gpt-4o', { prompt: { id: 'pmpt_1' } }, 'responses'],
    ['gpt-4o-search-preview', { web_search_options: {} }, CHAT],
    ['gpt-audio-mini', search, CHAT],
    ['gpt-3.5-turbo-instruct', { prompt: 'Once' }, 'completions'],
  ])('%s with %j', async (model, params, api) => {
    expect(await apiOf({ model }, params)).toBe(api)
  })

  test.each<[string, ConfigEntry, string]>([
    ['Azure’s newer form', { apiType: 'azure', baseUrl: 'https://r.openai.azure.com/openai/v1/' }, 'responses'],
    ['the same as OpenAI', { baseUrl: 'https://r.services.ai.azure.com/openai/v1' }, 'responses'],
    ['Azure’s older form', { apiType: 'azure', baseUrl: 'https://r.openai.azure.com', apiVersion: '2024-10-21' }, CHAT],
    ['a region of OpenAI', { baseUrl: 'https://eu.api.openai.com/v1' }, 'responses'],
    ['another host', { baseUrl: 'https://gateway.example/openai/v1' }, CHAT],
    ['the config: chat', { api: 'chat' }, CHAT],
    ['the config: responses', { api: 'responses', baseUrl: 'http://localhost:1234/v1' }, 'responses'],
  ])('%s', async (_, config, api) => {
    expect(await apiOf({ model: 'gpt-5.5', ...config }, tools)).toBe(api)
  })

  test('any other value is refused', () => {
    expect(() => openai.createClient({ api: 'assistants' })).toThrow(/`api` cannot be used/u)
  })
})

describe('R2: a refusal that names the other API is learned', () => {
  test('for requests with tools, complete and streamed', async () => {
    const refuse = (api: string, body: Record<string, unknown>) =>
      api !== 'responses' && body['tools'] ? TOOLS : undefined
    const { create, stream, asked } = endpoint({ model: 'm', baseUrl: 'https://g.example/v1' }, refuse)
    await create(tools)
    await stream(tools)
    await create()
    await create({ ...tools, reasoning_effort: 'none' }).catch(() => {})
    expect(asked).toEqual([
      'chat/completions',
      'responses',
      'responses',
      'chat/completions',
      'chat/completions',
      // What the model refuses of this request, too, is learned.
      'responses',
    ])
  })

  test('for all requests of a model that has only the other', async () => {
    const refuse = (api: string, { model }: Record<string, unknown>) =>
      api !== 'responses' && model === 'only' ? ONLY : undefined
    const { create, asked } = endpoint({ model: 'only', baseUrl: 'https://g.example/v1' }, refuse)
    await create()
    await create()
    await create({ model: 'other' })
    expect(asked).toEqual(['chat/completions', 'responses', 'responses', 'chat/completions'])
  })

  test.each<[string, Reply]>([
    ['that names chat completions', refusal(400, 'Not supported here, use /v1/chat/completions.')],
    ['of the path', refusal(404, 'Invalid URL (POST /v1/responses)')],
    ['without a word', { status: 405, body: {} }],
  ])('from the Responses API, by a refusal %s', async (_, refused) => {
    const { create, asked } = endpoint({ model: 'gpt-5.5' }, (api) => (api === 'responses' ? refused : undefined))
    await create({ ...tools, reasoning_effort: 'high' })
    await create({ ...tools, reasoning_effort: 'high' })
    expect(asked).toEqual(['responses', 'chat/completions', 'chat/completions'])
  })

  test('Azure names only the operation that does not work', async () => {
    const refused = refusal(400, 'The chatCompletion operation does not work with the specified model, gpt-x.', {
      code: 'OperationNotSupported',
    })
    const azure = { apiType: 'azure', baseUrl: 'https://r.openai.azure.com/openai/v1', model: 'deployment' }
    const { create, asked } = endpoint(azure, (api) => (api === 'responses' ? undefined : refused))
    await create()
    expect(asked).toEqual(['chat/completions', 'responses'])
  })

  test.each<[string, ConfigEntry, Reply]>([
    ['one that names neither', {}, refusal(400, 'Invalid value')],
    [
      'a model that is not there',
      { api: 'auto', model: 'gpt-6' },
      refusal(404, 'The model does not exist', { code: 'model_not_found' }),
    ],
    ['one of a chosen API', { api: 'chat' }, TOOLS],
    ['one of the key', {}, refusal(401, 'This key may use /v1/responses only')],
    ['a server error', {}, refusal(500, 'See /v1/responses')],
  ])('%s stands', async (_, config, refused) => {
    const { create, asked } = endpoint({ model: 'm', ...config }, () => refused)
    await expect(create(tools)).rejects.toMatchObject({ status: refused.status })
    expect(asked).toHaveLength(1)
  })

  test('when both refuse, each whatever is said to it, neither is asked again and again', async () => {
    const { create, asked } = endpoint({ model: 'm' }, (api) =>
      api === 'responses' ? refusal(400, 'Use /v1/chat/completions') : TOOLS,
    )
    await expect(create({ ...tools, reasoning_effort: 'none' })).rejects.toMatchObject({ status: 400 })
    expect(asked).toEqual(['chat/completions', 'responses'])
  })

  test('when both refuse, the call fails with the refusal', async () => {
    const { create, asked } = endpoint({ model: 'm' }, (api) =>
      api === 'responses' ? refusal(400, 'Use /v1/chat/completions') : ONLY,
    )
    await expect(create()).rejects.toMatchObject({ message: 'Use /v1/chat/completions' })
    expect(asked).toEqual(['chat/completions', 'responses'])
  })
})

test('R3: an effort goes to both, and is left out of neither without a word', async () => {
  const refuse = (api: string) => (api === 'responses' ? undefined : TOOLS)
  const { create, bodies, warnings } = endpoint({ model: 'gpt-5.5', baseUrl: 'https://g.example/v1' }, refuse)
  await create({ ...tools, reasoning_effort: 'high' })
  expect(bodies).toMatchObject([{ reasoning_effort: 'high' }, { reasoning: { effort: 'high' } }])
  expect(warnings).toEqual([])
})

describe('R7: what the endpoint does not take back is sent in plain form', () => {
  const config = { model: 'gpt-6', baseUrl: undefined }
  const conversation = async (): Promise<Partial<ModelParams>> => ({
    messages: [
      { role: 'user', content: 'Hi' },
      await answerOf([thought('rs_1'), said('Hello')]),
      { role: 'user', content: 'And?' },
    ],
  })

  test.each<[string, Reply]>([
    [
      'of another account',
      refusal(400, 'The encrypted content gAAA...Rg== could not be verified.', { code: 'invalid_encrypted_content' }),
    ],
    [
      'that is not stored',
      refusal(404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
    ],
    [
      'without its neighbour',
      refusal(400, "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    ],
    [
      'of a model that reasons',
      refusal(400, 'Reasoning input items can only be provided to a reasoning or computer use model.'),
    ],
    ['of another version', refusal(400, "Unknown parameter: 'input[1].phase'.", { param: 'input[1].phase' })],
  ])('an item %s', async (_, refused) => {
    const { create, stream, bodies, warnings } = endpoint(config, (_api, body) =>
      JSON.stringify(body).includes('rs_1') ? refused : undefined,
    )
    await create(await conversation())
    await stream(await conversation())
    const plain = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'And?' },
    ]
    // The second request does not try again what the first has learned.
    expect(bodies.slice(1).map(({ input }) => input)).toEqual([plain, plain])
    expect(warnings).toEqual([expect.stringContaining('reasoning of earlier answers')])
  })

  test('answers that came since go back as they came', async () => {
    const refused = refusal(400, 'The encrypted content could not be verified.', { code: 'invalid_encrypted_content' })
    const { create, bodies } = endpoint(config, (_, body) =>
      JSON.stringify(body).includes('rs_1') ? refused : undefined,
    )
    const { messages = [] } = await conversation()
    await create({ messages })
    const later = await answerOf([thought('rs_2'), said('Then.', { id: 'msg_2' })])
    await create({ messages: [...messages, later] })
    expect((bodies.at(-1)!['input'] as object[]).slice(1)).toEqual([
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'And?' },
      thought('rs_2'),
      said('Then.', { id: 'msg_2' }),
    ])
    expect(bodies).toHaveLength(3)
  })

  test('an event that says so before anything came is a refusal, too', async () => {
    const body = {
      type: 'error',
      code: 'invalid_encrypted_content',
      message: 'The encrypted content could not be verified.',
    }
    const { stream, asked } = endpoint(config, (_, { input }) =>
      JSON.stringify(input).includes('rs_1') ? { body } : undefined,
    )
    await stream(await conversation())
    expect(asked).toEqual(['responses', 'responses'])
  })

  test('a model that has no sealed reasoning is asked for none again', async () => {
    const refused = refusal(400, 'Encrypted content is not supported with this model.', { param: 'include' })
    const { create, bodies } = endpoint({ model: 'my-deployment', api: 'responses' }, (_, body) =>
      body['include'] ? refused : undefined,
    )
    await create()
    await create()
    expect(bodies.map((body) => body['include'])).toEqual([['reasoning.encrypted_content'], undefined, undefined])
  })
})

test('R19: a conversation changes the API between two messages, and back', async () => {
  await using server = await startFakeOpenAI({
    strict: true,
    replies: [
      {
        reasoning_content: 'Hm.',
        content: 'I look.',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
      },
      'By chat.',
      { reasoning_content: 'Hm.', content: 'By responses.' },
    ],
  })
  const base = { model: 'gpt-5.5', apiKey: 'k', baseUrl: server.url, maxRetries: 0 }
  const messages: ModelParams['messages'] = [{ role: 'user', content: 'Hi' }]
  const ask = async (config: ConfigEntry, params: Partial<ModelParams>): Promise<void> => {
    const client = openai.createClient(config)
    const { choices } = await askedAgain(async () => await client.create({ model: 'gpt-5.5', ...params, messages }, {}))
    messages.push(choices[0]!.message, { role: 'user', content: 'And?' })
  }
  await ask(base, tools)
  messages.splice(-1, 0, { role: 'tool', tool_call_id: 'a', content: 'done' })
  await ask({ ...base, api: 'chat' }, {})
  await ask({ ...base, api: 'responses' }, tools)
  expect(messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([
    'I look.',
    'By chat.',
    'By responses.',
  ])
  expect(server.requests.map(({ path, status }) => [path, status])).toEqual([
    ['/v1/chat/completions', 400],
    ['/v1/responses', 200],
    ['/v1/chat/completions', 200],
    ['/v1/responses', 200],
  ])
  const { input } = server.requests.at(-1)!.body as { input: { type?: string; role?: string }[] }
  expect(input.map(({ type, role }) => type ?? role)).toEqual([
    'user',
    'reasoning',
    'message',
    'function_call',
    'function_call_output',
    'user',
    'assistant',
    'user',
  ])
})
