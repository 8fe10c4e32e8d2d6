import { XError } from '@x/kernel'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parsedJson } from './json.ts'
import { raiseFailure, type FailureFacts, type HttpRefusal } from './raise-failure.ts'
import { retryAfterMs } from './retry-after.ts'
import { readFrames, readJson } from './read-response.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const facts: FailureFacts = {
  signal: undefined,
  timedOut: false,
  secrets: new Set(['sk-secret-1']),
  now: () => NOW,
  url: 'http://x.invalid',
}

const refused = (refusal: HttpRefusal): unknown => raiseFailure(new Error('x'), { ...facts, refusalOf: () => refusal })

describe('failures', () => {
  test('X11: who stopped the call decides: the caller is not the clock', () => {
    const aborted = AbortSignal.abort()
    expect(raiseFailure(new Error('x'), { ...facts, signal: aborted })).toMatchObject({ kind: 'aborted' })
    expect(raiseFailure(new Error('x'), { ...facts, timedOut: true })).toMatchObject({ kind: 'timeout' })
    expect(raiseFailure(new Error('x'), { ...facts, signal: aborted, timedOut: true })).toMatchObject({
      kind: 'aborted',
    })
  })

  test.each(['', '<html><body>Bad gateway</body></html>', '{"x":1}', '[1]', 'null', '{'])(
    'X17: body %j keeps its status',
    (body) => {
      expect(refused({ status: 502, body })).toMatchObject({ kind: 'server', status: 502 })
    },
  )

  test('what is no failure of a model stays what it is', () => {
    const error = new TypeError('x is not a function')
    expect(raiseFailure(error, facts)).toBe(error)
  })

  test('a secret is in no message, not even of a failure that was made elsewhere', () => {
    expect(refused({ status: 401, body: { error: { message: 'bad key sk-secret-1' } } })).toMatchObject({
      message: 'bad key [redacted]',
    })
    const made = new XError('model-failed', 'sk-secret-1', { kind: 'server' })
    expect(raiseFailure(made, facts)).toMatchObject({ message: '[redacted]', kind: 'server' })
  })

  test.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('O19: %j asks for %s ms', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), () => NOW)).toBe(ms)
  })
})

test('any body with any status is a failure of a kind', () => {
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ error: fc.jsonValue() }),
    fc.record({ error: fc.record({ message: fc.jsonValue(), code: fc.jsonValue(), details: fc.jsonValue() }) }),
    fc.string(),
  )
  const header = fc.constantFrom('', 'soon', '-1', '1e9', '7', 'Wed, 21 Oct 2015 07:28:00 GMT')
  fc.assert(
    fc.property(body, fc.integer({ min: 300, max: 599 }), header, (given, status, value) => {
      const headers = new Headers({ 'retry-after': value, 'x-request-id': value })
      for (const each of [given, JSON.stringify(given)]) {
        const error = refused({ status, body: each, headers }) as XError
        expect([error.kind, error.message, error.status]).toEqual([expect.any(String), expect.any(String), status])
        expect(error.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})

describe('reading', () => {
  test('X15: keys that reach a prototype are dropped, a body too long is refused', async () => {
    expect(Object.keys(parsedJson('{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":2}') as object)).toEqual([
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

  test('a stream that says that it is done is not waited for, and its connection is let go', async () => {
    let closed = false
    const body = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode('data: {"a":1}\n\ndata: [DONE]\n\n')),
      cancel: () => void (closed = true),
    })
    const frames: unknown[] = []
    for await (const some of readFrames(new Response(body))) frames.push(...some)
    expect([frames, closed]).toEqual([[{ a: 1 }], true])
  })
})
