import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { platformDispatcher } from './platform-dispatcher.ts'
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

test('a body that is not in the encoding it names fails', async () => {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end('not gzip at all')
  })
  await expect((await post(url)).text()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' })
})

describe('a connection that was kept', () => {
  const CLOSED: [string, (response: ServerResponse) => void][] = [
    ['closed', (response) => void response.socket!.end()],
    ['reset', (response) => void response.socket!.resetAndDestroy()],
  ]

  /** A server that answers the first request of each connection and ends the connection in place of any other answer. */
  const closing = async (end: (response: ServerResponse) => void, most: number = Infinity) => {
    const served = new Set<unknown>()
    let requests = 0
    const { url } = await serve((response) => {
      requests++
      const { socket } = response
      if (served.has(socket) || served.size >= most) return end(response)
      served.add(socket)
      response.end('ok')
    })
    return { url, requests: () => requests }
  }

  /** Within a turn the connection of an answer is free again. */
  const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

  test.each(CLOSED)('and is %s before the first byte: the request is sent once more', async (_, end) => {
    const { url, requests } = await closing(end)
    for (let i = 0; i < 5; i++) {
      expect(await (await post(url)).text()).toBe('ok')
      await turn()
    }
    expect(requests()).toBe(9)
  })

  test.each(CLOSED)('and a new one that is %s as well is a failure', async (_, end) => {
    const { url, requests } = await closing(end, 1)
    await (await post(url)).text()
    await turn()
    await expect(post(url)).rejects.toThrow('fetch failed')
    expect(requests()).toBe(3)
  })

  test('tells itself from a new one where it can: that is not asked again', async () => {
    const { url, requests } = await closing((response) => void response.socket!.end(), 0)
    await expect(post(url)).rejects.toThrow('fetch failed')
    await expect(post(url)).rejects.toThrow('fetch failed')
    expect(requests()).toBe(2)
  })

  test('is not used again when an answer has begun', async () => {
    const { url, requests } = await closing((response) => {
      response.write('half')
      setImmediate(() => response.socket!.destroy())
    })
    await (await post(url)).text()
    await turn()
    await expect((await post(url)).text()).rejects.toThrow()
    expect(requests()).toBe(2)
  })
})

describe.each<[string, (given: typeof fetch) => typeof fetch]>([
  ['the dispatcher', () => createTransport()],
  ['a `fetch` that is given', (given) => createTransport(given)],
  [
    'a `fetch` that was wrapped',
    (given) => async (input, init) => {
      const before = globalThis.fetch
      globalThis.fetch = given
      try {
        return await createTransport()(input, init)
      } finally {
        globalThis.fetch = before
      }
    },
  ],
])('a redirect, by %s,', (_, made) => {
  const { fetch: own } = globalThis
  const transport = made(async (input, init) => await own(input, init))
  const post = (url: string, init: RequestInit = {}) =>
    transport(url, { method: 'POST', body: '{"é": 1}', headers: { 'x-a': 'b' }, ...init })

  test.each([301, 302, 307, 308])('with %i within the origin is followed, as the same request', async (status) => {
    const { url } = await serve((response, { url: path, method, headers }, body) => {
      if (path === '/there') response.end(`${method} ${String(headers['x-a'])} ${body}`)
      else response.writeHead(status, { location: '/there' }).end('moved')
    })
    expect(await (await post(url)).text()).toBe('POST b {"é": 1}')
  })

  test.each(['http://localhost:1/there', 'http://other.invalid/', 'ftp://127.0.0.1/', 'http://['])(
    'to %s is not followed: keys would go along',
    async (location) => {
      const { url } = await serve((response) => response.writeHead(307, { location }).end())
      await expect(post(url)).rejects.toMatchObject({
        message: 'fetch failed',
        cause: { message: expect.stringContaining('is not followed') as unknown },
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
    await expect(post(url)).rejects.toThrow('fetch failed')
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
    expect([(await post(url)).status, times]).toEqual([307, 6])
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
    'fetch failed',
  )
  const moved = async (): Promise<Response> => new Response(null, { status: 307, headers: { location: '/there' } })
  const init = { method: 'POST', body: new Blob(['x']) }
  await expect(createTransport(moved)('http://a.invalid/', init)).rejects.toThrow('fetch failed')
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
