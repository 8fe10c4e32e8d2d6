import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { XError } from '@x/kernel'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { platformDispatcher } from './platform-dispatcher.ts'
import { readFrames, readJson, requireSuccess } from './read-response.ts'
import { watcherOf, watchRequest } from './request-watch.ts'
import { createTransport } from './transport.ts'

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void

async function serve(answer: Answer): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => answer(response, request, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x?a=1`, server }
}

/** A server that answers every request by these bytes and keeps the connection open. */
async function serveRaw(bytes: string): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (data) => {
      if (!String(data).startsWith('POST')) return
      requests++
      socket.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests }
}

const transport = createTransport()
const post = (url: string, init: RequestInit = {}) =>
  transport(url, { method: 'POST', body: '{"é": 1}', headers: new Headers({ 'x-a': 'b' }), ...init })

async function read(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true })
  return text
}

test('there is a dispatcher behind the fetch of this platform, before it was used', () => {
  expect(platformDispatcher()).toBeDefined()
})

test('a request arrives as it was given, and the answer comes back', async () => {
  const { url } = await serve((response, { method, url: path, headers }, body) => {
    response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] })
    response.end(JSON.stringify({ method, path, a: headers['x-a'], body }))
  })
  const response = await post(url)
  expect([response.status, response.ok, response.url, response.headers.get('Content-Type')]).toEqual([
    201,
    true,
    url,
    'application/json',
  ])
  expect([...response.headers.entries()].map(([name]) => name)).toContain('set-cookie')
  expect(await response.json()).toEqual({ method: 'POST', path: '/v1/x?a=1', a: 'b', body: '{"é": 1}' })
})

test('a connection is used again', async () => {
  let connections = 0
  const { url, server } = await serve((response) => response.end('ok'))
  server.on('connection', () => connections++)
  for (let i = 0; i < 5; i++) expect(await (await post(url)).text()).toBe('ok')
  expect(connections).toBeLessThan(3)
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)('an answer in %s that nobody asked for', async (encoding, compress) => {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(compress('grüße '.repeat(1000)))
  })
  expect(await (await post(url)).text()).toBe('grüße '.repeat(1000))
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)('what a body in %s that was cut off holds is given, as browsers do', async (encoding, compress) => {
  const whole = compress(Buffer.from(Array.from({ length: 5000 }, (_, i) => `${i * 7919} `).join('')))
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(whole.subarray(0, whole.length - 9))
  })
  const text = await (await post(url)).text()
  expect([text.startsWith('0 7919 '), text.length > 1000]).toEqual([true, true])
})

test.each(['gzip, br', ' GZIP ,identity, br '])('encodings in turn (%s) are decoded in turn', async (encoding) => {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(brotliCompressSync(gzipSync('{"a":1}')))
  })
  expect(await readJson(await post(url))).toEqual({ a: 1 })
})

test.each(['zstd', 'compress', 'gzip, zstd'])('an encoding that cannot be read (%s) is named', async (encoding) => {
  const { url } = await serve((response, { headers }) => {
    response.writeHead(Number(headers['x-status'] ?? 200), { 'content-encoding': encoding, 'retry-after': '3' })
    response.end('bytes')
  })
  const failure = { kind: 'server', message: expect.stringContaining(`\`${encoding}\``) as unknown }
  await expect(readJson(await post(url))).rejects.toMatchObject(failure)
  await expect(readFrames(await post(url)).next()).rejects.toMatchObject(failure)
  const refused = requireSuccess(await post(url, { headers: { 'x-status': '429' } }))
  await expect(refused).rejects.toMatchObject({ refusal: { status: 429, body: '' } })
})

describe('a body that breaks off', () => {
  const breaking = async (
    parts: readonly (string | Buffer)[],
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const { url } = await serve((response) => {
      response.writeHead(200, headers)
      for (const part of parts) response.write(part)
      setImmediate(() => response.socket!.resetAndDestroy())
    })
    return url
  }
  const whole = '{"a":{"b":[1]}}'

  test.each<[string, readonly (string | Buffer)[], Record<string, string>]>([
    ['chunked', [whole.slice(0, 5), whole.slice(5)], {}],
    ['shorter than it says', [whole], { 'content-length': '100' }],
    ['in gzip', [gzipSync(whole)], { 'content-encoding': 'gzip' }],
  ])('is an answer if it is whole: %s', async (_, parts, headers) => {
    expect(await readJson(await post(await breaking(parts, headers)))).toEqual(JSON.parse(whole))
  })

  test('is a failure with the bytes that had arrived if it is not', async () => {
    await expect(readJson(await post(await breaking(['{"a":', '"b'])))).rejects.toMatchObject({ bytes: 7 })
    // A number is no answer: nobody can tell whether it is whole.
    await expect(readJson(await post(await breaking(['12'])))).rejects.toMatchObject({ bytes: 2 })
  })

  test('gives the frames before, and fails with the bytes that had arrived', async () => {
    const text = 'data: {"a":1}\n\ndata: {"b":'
    const frames = readFrames(await post(await breaking([text])))
    expect((await frames.next()).value).toEqual([{ a: 1 }])
    await expect(frames.next()).rejects.toMatchObject({ bytes: text.length })
  })

  test('gives a last frame that lacks only its end', async () => {
    const frames = readFrames(await post(await breaking(['data: {"a":1}\n\ndata: {"b":2}'])))
    expect([(await frames.next()).value, (await frames.next()).value]).toEqual([[{ a: 1 }], [{ b: 2 }]])
    await expect(frames.next()).rejects.toMatchObject({ name: 'Error', bytes: 28 })
  })

  test('behind the last frame harms nobody', async () => {
    const read: unknown[] = []
    for await (const some of readFrames(await post(await breaking(['data: {"a":1}\n\ndata: [DONE]']))))
      read.push(...some)
    expect(read).toEqual([{ a: 1 }])
  })
})

test('a body that is not in the encoding it names fails', async () => {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end('not gzip at all')
  })
  await expect((await post(url)).text()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' })
})

/** A call whose watcher writes down how far its request comes. */
function watched(): { init: { signal: AbortSignal }; heard: string[] } {
  const heard: string[] = []
  const { signal } = new AbortController()
  watchRequest(signal, {
    begin() {
      if (heard.includes('sent')) throw new XError('invalid-state', 'a request of this call has left')
      heard.push('begun')
    },
    onSend: () => void heard.push('sent'),
    onUnsent: () => void heard.push('unsent'),
    onBytes: () => void heard.push('bytes'),
  })
  return { init: { signal }, heard }
}

/** Transports that the watcher of a call must hear of. */
const WATCHED: [string, () => typeof fetch][] = [
  ['the dispatcher', () => createTransport()],
  ['a `fetch` that is given', () => createTransport(async (input, init) => await fetch(input, init))],
]

describe.each(WATCHED)('the watcher of a call, by %s,', (way, made) => {
  const transport = made()
  const post = async (url: string, init: RequestInit) => await transport(url, { method: 'POST', body: '{}', ...init })

  test('hears of the request and of the bytes of its answer', async () => {
    const { url } = await serve((response) => response.end('{}'))
    const { init, heard } = watched()
    const response = await post(url, init)
    expect(heard.slice(0, 3)).toEqual(['begun', 'sent', 'bytes'])
    expect(await readJson(response)).toEqual({})
    expect(heard).toEqual(['begun', 'sent', 'bytes', 'bytes'])
    // The reader of the body tells of its pieces.
    expect(watcherOf(response)).toBeDefined()
  })

  test('knows that nothing has left if the connection is refused', async () => {
    const { init, heard } = watched()
    await expect(post('http://127.0.0.1:2/', init)).rejects.toThrow('fetch failed')
    expect(heard).toEqual(way === 'the dispatcher' ? ['begun'] : ['begun', 'sent', 'unsent'])
  })

  test('knows that nothing has left if the call was aborted before', async () => {
    const { url } = await serve((response) => response.end('ok'))
    const heard: string[] = []
    const signal = AbortSignal.abort()
    const hear = (word: string) => () => void heard.push(word)
    watchRequest(signal, {
      begin: hear('begun'),
      onSend: hear('sent'),
      onUnsent: hear('unsent'),
      onBytes: hear('bytes'),
    })
    await expect(post(url, { signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(heard).toEqual(['begun'])
  })

  test('refuses a second request of one call', async () => {
    let requests = 0
    const { url } = await serve((response) => {
      requests++
      response.end('ok')
    })
    const { init } = watched()
    await (await post(url, init)).text()
    await expect(post(url, init)).rejects.toThrow('a request of this call has left')
    expect(requests).toBe(1)
  })

  test('hears of status 101, which is a failure that names it', async () => {
    const { url, requests } = await serveRaw(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    )
    const { init, heard } = watched()
    await expect(post(url, init)).rejects.toMatchObject({
      kind: 'server',
      status: 101,
      message: expect.stringContaining('status 101') as unknown,
    })
    expect([requests(), heard.filter((word) => word !== 'bytes')]).toEqual([1, ['begun', 'sent']])
  })
})

test('status 101 without an upgrade is a failure that names it', async () => {
  const { url, requests } = await serveRaw('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  await expect(post(url)).rejects.toMatchObject({ kind: 'server', status: 101 })
  expect(requests()).toBe(1)
})

test('an error of a connection in use does not say that nothing has left; one before a connection does', async () => {
  const unsent = async (error: Error): Promise<boolean> => {
    const { init, heard } = watched()
    const failing = createTransport(async () => {
      throw new TypeError('fetch failed', { cause: error })
    })
    await expect(failing('http://a.invalid/', { method: 'POST', body: '{}', ...init })).rejects.toThrow('fetch failed')
    return heard.includes('unsent')
  }
  const failure = (code: string, syscall?: string): Error => Object.assign(new Error(code), { code, syscall })
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID'])
    expect([code, await unsent(failure(code))]).toEqual([code, true])
  expect(await unsent(failure('ETIMEDOUT', 'connect'))).toBe(true)
  expect(await unsent(new AggregateError([failure('ETIMEDOUT', 'connect'), failure('ENETUNREACH')]))).toBe(true)
  expect(await unsent(new AggregateError([failure('ECONNREFUSED'), failure('ECONNRESET')]))).toBe(false)
  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'])
    expect([code, await unsent(failure(code))]).toEqual([code, false])
  expect(await unsent(failure('ETIMEDOUT', 'read'))).toBe(false)
})

describe('a connection that was kept', () => {
  const CLOSED: [string, (response: ServerResponse) => void][] = [
    ['closed', (response) => void response.socket!.end()],
    ['reset', (response) => void response.socket!.resetAndDestroy()],
  ]

  /** Within a turn the connection of an answer is free again. */
  const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

  test.each(CLOSED)('and is %s when the request arrives: the request is not sent again', async (_, end) => {
    const served = new Set<unknown>()
    let requests = 0
    const { url } = await serve((response) => {
      requests++
      if (served.has(response.socket)) return end(response)
      served.add(response.socket)
      response.end('ok')
    })
    await (await post(url)).text()
    await turn()
    const { init, heard } = watched()
    await expect(post(url, init)).rejects.toThrow('fetch failed')
    expect([requests, heard]).toEqual([2, ['begun', 'sent']])
  })

  test('and was closed before the request is written: the request goes by a new one', async () => {
    let requests = 0
    const { url, server } = await serve((response) => {
      requests++
      response.end('ok')
    })
    let connections = 0
    server.on('connection', () => connections++)
    await (await post(url)).text()
    await turn()
    server.closeIdleConnections()
    // The platform hears of the closed connection before it answers a later request on another one.
    const other = await serve((response) => response.end('ok'))
    await (await post(other.url)).text()
    const { init, heard } = watched()
    expect(await (await post(url, init)).text()).toBe('ok')
    expect([requests, connections, heard.filter((word) => word === 'sent')]).toEqual([2, 2, ['sent']])
  })

  test('breaks an answer that has begun', async () => {
    let requests = 0
    const { url } = await serve((response) => {
      requests++
      response.write('half')
      setImmediate(() => response.socket!.destroy())
    })
    await expect((await post(url)).text()).rejects.toThrow()
    expect(requests).toBe(1)
  })
})

describe.each<[string, (given: typeof fetch) => typeof fetch]>([
  ['the dispatcher', () => createTransport()],
  ['a `fetch` that is given', (given) => createTransport(given)],
  [
    'a `fetch` that was wrapped',
    (given) => {
      const transport = createTransport()
      return async (input, init) => {
        const before = globalThis.fetch
        globalThis.fetch = given
        try {
          return await transport(input, init)
        } finally {
          globalThis.fetch = before
        }
      }
    },
  ],
])('a redirect, by %s,', (_, made) => {
  const { fetch: own } = globalThis
  const transport = made(async (input, init) => await own(input, init))
  const post = (url: string, init: RequestInit = {}) =>
    transport(url, { method: 'POST', body: '{"é": 1}', headers: { 'x-a': 'b' }, ...init })

  test.each([301, 302, 307, 308])(
    'with %i within the origin fails and names its target, where the next request goes',
    async (status) => {
      const seen: string[] = []
      const { url } = await serve((response, { url: path, method, headers }, body) => {
        seen.push(path!)
        if (path === '/there?k=1') response.end(`${method} ${String(headers['x-a'])} ${body}`)
        else response.writeHead(status, { location: '/there?k=1' }).end('moved')
      })
      const there = `${new URL(url).origin}/there`
      await expect(post(url)).rejects.toMatchObject({
        kind: 'connection',
        status,
        message: `the endpoint redirects to \`${there}\`: set \`baseUrl\` to it`,
        details: { askAgain: true, redirect: there },
      })
      expect(await (await post(url)).text()).toBe('POST b {"é": 1}')
      expect(await (await post(url)).text()).toBe('POST b {"é": 1}')
      expect(seen).toEqual(['/v1/x?a=1', '/there?k=1', '/there?k=1'])
    },
  )

  test('by another redirect: each request goes one step further', async () => {
    const { url } = await serve((response, { url: path }) => {
      if (path === '/second') response.end('here')
      else response.writeHead(308, { location: path === '/first' ? '/second' : '/first' }).end()
    })
    await expect(post(url)).rejects.toMatchObject({ details: { askAgain: true } })
    await expect(post(url)).rejects.toMatchObject({ details: { askAgain: true } })
    expect(await (await post(url)).text()).toBe('here')
  })

  test('to a place that cannot be reached is forgotten', async () => {
    let isMoved = true
    const { url } = await serve((response, { url: path }) => {
      if (path === '/there') response.socket!.destroy()
      else if (isMoved) response.writeHead(308, { location: '/there' }).end()
      else response.end('back')
    })
    await expect(post(url)).rejects.toMatchObject({ details: { askAgain: true } })
    isMoved = false
    await expect(post(url)).rejects.toThrow('fetch failed')
    expect(await (await post(url)).text()).toBe('back')
  })

  test('of a GET is followed: nobody pays for it', async () => {
    const { url } = await serve((response, { url: path }) => {
      if (path === '/there') response.end('here')
      else response.writeHead(307, { location: '/there' }).end()
    })
    expect(await (await transport(url)).text()).toBe('here')
  })

  test.each(['http://localhost:1/there', 'http://other.invalid/', 'ftp://127.0.0.1/', 'http://['])(
    'to %s is not followed: keys would go along',
    async (location) => {
      const { url } = await serve((response) => response.writeHead(307, { location }).end())
      await expect(post(url)).rejects.toMatchObject({
        kind: 'connection',
        message: expect.stringContaining('is not followed') as unknown,
      })
    },
  )

  test('to another port is another origin', async () => {
    let reached = false
    const other = await serve((response) => {
      reached = true
      response.end()
    })
    const { url } = await serve((response) => response.writeHead(307, { location: other.url }).end())
    await expect(post(url)).rejects.toThrow('is not followed')
    expect(reached).toBe(false)
  })

  test('is given back when the caller follows none', async () => {
    const { url } = await serve((response) => response.writeHead(307, { location: '/there' }).end('moved'))
    const response = await post(url, { redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([307, 'moved'])
  })

  test('without an end is given up', async () => {
    let times = 0
    const { url } = await serve((response) => {
      times++
      response.writeHead(307, { location: '/again' }).end()
    })
    await expect(transport(url)).rejects.toMatchObject({ status: 307 })
    expect(times).toBe(6)
    for (let i = 0; i < 3; i++) await expect(post(url)).rejects.toMatchObject({ details: { askAgain: true } })
    expect(times).toBe(9)
  })

  test('is an error when the caller says so', async () => {
    const { url } = await serve((response) => response.writeHead(307, { location: '/there' }).end('moved'))
    await expect(post(url, { redirect: 'error' })).rejects.toThrow('fetch failed')
  })
})

test('a redirect that a browser hides, or of a request that can be read once, is refused', async () => {
  const hidden = Object.assign(new Response(null), {})
  Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' })
  await expect(createTransport(async () => hidden)('http://a.invalid/', { body: 'x', method: 'POST' })).rejects.toThrow(
    'is not followed',
  )
  const moved = async (): Promise<Response> => new Response(null, { status: 307, headers: { location: '/there' } })
  const request = new Request('http://a.invalid/', { method: 'POST', body: 'x' })
  await expect(createTransport(moved)(request)).rejects.toThrow('is not followed')
})

test.each([
  [301, Infinity],
  [302, 60_000],
  [307, 60_000],
  [308, Infinity],
])('a redirect with %i is remembered for %s ms', async (status, lifeMs) => {
  let now = 0
  const asked: unknown[] = []
  const moving = createTransport(
    async (input) => {
      asked.push(input)
      return asked.length === 1 ? new Response(null, { status, headers: { location: '/there' } }) : new Response('here')
    },
    () => now,
  )
  const send = async (): Promise<unknown> => await moving('http://a.invalid/', { method: 'POST', body: 'x' })
  await expect(send()).rejects.toMatchObject({ status })
  now = 59_999
  await send()
  now = 60_000
  await send()
  const last = lifeMs === Infinity ? 'http://a.invalid/there' : 'http://a.invalid/'
  expect(asked).toEqual(['http://a.invalid/', 'http://a.invalid/there', last])
})

describe('an abort', () => {
  const aborted = { name: 'AbortError' }

  test('before it is sent', async () => {
    const { url } = await serve(() => {})
    await expect(post(url, { signal: AbortSignal.abort() })).rejects.toMatchObject(aborted)
  })

  test('before the head', async () => {
    const stop = new AbortController()
    const { url } = await serve(() => stop.abort())
    await expect(post(url, { signal: stop.signal })).rejects.toMatchObject(aborted)
  })

  test('in the body: the server hears of it', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serve((response) => {
      response.on('close', () => closed.resolve())
      response.write('first')
    })
    const stop = new AbortController()
    const response = await post(url, { signal: stop.signal })
    const parts = response.body![Symbol.asyncIterator]()
    await parts.next()
    const next = parts.next()
    stop.abort()
    await expect(next).rejects.toMatchObject(aborted)
    await closed.promise
  })

  test('a body that is left gives its connection up', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serve((response) => {
      response.on('close', () => closed.resolve())
      response.write('first')
    })
    for await (const _ of (await post(url)).body!) break
    await closed.promise
  })
})

describe('a failure is that of `fetch`', () => {
  test('refused', async () => {
    // No program gets this port by chance.
    await expect(post('http://127.0.0.1:2/')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    })
  })

  test('reset before the head', async () => {
    const { url } = await serve((response) => void response.socket!.destroy())
    await expect(post(url)).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  })

  test('reset in the body', async () => {
    const { url } = await serve((response) => {
      response.write('half')
      setImmediate(() => response.socket!.destroy())
    })
    const response = await post(url)
    await expect(read(response)).rejects.toThrow()
  })
})

test('a large body waits for a slow reader', async () => {
  const size = 4 * 2 ** 20
  let written = 0
  const { url } = await serve((response) => {
    const more = (): void => {
      while (written < size) {
        written += 65_536
        if (!response.write('x'.repeat(65_536))) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const response = await post(url)
  const parts = response.body![Symbol.asyncIterator]()
  await parts.next()
  let length = 65_536
  expect(
    await read({ body: { [Symbol.asyncIterator]: () => parts } } as unknown as Response).then(
      (text) => (length = text.length),
    ),
  ).toBeGreaterThan(size - 2 * 65_536)
  expect(length).toBeLessThanOrEqual(size)
})

describe('what the platform does', () => {
  test('a `fetch` that was replaced is used', async () => {
    const { fetch } = globalThis
    onTestFinished(() => void (globalThis.fetch = fetch))
    globalThis.fetch = async () => new Response('mine')
    expect(await (await post('http://nowhere.invalid/')).text()).toBe('mine')
  })

  test('another kind of body', async () => {
    const { url } = await serve((response, _, body) => response.end(body))
    expect(await (await post(url, { body: new Blob(['blob']) })).text()).toBe('blob')
  })
})
