import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseJson } from '../json/wire-values.ts'
import type { RefusalError } from '../failure/convert-error.ts'
import { IncomingResponse } from './lean-response.ts'
import { watchBody } from './request-watch.ts'
import { createJsonLineReader } from './stream-events.ts'
import { readFrames, readJson, readWhole, requireSuccess } from './read-response.ts'

async function all(frames: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  const read: unknown[] = []
  for await (const some of frames) read.push(...some)
  return read
}

/** A response whose body never ends; `left` resolves when its reader leaves it. */
function endless(
  piece: string,
  init: ResponseInit = {},
): { response: Response; left: Promise<void>; given: () => number } {
  const bytes = new TextEncoder().encode(piece)
  const { promise: left, resolve } = Promise.withResolvers<void>()
  let given = 0
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      given += bytes.length
      to.enqueue(bytes)
    },
    cancel: () => resolve(),
  })
  return { response: new Response(body, init), left, given: () => given }
}

describe('limits of what is received', () => {
  test('lines: any number of them, and no further ones than their reader needs', async () => {
    const { response, left } = endless('{"a":1}\n\n{"b":')
    const lines: string[] = []
    const onLine = (line: string): boolean => lines.push(line) === 3
    await expect(readWhole(response, { maxBodyBytes: 1, maxEventBytes: 100 }, onLine)).resolves.toBe('')
    await left
    expect(lines).toEqual(['{"a":1}', '{"b":{"a":1}', '{"b":{"a":1}'])
    const long = endless('x'.repeat(60))
    await expect(readWhole(long.response, { maxEventBytes: 100 }, () => false)).rejects.toThrow('`maxEventBytes`')
    await long.left
    const last: string[] = []
    await readWhole(new Response('1\n2'), {}, (line) => last.push(line) === 0)
    expect(last).toEqual(['1', '2'])
  })

  test('a complete answer: the rest is left, and the message names the option', async () => {
    const { response, left, given } = endless(' '.repeat(1000))
    await expect(readJson(response, { maxBodyBytes: 10_000 })).rejects.toMatchObject({
      kind: 'server',
      message: 'the answer is longer than 10000 bytes: raise `maxBodyBytes` if that is right',
    })
    await left
    expect(given()).toBeLessThan(20_000)
  })

  test('exactly as much is read', async () => {
    const text = JSON.stringify({ a: 'é'.repeat(100) })
    const { length } = new TextEncoder().encode(text)
    expect(await readJson(new Response(text), { maxBodyBytes: length })).toEqual(JSON.parse(text))
    await expect(readJson(new Response(text), { maxBodyBytes: length - 1 })).rejects.toMatchObject({ kind: 'server' })
  })

  test.each([
    ['one line', 'data: xxxxxxxx'],
    ['many lines', 'data: x\n'],
    ['comments', ': x\n\n'],
  ])('a stream without a complete event: %s', async (_, piece) => {
    const { response, left, given } = endless(piece.repeat(100))
    await expect(all(readFrames(response, { limits: { maxEventBytes: 10_000 } }))).rejects.toMatchObject({
      kind: 'server',
      message: expect.stringContaining('`maxEventBytes`') as unknown,
    })
    await left
    expect(given()).toBeLessThan(20_000)
  })

  test('one event in one piece counts as well', async () => {
    const text = `data: {"a":"${'x'.repeat(10_000)}"}\n\n`
    await expect(all(readFrames(new Response(text), { limits: { maxEventBytes: 9000 } }))).rejects.toMatchObject({
      kind: 'server',
    })
    expect(await all(readFrames(new Response(text), { limits: { maxEventBytes: 11_000 } }))).toHaveLength(1)
  })

  test('a stream of events without an end', async () => {
    const { response, left } = endless('data: {}\n\n')
    await expect(all(readFrames(response, { limits: { maxBodyBytes: 1000 } }))).rejects.toMatchObject({
      kind: 'server',
      message: expect.stringContaining('`maxBodyBytes`') as unknown,
    })
    await left
  })

  test('the body of a refusal: its beginning is enough', async () => {
    const { response, left, given } = endless('no '.repeat(100), { status: 429, headers: { 'retry-after': '3' } })
    const error: unknown = await requireSuccess(response, { maxErrorBytes: 1000 }).catch((thrown: unknown) => thrown)
    const { status, body, headers } = (error as RefusalError).refusal
    expect([status, (body as string).length, headers?.get('retry-after')]).toEqual([429, 1000, '3'])
    await left
    expect(given()).toBeLessThan(2000)
  })

  test('the body of a refusal that breaks off keeps the status', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(to) {
        to.enqueue(new TextEncoder().encode('busy'))
        to.error(new Error('terminated'))
      },
    })
    const error: unknown = await requireSuccess(new Response(body, { status: 503 })).catch((thrown: unknown) => thrown)
    expect((error as RefusalError).refusal).toMatchObject({ status: 503 })
  })
})

describe('a body that has arrived whole', () => {
  const bytes = new TextEncoder().encode('{"a":"éé"}')

  /** A response of our transport; its pieces part a letter, and it has ended unless an error is given. */
  async function arrived(headers: Record<string, string> = {}, error?: Error): Promise<Response> {
    const incoming = new IncomingResponse('http://a.invalid/', undefined, undefined)
    incoming.onResponseStart({ abort() {}, pause() {}, resume() {} }, 200, headers)
    incoming.push(bytes.subarray(0, 7))
    incoming.push(bytes.subarray(7))
    incoming.end(error)
    return await incoming.head
  }

  test('is read up to its limit in bytes, and no further', async () => {
    expect(await readJson(await arrived(), { maxBodyBytes: bytes.length })).toEqual({ a: 'éé' })
    await expect(readJson(await arrived(), { maxBodyBytes: bytes.length - 1 })).rejects.toMatchObject({
      message: expect.stringContaining('`maxBodyBytes`') as unknown,
    })
  })

  test('stands if its connection breaks behind it', async () => {
    expect(await readJson(await arrived({}, new Error('reset')))).toEqual({ a: 'éé' })
  })

  test('is not read past its encoding', async () => {
    await expect(readJson(await arrived({ 'content-encoding': 'zstd' }))).rejects.toThrow('the encoding `zstd`')
    expect(await readJson(await arrived({ 'content-encoding': 'identity' }))).toEqual({ a: 'éé' })
  })
})

describe('reading', () => {
  test('X15: keys that reach a prototype are dropped, a body too long is refused', async () => {
    expect(Object.keys(parseJson('{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":2}') as object)).toEqual([
      'b',
    ])
    const long = new Response('{}', { headers: { 'content-length': String(1e9) } })
    await expect(readJson(long)).rejects.toMatchObject({ kind: 'server' })
  })

  test('X16: comments, several data lines, any line end, a missing last one', async () => {
    const text = ': hello\r\n\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: x\rdata: {"b":2}\r\r\ndata: {"c":3}'
    const frames: unknown[] = []
    for await (const some of readFrames(new Response(text))) frames.push(...some)
    expect(frames).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  test.each([true, false])(
    'after it has said that it is done, a lean stream has a moment to end (it does: %s)',
    async (ends) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const end = Promise.withResolvers<IteratorResult<Uint8Array>>()
      const parts = [
        Promise.resolve({ done: false, value: new TextEncoder().encode('data: {"a":1}\n\ndata: [DONE]\n\n') }),
      ]
      let given = 0
      const bytes = {
        next: () => parts.shift() ?? end.promise,
        return: async () => {
          given++
          return { done: true as const, value: undefined }
        },
        [Symbol.asyncIterator]: () => bytes,
      }
      const response = { headers: new Headers(), text: async () => '', body: bytes as never }
      const frames: unknown[] = []
      for await (const some of readFrames(response)) frames.push(...some)
      expect([frames, given]).toEqual([[{ a: 1 }], 0])
      if (ends) end.resolve({ done: true, value: undefined })
      await vi.advanceTimersByTimeAsync(2000)
      expect(given).toBe(ends ? 0 : 1)
    },
  )

  test.each<[string, string, string]>([
    ['text/html', '<!doctype html><style>b{}</style><h1>Log in</h1>', 'which says: `Log in`'],
    ['application/json', '<html><body>Log in</body></html>', 'which says: `Log in`'],
    ['text/event-stream', '\n<HTML lang="en"><body>Log in</body></HTML>', 'which says: `Log in`'],
    ['text/html; charset=utf-8', 'Log in', 'which says: `Log in`'],
  ])('a web page (%s) is named as one, complete and streamed', async (type, page, words) => {
    const failure = { kind: 'server', message: expect.stringContaining(words) as unknown, details: { webPage: true } }
    const response = (): Response => new Response(page, { headers: { 'content-type': type } })
    if (page.includes('<')) await expect(readJson(response())).rejects.toMatchObject(failure)
    await expect(all(readFrames(response()))).rejects.toMatchObject(failure)
  })

  test('JSON and events that call themselves HTML are read all the same; an empty body is named', async () => {
    const html = { headers: { 'content-type': 'text/html' } }
    expect(await readJson(new Response('{"a":1}', html))).toEqual({ a: 1 })
    expect(await all(readFrames(new Response('data: {"a":1}\n\n', html)))).toEqual([{ a: 1 }])
    await expect(readJson(new Response(''))).rejects.toMatchObject({ message: 'the answer is empty' })
  })

  test('frames before one that cannot be read are given first', async () => {
    const frames = readFrames(new Response('data: {"a":1}\n\ndata: {"b":2}\n\ndata: no\n\ndata: {"c":3}\n\n'))
    expect((await frames.next()).value).toEqual([{ a: 1 }, { b: 2 }])
    await expect(frames.next()).rejects.toMatchObject({
      kind: 'server',
      message: 'a piece of the stream is not a JSON object: `no`',
    })
  })

  test.each<[string, 'sse' | 'ndjson', string]>([
    ['events', 'sse', ': hi\n\ndata: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n'],
    ['lines', 'ndjson', '{"a":1}\n{"b":2}\n'],
    ['a list of pieces', 'sse', '[{"a":1},\n{"b":2}]'],
    ['a list of pieces', 'ndjson', '[\n{"a":1},\n{"b":2}\n]'],
  ])('a stream of %s (%s) that calls itself JSON is read as it is', async (_, format, text) => {
    const type = { headers: { 'content-type': 'application/json' } }
    expect(await all(readFrames(new Response(text, type), { format }))).toEqual([{ a: 1 }, { b: 2 }])
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte))
    const body = new ReadableStream({
      pull: (to) => {
        const byte = bytes.shift()
        if (byte) to.enqueue(byte)
        else to.close()
      },
    })
    expect(await all(readFrames(new Response(body, type), { format }))).toEqual([{ a: 1 }, { b: 2 }])
  })

  test('a whole answer in place of a stream may be on many lines, and longer than an event', async () => {
    const type = { headers: { 'content-type': 'application/json; charset=utf-8' } }
    const answer = { a: 'x'.repeat(100), b: [{}] }
    for (const format of ['sse', 'ndjson'] as const) {
      const response = (): Response => new Response(JSON.stringify(answer, null, 1), type)
      expect(await all(readFrames(response(), { format, limits: { maxEventBytes: 80 } }))).toEqual([answer])
      await expect(all(readFrames(response(), { format, limits: { maxBodyBytes: 80 } }))).rejects.toMatchObject({
        message: expect.stringContaining('`maxBodyBytes`') as unknown,
      })
    }
    await expect(all(readFrames(new Response('{"a":', type)))).rejects.toMatchObject({
      message: 'the answer is not a JSON object: `{"a":`',
    })
  })

  test('a form of stream of its own may call itself JSON', async () => {
    const createReader = (): ReturnType<typeof createJsonLineReader> => createJsonLineReader()
    const response = new Response('{"a":1}\n{"b":2}', { headers: { 'content-type': 'application/json' } })
    const format = { mediaType: 'application/json', createReader }
    expect(await all(readFrames(response, { format }))).toEqual([{ a: 1 }, { b: 2 }])
  })

  test('the watcher of a stream hears of comments, too', async () => {
    let pieces = 0
    const bytes = new TextEncoder()
    const response = new Response(
      new ReadableStream({
        start(to) {
          for (const piece of [': thinking\n\n', 'data: {"a":1}\n\n']) to.enqueue(bytes.encode(piece))
          to.close()
        },
      }),
    )
    watchBody(response, { begin() {}, onSend() {}, onUnsent() {}, onBytes: () => void pieces++ })
    expect([await all(readFrames(response)), pieces]).toEqual([[{ a: 1 }], 1])
  })

  test('an event that the end of a stream cuts off is left out, and a whole one that is not JSON fails', async () => {
    const read = async (text: string): Promise<unknown[]> => await all(readFrames(new Response(text)))
    for (const cut of ['data: {"b":', 'data: {"b":{}'])
      expect(await read(`data: {"a":1}\n\n${cut}`)).toEqual([{ a: 1 }])
    expect(await read('data: {"a":1}\n\ndata: {"b":2}')).toEqual([{ a: 1 }, { b: 2 }])
    await expect(read('data: {"b":\n\n')).rejects.toMatchObject({ kind: 'server' })
    await expect(read('data: oh')).rejects.toMatchObject({ kind: 'server' })
  })

  test('newline-delimited JSON: any line ending, empty lines, a missing last one; a line that is not JSON fails', async () => {
    const type = { headers: { 'content-type': 'application/x-ndjson' } }
    const read = async (text: string): Promise<unknown[]> =>
      await all(readFrames(new Response(text, type), { format: 'ndjson' }))
    expect(await read('{"a":1}\n\r\n{"b":"\u2028"}\r\n{"c":3}')).toEqual([{ a: 1 }, { b: '\u2028' }, { c: 3 }])
    await expect(read('{"a":1}\n{"b":')).rejects.toMatchObject({ kind: 'server' })
  })

  test.each([
    'data: {"a":1}\n\ndata: [DONE]\n\n',
    'data: {"a":1}\n\ndata: [DONE]\n\ndata: {"b":2}\n\n',
    'event: response.completed\ndata: {"a":1}\n\n',
    'event: response.failed\ndata: {"a":1}\n\n',
    'event: message_stop\ndata: {"a":1}\n\ndata: behind\n\n',
  ])('a stream that says that it is done is not waited for, and its connection is let go: %j', async (text) => {
    let closed = false
    const body = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode(text)),
      cancel: () => void (closed = true),
    })
    const frames: unknown[] = []
    for await (const some of readFrames(new Response(body))) frames.push(...some)
    expect([frames, closed]).toEqual([[{ a: 1 }], true])
  })
})
