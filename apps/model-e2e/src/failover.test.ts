import type { ConfigEntry, ModelErrorKind, ModelResponse } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { ModelWrapper } from '@x/model'
import { createOpenAI } from '@x/provider-openai'
import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  complete,
  refuse,
  startFaultServer,
  stream,
  textChunks,
  type Behaviour,
  type FaultServer,
} from './fault-server.ts'

type FilterInput = Parameters<NonNullable<ConfigEntry['filterFunc']>>[0]

const KEY = 'sk-canary-0123456789abcdef'
const messages = [{ role: 'user' as const, content: 'hi' }]
const silent = { send: () => {}, input: () => '' }
const quoted = { message: `Incorrect API key provided: ${KEY}` }

const reset: Behaviour = (response) => void response.socket!.destroy()
const hang: Behaviour = () => {}
const cut: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' })
  response.write('{"id": "half')
  setImmediate(() => response.socket!.destroy())
}
const html: Behaviour = (response) => {
  response.writeHead(502, { 'content-type': 'text/html' })
  response.end(`<html>Bad gateway for ${KEY}</html>`)
}
const notJson: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"id": ')
}
const empty: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end()
}

/** Faults of both kinds of call, and what each is. */
const FAULTS: Readonly<Record<string, [Behaviour, ModelErrorKind, status?: number]>> = {
  '429 without Retry-After': [refuse(429, { code: 'rate_limit_exceeded' }), 'rate-limit', 429],
  '429 with Retry-After': [refuse(429, {}, { 'retry-after': '7' }), 'rate-limit', 429],
  'quota exhausted': [refuse(429, { code: 'insufficient_quota', type: 'insufficient_quota' }), 'quota', 429],
  '500': [refuse(500, quoted), 'server', 500],
  '503': [refuse(503, {}), 'overloaded', 503],
  '529': [refuse(529, {}), 'overloaded', 529],
  '401': [refuse(401, { ...quoted, code: 'invalid_api_key' }), 'auth', 401],
  '403': [refuse(403, {}), 'auth', 403],
  '404': [refuse(404, { code: 'model_not_found' }), 'not-found', 404],
  'other 400': [refuse(400, { type: 'invalid_request_error' }), 'invalid-request', 400],
  'context overflow': [refuse(400, { code: 'context_length_exceeded' }), 'context-overflow', 400],
  'connection reset': [reset, 'connection'],
  'HTML for an error': [html, 'server', 502],
  'error in a 200': [
    (r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ error: quoted })),
    'auth',
  ],
}

const COMPLETE_FAULTS: typeof FAULTS = {
  'cut body': [cut, 'connection'],
  'no JSON': [notJson, 'server'],
  'empty body': [empty, 'server'],
  'no choices': [
    (r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"x","choices":[]}'),
    'server',
  ],
}

const frames =
  (...texts: string[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(texts.join(''))
  }
const opening = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })}\n\n`

const STREAM_FAULTS: typeof FAULTS = {
  'cut stream before content': [frames(opening), 'truncated'],
  'empty stream': [frames(''), 'truncated'],
  'error frame before content': [
    frames(opening, `data: {"error":{"type":"overloaded_error","message":"busy"}}\n\n`),
    'overloaded',
  ],
  'rate limit in a frame': [
    frames(`event: error\ndata: {"error":{"code":"rate_limit_exceeded","message":"slow"}}\n\n`),
    'rate-limit',
  ],
  'malformed chunk before content': [frames(opening, 'data: {"id": \n\n'), 'server'],
  'reset before content': [
    (response) => {
      stream(response, textChunks('x', [], null))
      setImmediate(() => response.socket!.destroy())
    },
    'connection',
  ],
}

async function started(behaviours: Readonly<Record<string, Behaviour>>): Promise<FaultServer> {
  const server = await startFaultServer(behaviours)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

/** An adapter that never sleeps; what it would have slept is written down. */
function patient(): { provider: ReturnType<typeof createOpenAI>; slept: number[] } {
  const slept: number[] = []
  const sleep = async (ms: number): Promise<void> => void slept.push(ms)
  return { provider: createOpenAI({ clock: { sleep, random: () => 0 } }), slept }
}

function wrapper({ baseUrl }: FaultServer, models: string[], options: object = {}): ModelWrapper {
  const configList = models.map((model) => ({ model, baseUrl, apiKey: KEY }))
  return new ModelWrapper({ providers: [patient().provider], configList, cacheSeed: null, io: silent, ...options })
}

async function drained(model: ModelWrapper): Promise<ModelResponse> {
  const events = model.createStream({ messages })
  for (;;) {
    const item = await events.next()
    if (item.done) return item.value
  }
}

const calls = { create: (model: ModelWrapper) => model.create({ messages }), createStream: drained } as const

const failureOf = async (call: Promise<unknown>): Promise<XError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(isXError(error)).toBe(true)
  expect(
    inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String((error as Error).stack),
  ).not.toContain(KEY)
  return error as XError
}

describe.each(['create', 'createStream'] as const)('%s', (form) => {
  const faults = { ...FAULTS, ...(form === 'create' ? COMPLETE_FAULTS : STREAM_FAULTS) }

  test.each(Object.entries(faults))('%s: the next config answers', async (_, [fault, kind, status]) => {
    const server = await started({ faulty: fault })
    const response = await calls[form](wrapper(server, ['faulty', 'good']))
    expect(response).toMatchObject({ configId: 1, model: 'good', passFilter: true })
    expect(response.attempts).toMatchObject([{ configId: 0, model: 'faulty', kind, ...(status && { status }) }])
    expect(JSON.stringify(response)).not.toContain(KEY)
    expect(server.asked.map(({ model }) => model)).toEqual(['faulty', 'good'])
  })

  test.each(Object.entries(faults))(
    '%s on the last config: raised with every attempt',
    async (_, [fault, kind, status]) => {
      const server = await started({ faulty: fault, other: refuse(503, {}) })
      const error = await failureOf(calls[form](wrapper(server, ['other', 'faulty'], { maxRetries: 0 })))
      expect(error).toMatchObject({ code: 'model-failed', kind, ...(status && { status }) })
      expect(error.attempts).toMatchObject([{ kind: 'overloaded' }, { kind }])
    },
  )

  test('content filter: raised at once, its reason kept; the next config on demand', async () => {
    const filter = { jailbreak: { filtered: true, detected: true } }
    const fault = refuse(400, { code: 'content_filter', innererror: { content_filter_result: filter } })
    const server = await started({ faulty: fault })
    const error = await failureOf(calls[form](wrapper(server, ['faulty', 'good'])))
    expect(error).toMatchObject({ code: 'content-filter', kind: 'content-filter', details: { contentFilter: filter } })
    const willing = wrapper(server, ['faulty', 'good'], { failover: { 'content-filter': 'next' } })
    expect(await calls[form](willing)).toMatchObject({ configId: 1 })
  })

  test('a kind can be made to stop', async () => {
    const server = await started({ faulty: refuse(500, {}) })
    const error = await failureOf(calls[form](wrapper(server, ['faulty', 'good'], { failover: { server: 'stop' } })))
    expect(error.attempts).toHaveLength(1)
  })

  test('refused connection', async () => {
    const server = await started({})
    // No program gets this port by chance, as it could one that was just given back.
    const configList = [
      { model: 'a', baseUrl: 'http://127.0.0.1:2/v1' },
      { model: 'good', baseUrl: server.baseUrl },
    ]
    const model = new ModelWrapper({ providers: [patient().provider], configList, cacheSeed: null, io: silent })
    expect((await calls[form](model)).attempts).toMatchObject([
      { kind: 'connection', message: expect.stringContaining('ECONNREFUSED') },
    ])
  })

  test('no answer in time', async () => {
    const server = await started({ faulty: hang })
    // The healthy one has all the time that a busy machine needs.
    const configList = [
      { model: 'faulty', baseUrl: server.baseUrl, timeout: 0.05 },
      { model: 'good', baseUrl: server.baseUrl },
    ]
    const response = await calls[form](wrapper(server, [], { configList }))
    expect(response.attempts).toMatchObject([{ kind: 'timeout' }])
    const error = await failureOf(calls[form](wrapper(server, ['faulty'], { timeout: 0.02, maxRetries: 0 })))
    expect(error).toMatchObject({ code: 'timeout', kind: 'timeout' })
    expect(error.message).toContain('`timeout` (seconds)')
  })

  test('the caller stops it: nothing else is tried, the server is told', async () => {
    const server = await started({ faulty: hang })
    const stop = new AbortController()
    const model = wrapper(server, ['faulty', 'good'])
    const call = form === 'create' ? model.create({ messages }, stop) : model.createStream({ messages }, stop).next()
    while (server.asked.length === 0) await new Promise(setImmediate)
    stop.abort()
    const error = await failureOf(call)
    expect(error.code).toBe('aborted')
    while (server.left.count === 0) await new Promise(setImmediate)
    expect(server.asked.map(({ model }) => model)).toEqual(['faulty'])
  })

  test('the last config is asked again, as long as it is told to wait', async () => {
    let times = 0
    const flapping: Behaviour = (response, asked) =>
      (++times < 3 ? refuse(503, {}, times === 1 ? { 'retry-after-ms': '1500' } : {}) : refuse(404, {}))(
        response,
        asked,
      )
    const server = await started({ flapping })
    const { provider, slept } = patient()
    const configList = [{ model: 'flapping', baseUrl: server.baseUrl }]
    const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io: silent })
    expect(await failureOf(calls[form](model))).toMatchObject({ kind: 'not-found' })
    expect(slept).toEqual([1500, 1000])
  })

  test.each(['900', new Date(Date.now() + 900_000).toUTCString()])(
    'asked to wait %s: not waited for',
    async (after) => {
      const server = await started({ faulty: refuse(429, {}, { 'retry-after': after }) })
      const { provider, slept } = patient()
      const model = new ModelWrapper({
        providers: [provider],
        configList: [{ model: 'faulty', baseUrl: server.baseUrl }],
        cacheSeed: null,
      })
      const error = await failureOf(calls[form](model))
      expect(error.retryAfterMs).toBeGreaterThan(800_000)
      expect(slept).toEqual([])
      expect(server.asked).toHaveLength(1)
    },
  )

  test('an exhausted quota is not asked again', async () => {
    const server = await started({ faulty: refuse(429, { code: 'insufficient_quota' }) })
    const { provider, slept } = patient()
    const model = new ModelWrapper({
      providers: [provider],
      configList: [{ model: 'faulty', baseUrl: server.baseUrl }],
      cacheSeed: null,
    })
    expect(await failureOf(calls[form](model))).toMatchObject({ kind: 'quota' })
    expect(slept).toEqual([])
  })
})

describe('further faults of an endpoint', () => {
  test('a slow first token: the next config answers, and the server is told', async () => {
    const server = await started({ slow: (response) => stream(response, textChunks('slow', [], null)) })
    const configList = [
      { model: 'slow', baseUrl: server.baseUrl, timeout: 60 },
      { model: 'good', baseUrl: server.baseUrl },
    ]
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const answer = drained(wrapper(server, [], { configList }))
    // Its time is over when the server has the request.
    while (server.asked.length === 0) await new Promise(setImmediate)
    vi.advanceTimersByTime(60_000)
    const response = await answer
    expect(response).toMatchObject({ model: 'good', attempts: [{ kind: 'timeout' }] })
    while (server.left.count === 0) await new Promise(setImmediate)
  })

  test.each([
    ['no [DONE]', (response: ServerResponse) => response.end()],
    ['a [DONE], and then nothing', (response: ServerResponse) => void response.write('data: [DONE]\n\n')],
  ])('a stream with %s is whole when the model has said that it has finished', async (_, finish) => {
    const server = await started({
      odd: (response) => {
        stream(response, textChunks('odd', ['Hel', 'lo']))
        finish(response)
      },
    })
    const response = await drained(wrapper(server, ['odd', 'good']))
    expect(response).toMatchObject({ configId: 0, choices: [{ message: { content: 'Hello' } }] })
  })

  test('a primary that comes and goes: every call begins with it, and each config has its own usage', async () => {
    let times = 0
    const flapping: Behaviour = (response, asked) => {
      if (times++ % 2 === 0) refuse(503, {})(response, asked)
      else complete(response, { role: 'assistant', content: 'again' }, { model: 'flapping' })
    }
    const server = await started({ flapping })
    const model = wrapper(server, ['flapping', 'good'])
    const answered = []
    for (let i = 0; i < 4; i++) answered.push((await model.create({ messages })).configId)
    expect(answered).toEqual([1, 0, 1, 0])
    const rows = model.ledger.map(({ configId, usage, estimated = false }) => [configId, usage.model, estimated])
    const call = [
      // A provider that says that it is overloaded bills nothing.
      [1, 'good', false],
      [0, 'flapping', false],
    ]
    expect(rows).toEqual([...call, ...call])
  })

  test('a call that is stopped before it starts asks nobody', async () => {
    const server = await started({})
    const model = wrapper(server, ['good'])
    const signal = AbortSignal.abort()
    expect((await failureOf(model.create({ messages }, { signal }))).code).toBe('aborted')
    expect((await failureOf(model.createStream({ messages }, { signal }).next())).code).toBe('aborted')
    expect(server.asked).toEqual([])
  })
})

test('nothing stays behind on a signal that many calls share', async () => {
  const server = await started({
    faulty: refuse(500, {}),
    cut: (response) => stream(response, textChunks('cut', ['a'], null)),
  })
  const { signal } = new AbortController()
  const model = wrapper(server, ['faulty', 'good'])
  for (let i = 0; i < 20; i++) {
    await model.create({ messages }, { signal })
    for await (const _ of model.createStream({ messages }, { signal }));
    for await (const _ of wrapper(server, ['cut']).createStream({ messages }, { signal })) break
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
  while (server.left.count < 20) await new Promise(setImmediate)
})

describe('after the first content', () => {
  const half = textChunks('faulty', ['Hel'], null)
  const AFTER: Readonly<Record<string, [Behaviour, ModelErrorKind]>> = {
    'cut stream': [
      (response) => {
        stream(response, half)
        response.end()
      },
      'truncated',
    ],
    'error frame': [
      (response) => {
        stream(response, half)
        response.end(`data: {"error":{"type":"server_error","message":"lost ${KEY}"}}\n\n`)
      },
      'server',
    ],
    'malformed chunk': [
      (response) => {
        stream(response, half)
        response.end('data: {"choices": [\n\n')
      },
      'server',
    ],
    reset: [
      (response) => {
        stream(response, half)
        setImmediate(() => response.socket!.destroy())
      },
      'connection',
    ],
    stall: [(response) => stream(response, half), 'timeout'],
  }

  test.each(Object.entries(AFTER))('%s: the failure is final, what was handed out stays', async (_, [fault, kind]) => {
    const server = await started({ faulty: fault })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const events = wrapper(server, ['faulty', 'good'], { timeout: 60 }).createStream({ messages })
    const seen: string[] = []
    const error = await failureOf(
      (async () => {
        for await (const event of events) {
          if (event.type !== 'textDelta') continue
          seen.push(event.text)
          // What was asked for next waits until its time is over.
          if (kind === 'timeout') setImmediate(() => void vi.advanceTimersByTime(60_000))
        }
      })(),
    )
    expect(error).toMatchObject({ kind })
    expect(seen).toEqual(['Hel'])
    expect(server.asked).toHaveLength(1)
  })

  test('with a filter nothing is handed out before it accepts, so the next config may answer', async () => {
    const server = await started({ faulty: AFTER['cut stream']![0] })
    const model = wrapper(server, ['faulty', 'refused', 'good'])
    const events = model.createStream({
      messages,
      filterFunc: ({ response }: FilterInput) => response.model === 'good',
    })
    const text: string[] = []
    for await (const event of events) if (event.type === 'textDelta') text.push(event.text)
    expect(text.join('')).toBe('hello from good')
  })
})
