import { XError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { createTransport } from '../http/transport.ts'
import { createHttpWire } from './http-wire.ts'

test('a header of the config wins whatever its case, and is sent once; a key loses the white space around it', async () => {
  const sent: RequestInit[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(init!)
    return Response.json({})
  }
  for (const defaultHeaders of [{ Authorization: 'mine', ACCEPT: 'x' }, undefined]) {
    const wire = createHttpWire({
      config: { model: 'm', apiKey: ' key-1\n', fetch, defaultHeaders },
      url: () => 'http://p.invalid',
      authorize: (key) => ({ Authorization: `Bearer ${key}` }),
    })
    await wire.complete({ model: 'm', body: {}, headers: { 'X-Beta': 'b' } }, { signal: new AbortController().signal })
  }
  const common = { 'content-type': 'application/json', 'x-beta': 'b' }
  expect(sent.map(({ headers }) => headers)).toEqual([
    { ...common, accept: 'x', authorization: 'mine' },
    { ...common, accept: 'application/json', authorization: 'Bearer key-1' },
  ])
})

test.each([['key-1…'], [async () => 'key\u20091']])(
  'a key that no header takes is refused by kind `auth`',
  async (apiKey) => {
    const wire = createHttpWire({
      config: { model: 'm', apiKey, fetch: async () => Response.json({}) },
      url: () => 'http://p.invalid',
      authorize: (key) => ({ 'x-key': key }),
    })
    const asked = wire.complete({ model: 'm', body: {} }, { signal: new AbortController().signal })
    await expect(asked).rejects.toMatchObject({ kind: 'auth', message: expect.stringContaining('`apiKey`') as string })
  },
)

test('half of a character, of a text that was cut, is sent as a sign for an unreadable one', async () => {
  const sent: unknown[] = []
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(init?.body)
    return Response.json({})
  }
  const seen: string[] = []
  const wire = createHttpWire({
    config: { model: 'm', fetch },
    url: () => 'http://p.invalid',
    authorize: () => ({}),
    sign: ({ body }) => (seen.push(body), {}),
  })
  await wire.complete({ model: 'm', body: { text: 'cut \uD83D' } }, { signal: new AbortController().signal })
  await createTransport(fetch)('http://p.invalid', { method: 'POST', body: JSON.stringify({ text: 'cut \uD83D' }) })
  const whole = String.raw`{"text":"cut \ufffd"}`
  expect([seen, sent]).toEqual([[whole], [whole, whole]])
})

describe('a signer', () => {
  const call = { signal: new AbortController().signal }
  const request = { model: 'm', body: { text: 'ü' }, headers: { 'X-Beta': 'b' } }

  /** Makes a wire with a signer, and keeps what it sends. */
  function signedBy(sign: NonNullable<Parameters<typeof createHttpWire>[0]['sign']>) {
    const sent: { url: string; init: RequestInit }[] = []
    const wire = createHttpWire({
      config: {
        ...{ model: 'm', apiKey: 'key-123456', defaultHeaders: { 'X-Mine': 'mine' } },
        fetch: async (url, init) => {
          sent.push({ url: url as string, init: init! })
          return Response.json({})
        },
      },
      url: ({ model }, stream) => `http://p.invalid/${model}/${stream ? 'stream' : 'whole'}`,
      batchUrl: (path) => `http://p.invalid${path}`,
      authorize: (key) => ({ 'X-Key': key }),
      sign,
    })
    return { wire, sent }
  }

  test('sees each request as it leaves, and its headers win', async () => {
    const seen: unknown[] = []
    const { wire, sent } = signedBy(async (outgoing) => {
      seen.push(outgoing)
      return { headers: { 'X-Mine': `signed ${seen.length}`, 'X-Key': null } }
    })
    await wire.complete(request, call)
    await wire.complete(request, call)
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-beta': 'b' }
    const body = '{"text":"ü"}'
    const outgoing = { method: 'POST', url: 'http://p.invalid/m/whole', body }
    const whole = { ...outgoing, headers: { ...headers, 'x-key': 'key-123456', 'x-mine': 'mine' } }
    expect(seen).toEqual([whole, whole])
    expect(sent.map(({ init }) => init.headers)).toEqual([
      { ...headers, 'x-mine': 'signed 1' },
      { ...headers, 'x-mine': 'signed 2' },
    ])
    expect(sent[0]).toMatchObject({ url: outgoing.url, init: { method: 'POST', body } })
  })

  test('sees requests about batches, too', async () => {
    const seen: unknown[] = []
    const { wire, sent } = signedBy(({ method, body }) => {
      seen.push([method, body])
      return { headers: { 'X-Signed': `${method} ${body.length}` } }
    })
    await wire.exchange!({ method: 'POST', path: '/batches', body: '{"a":1}' }, call)
    await wire.exchange!({ method: 'GET', path: '/batches/b' }, call)
    expect(seen).toEqual([
      ['POST', '{"a":1}'],
      ['GET', ''],
    ])
    expect(sent).toMatchObject([
      { url: 'http://p.invalid/batches', init: { method: 'POST', body: '{"a":1}', headers: { 'x-signed': 'POST 7' } } },
      { url: 'http://p.invalid/batches/b', init: { method: 'GET', headers: { 'x-signed': 'GET 0' } } },
    ])
    expect(sent[1]!.init).not.toHaveProperty('body')
  })

  test('may give another URL and body', async () => {
    const { wire, sent } = signedBy(({ url, body }) => ({ url: `${url}?signed=1`, body: `${body} ` }))
    await wire.complete(request, call)
    expect(sent[0]).toMatchObject({ url: 'http://p.invalid/m/whole?signed=1', init: { body: '{"text":"ü"} ' } })
  })

  test('that fails sends nothing, and its error is of kind `auth` without its secrets', async () => {
    const { wire, sent } = signedBy((_, secrets) => {
      secrets.add('secret-of-the-signer')
      throw new Error('no: secret-of-the-signer', { cause: new Error('secret-of-the-signer') })
    })
    const error: unknown = await wire.complete(request, call).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      kind: 'auth',
      message: 'the request to `http://p.invalid/m/whole` cannot be signed: no: [redacted]',
      cause: { message: 'no: [redacted]', cause: { message: '[redacted]' } },
    })
    expect(wire.secrets).toContain('secret-of-the-signer')
    expect(sent).toEqual([])
  })

  test('may fail with an error of the kit', async () => {
    const failure = new XError('invalid-config', 'there is no region')
    const { wire } = signedBy(() => {
      throw failure
    })
    await expect(wire.complete(request, call)).rejects.toBe(failure)
  })
})

test('a form of streams of one endpoint is read by its own reader', async () => {
  const decoder = new TextDecoder()
  const sent: RequestInit[] = []
  const wire = createHttpWire({
    config: {
      model: 'm',
      fetch: async (_, init) => {
        sent.push(init!)
        return new Response('{"a":1}|{"b":2}|')
      },
    },
    url: () => 'http://p.invalid',
    authorize: () => ({}),
    format: {
      mediaType: 'application/x-bars',
      createReader: () => ({
        push: (chunk) =>
          decoder
            .decode(chunk)
            .split('|')
            .map((data) => ({ event: 'message', data })),
        end: () => [],
      }),
    },
  })
  const frames = await wire.stream({ model: 'm', body: {} }, { signal: new AbortController().signal })
  const read: unknown[] = []
  for await (const group of frames) read.push(group)
  expect(read).toEqual([[{ a: 1 }, { b: 2 }]])
  expect(sent[0]!.headers).toMatchObject({ accept: 'application/x-bars' })
})

test('a refusal in a form of one endpoint has the kind that it reads', async () => {
  const wire = createHttpWire({
    config: { model: 'm', fetch: async () => new Response('full', { status: 424 }) },
    url: () => 'http://p.invalid',
    authorize: () => ({}),
    readRefusal: ({ status, body }) => ({ status, body: { message: `${String(body)}!` }, kind: 'overloaded' }),
  })
  const failed = wire.complete({ model: 'm', body: {} }, { signal: new AbortController().signal })
  await expect(failed).rejects.toMatchObject({
    refusal: { status: 424, body: { message: 'full!' }, kind: 'overloaded' },
  })
})
