import { execFileSync } from 'node:child_process'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerFailure, ServerReply } from '../reply.ts'
import type { FakeOpenAI } from './fake-openai.ts'
import { startFakeOpenAI, type FakeOpenAIOptions } from './start-fake-openai.ts'

const messages = [{ role: 'user', content: 'hi' }]

async function start(options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const server = await startFakeOpenAI(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const post = (server: FakeOpenAI, body: object = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages, ...body }),
    ...init,
  })

const json = async (response: Promise<Response>): Promise<unknown> => (await response).json()

/** The data of the frames of a stream. */
async function frames(response: Promise<Response>): Promise<unknown[]> {
  const text = await (await response).text()
  const datas = text.split('\n\n').filter(Boolean)
  return datas.map((data) => (data === 'data: [DONE]' ? 'DONE' : JSON.parse(data.replace('data: ', ''))))
}

/** What a client meets: a status and body, or where the connection broke. */
async function outcome(response: Promise<Response>): Promise<object> {
  let answer: Response
  try {
    answer = await response
  } catch {
    return { broke: 'before' }
  }
  let text = ''
  try {
    for await (const part of answer.body ?? []) text += Buffer.from(part).toString()
  } catch {
    return { broke: 'midway', status: answer.status, text }
  }
  return { status: answer.status, text }
}

describe('an answer', () => {
  it('gives a complete answer, with usage and its parts', async () => {
    const server = await start({
      replies: [{ content: 'hello', usage: { prompt: 9, completion: 4, cached: 3, reasoning: 2 } }],
    })
    expect(await json(post(server))).toMatchObject({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 4,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
    server.assertComplete()
  })

  it('is streamed as the API frames it: role, pieces, end, usage when asked for', async () => {
    const server = await start({ replies: 'hello there' })
    const expected = [
      { choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{ delta: { content: 'hello' } }] },
      { choices: [{ delta: { content: ' there' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
    ]
    expect(await frames(post(server, { stream: true }))).toMatchObject([...expected, 'DONE'])
    const withUsage = await frames(post(server, { stream: true, stream_options: { include_usage: true } }))
    expect(withUsage).toMatchObject([...expected, { choices: [], usage: { total_tokens: 15 } }, 'DONE'])
    expect(withUsage.slice(0, -2)).toSatisfy((chunks: { usage: unknown }[]) => chunks.every((c) => c.usage === null))
  })

  it('calls tools, in pieces when streamed', async () => {
    const call = (name: string): object => ({ function: { name, arguments: '{"a":1}' } })
    const server = await start({ replies: { tool_calls: [call('one'), call('two')] as never } })
    expect(await json(post(server))).toMatchObject({
      choices: [
        {
          message: { content: null, tool_calls: [{ id: 'call_1', type: 'function' }, { id: 'call_2' }] },
          finish_reason: 'tool_calls',
        },
      ],
    })
    const deltas = (await frames(post(server, { stream: true }))).slice(1, -2) as {
      choices: [{ delta: { tool_calls: [{ index: number; id?: string; function: { arguments: string } }] } }]
    }[]
    const pieces = deltas.map(({ choices: [{ delta }] }) => delta.tool_calls[0])
    expect(pieces.map(({ id }) => id)).toEqual(['call_1', undefined, undefined, 'call_2', undefined, undefined])
    const texts = [0, 1].map((at) => pieces.filter(({ index }) => index === at).map((each) => each.function.arguments))
    expect(texts.map((each) => each.join(''))).toEqual(['{"a":1}', '{"a":1}'])
  })

  it('has as many choices as asked for', async () => {
    const server = await start({ replies: 'a b' })
    expect(await json(post(server, { n: 2 }))).toMatchObject({ choices: [{ index: 0 }, { index: 1 }] })
    const chunks = (await frames(post(server, { n: 2, stream: true }))).slice(0, -1) as {
      choices: [{ index: number }]
    }[]
    expect(chunks.map(({ choices }) => choices[0].index)).toEqual([0, 1, 0, 1, 0, 1, 0, 1])
  })

  it('is the same however its bytes are cut', async () => {
    const server = await start({ replies: [{ content: 'grüße' }, { content: 'grüße', splits: 1 }] })
    const [plain, cut] = [await frames(post(server, { stream: true })), await frames(post(server, { stream: true }))]
    const contents = (chunks: unknown[]): unknown =>
      chunks.map((chunk) => (chunk === 'DONE' ? chunk : (chunk as { choices: unknown }).choices))
    expect(contents(cut)).toEqual(contents(plain))
  })

  it('ends its lines as told', async () => {
    const server = await start({ replies: { content: 'a', eol: '\r\n' } })
    const text = await (await post(server, { stream: true })).text()
    expect(text.split('\r\n\r\n')).toHaveLength(5)
  })

  it('comes by the path of Azure, which begins with its filter', async () => {
    const server = await start({ replies: ['a', 'a', { failure: 'content-filter' }] })
    const url = `${server.origin}/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21`
    const ask = (body: object): Promise<Response> =>
      fetch(url, { method: 'POST', body: JSON.stringify({ messages, ...body }), headers: { 'api-key': 'secret' } })
    expect(await json(ask({}))).toMatchObject({ model: 'my-gpt' })
    expect(await frames(ask({ stream: true }))).toMatchObject([
      { choices: [], prompt_filter_results: [{}] },
      {},
      {},
      {},
      'DONE',
    ])
    expect(await json(ask({}))).toMatchObject({
      error: { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } },
    })
    expect(server.requests[0]).toMatchObject({ query: { 'api-version': '2024-10-21' } })
    expect((await fetch(url.split('?')[0]!, { method: 'POST' })).status).toBe(404)
  })
})

describe('a failure', () => {
  const refusals: [ServerFailure, number, string | null][] = [
    ['429', 429, 'rate_limit_exceeded'],
    ['quota', 429, 'insufficient_quota'],
    ['500', 500, null],
    ['503', 503, null],
    ['401', 401, 'invalid_api_key'],
    ['403', 403, 'unsupported_country_region_territory'],
    ['404', 404, 'model_not_found'],
    ['400', 400, 'invalid_value'],
    ['context-overflow', 400, 'context_length_exceeded'],
    ['content-filter', 400, 'content_policy_violation'],
  ]
  it.each(refusals)('%s is refused with status %i and code %s', async (failure, status, code) => {
    const server = await start({ replies: { failure } })
    const response = await post(server, { stream: true })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } })
  })

  it.each([
    [7, 'retry-after', '7'],
    [{ ms: 250 }, 'retry-after-ms', '250'],
    [{ date: '2030-01-02T03:04:05Z' }, 'retry-after', 'Wed, 02 Jan 2030 03:04:05 GMT'],
  ])('says when to come back: %j', async (retryAfter, header, value) => {
    const server = await start({ replies: { failure: '429', retryAfter } })
    expect((await post(server)).headers.get(header)).toBe(value)
  })

  const HALF = 'Half of this answer'
  const all = 'Half of this answer is all that comes.'
  const breaks: [ServerFailure, boolean, object][] = [
    ['reset', false, { broke: 'before' }],
    ['reset', true, { broke: 'before' }],
    ['reset-midway', false, { broke: 'midway', status: 200, text: expect.stringMatching(/^\{"id"/) }],
    ['reset-midway', true, { broke: 'midway', status: 200, text: expect.stringContaining('"content":"Half"') }],
    ['cut', false, { status: 200, text: expect.not.stringMatching(/\}$/) }],
    ['cut', true, { status: 200, text: expect.not.stringMatching(/DONE|"finish_reason":"stop"/) }],
    ['no-done', false, { status: 200, text: expect.stringContaining(all) }],
    ['no-done', true, { status: 200, text: expect.not.stringContaining('DONE') }],
    ['malformed', false, { status: 200, text: expect.stringMatching(/"ind$/) }],
    ['malformed', true, { status: 200, text: expect.stringMatching(/"ind\n\n$/) }],
    ['error-frame', false, { status: 200, text: expect.stringMatching(/^\{"error"/) }],
    ['error-frame', true, { status: 200, text: expect.stringMatching(/^data: \{"error"/) }],
    [
      'error-frame-midway',
      true,
      { status: 200, text: expect.stringMatching(/"content":"Half"[^]*data: \{"error".*\n\n$/) },
    ],
    ['html', false, { status: 502, text: expect.stringMatching(/^<html>/) }],
    ['html', true, { status: 502, text: expect.stringMatching(/^<html>/) }],
    ['empty', false, { status: 200, text: '' }],
    ['empty', true, { status: 200, text: '' }],
  ]
  it.each(breaks)('%s (streamed: %s) looks so to a client', async (failure, stream, expected) => {
    const server = await start({ replies: { failure } })
    expect(await outcome(post(server, { stream }))).toEqual(expected)
  })

  it.each(['hang', 'hang-midway'] as const)('%s lasts until the client leaves, which is logged', async (failure) => {
    const server = await start({ replies: { failure } })
    const controller = new AbortController()
    const asked = post(server, { stream: true }, { signal: controller.signal })
    if (failure === 'hang') await server.requested(1)
    else expect((await asked).body).not.toBeNull()
    const met = outcome(asked)
    controller.abort()
    expect(await met).toMatchObject({ broke: failure === 'hang' ? 'before' : 'midway' })
    await server.idle()
    expect(server.requests).toMatchObject([{ state: 'aborted', status: failure === 'hang' ? null : 200 }])
  })

  it('sends half of an answer, unlike the whole', async () => {
    const server = await start({ replies: { failure: 'cut' } })
    const chunks = (await frames(post(server, { stream: true }))) as { choices: [{ delta: { content?: string } }] }[]
    expect(chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join('')).toBe(HALF)
  })

  it('flaps in a cycle', async () => {
    const server = await start({ replies: [{ failure: '503' }, 'a'], whenEmpty: 'cycle' })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await post(server)).status)
    expect(statuses).toEqual([503, 200, 503, 200])
  })

  it('waits before headers and before the first token', async () => {
    const [headers, token] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const server = await start({
      replies: { content: 'late', headersAfter: headers.promise, firstTokenAfter: token.promise },
    })
    const asked = post(server, { stream: true })
    await server.requested(1)
    expect(server.requests[0]).toMatchObject({ status: null, state: 'open' })
    headers.resolve()
    const { body } = await asked
    const reader = body!.getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"role":"assistant"')
    token.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('late')
    await reader.cancel()
  })
})

describe('the script', () => {
  it('answers by model or by a function of the request, and reports unused replies', async () => {
    const server = await start({
      models: { broken: [{ failure: '500' }, 'later'] },
      replies: ({ model, messages, index }) => `${model} ${messages.length} ${index}`,
    })
    expect((await post(server, { model: 'broken' })).status).toBe(500)
    expect(await json(post(server, { model: 'x' }))).toMatchObject({ choices: [{ message: { content: 'x 1 1' } }] })
    expect(() => server.assertComplete()).toThrow('1 of 2 replies of model `broken`')
  })

  it('says when it has no reply, and when its function throws', async () => {
    const server = await start({ replies: ['only'] })
    await post(server)
    const response = await post(server)
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('asked 2 times and has 1')])
    expect(() => server.assertComplete()).toThrow('asked 2 times')
    const throwing = await start({
      replies: () => {
        throw new Error('mine')
      },
    })
    expect(await (await post(throwing)).text()).toContain('mine')
  })

  it('says when a header cannot be sent', async () => {
    const server = await start({ replies: { content: 'a', headers: { 'bad name': '' } } })
    expect((await post(server)).status).toBe(500)
  })

  it('repeats the last message when there is none', async () => {
    const server = await start()
    expect(await json(post(server))).toMatchObject({ choices: [{ message: { content: 'hi' } }] })
  })
})

describe('the log', () => {
  it('holds bodies and headers, never a key', async () => {
    const server = await start({ replies: 'a', apiKey: 'sk-good' })
    const ask = (key: string): Promise<Response> => post(server, {}, { headers: { authorization: `Bearer ${key}` } })
    expect([(await ask('sk-good')).status, (await ask('sk-bad')).status]).toEqual([200, 401])
    await server.idle()
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        body: { model: 'm', messages },
        headers: { authorization: 'Bearer [redacted]' },
        status: 200,
        state: 'answered',
      },
      { status: 401 },
    ])
    expect(JSON.stringify(server.requests)).not.toMatch(/sk-/)
  })
})

describe('the end', () => {
  it.each([false, true])('leaves no listener, also with requests open (in a thread: %s)', async (thread) => {
    const server = await startFakeOpenAI({ thread, replies: { failure: 'hang' } satisfies ServerReply })
    const open = outcome(post(server))
    await server.requested(1)
    await server.close()
    await server[Symbol.asyncDispose]()
    expect(await open).toEqual({ broke: 'before' })
    const { port } = new URL(server.origin)
    const refused = Promise.withResolvers<unknown>()
    connect({ port: Number(port), host: '127.0.0.1' })
      .on('error', refused.resolve)
      .on('connect', refused.reject)
    expect(await refused.promise).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('refuses a port that is taken', async () => {
    const server = await start()
    const port = Number(new URL(server.origin).port)
    await expect(startFakeOpenAI({ port })).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(startFakeOpenAI({ port, thread: true })).rejects.toThrow(`port ${port}`)
  })
})

it.each([
  [{ reply: 'a' }, 'cannot start a fake server: the option `reply` is unknown; it takes `replies`, `models`'],
  [{ port: '4010' }, "`port` is '4010'; write `port: 4010`, without quotes"],
])('refuses options that it does not know: %j', async (options, text) => {
  await expect(startFakeOpenAI(options as never)).rejects.toThrow(text)
})

describe('a server in a thread of its own', () => {
  it('answers while this thread is blocked, and its log is read at once', async () => {
    const server = await start({ thread: true, replies: ['from there'] })
    const program = `fetch(process.argv[1], { method: 'POST', body: '{"model":"m","messages":[]}' })
      .then((response) => response.text()).then((text) => process.stdout.write(text))`
    const text = execFileSync(process.execPath, ['-e', program, `${server.url}/chat/completions`], {
      encoding: 'utf8',
    })
    expect(text).toContain('from there')
    expect(server.requests).toMatchObject([{ body: { model: 'm' } }])
    await server.idle()
    server.assertComplete()
    await post(server)
    expect(() => server.assertComplete()).toThrow('asked 2 times')
  })

  it.each([
    [{ replies: () => 'a' }, '`replies` is a function'],
    [{ models: { m: [{ content: 'a', headersAfter: Promise.resolve() }] } }, '`models.m.0.headersAfter` is a promise'],
  ])('refuses what cannot travel: %#', async (options, text) => {
    await expect(startFakeOpenAI({ ...options, thread: true })).rejects.toThrow(text)
  })
})
