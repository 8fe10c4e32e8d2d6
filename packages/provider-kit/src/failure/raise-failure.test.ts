import { XError } from '@x/kernel'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBandFailure, raiseFailure, type FailureFacts, type HttpRefusal } from './raise-failure.ts'
import { retryAfterMs } from './retry-after.ts'

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

  test.each([
    [new TypeError('x is not a function'), 'asking `http://x.invalid` failed: x is not a function'],
    [
      Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' }),
      '`http://x.invalid` gave a body that cannot be decompressed: incorrect header check',
    ],
    ['sk-secret-1', 'asking `http://x.invalid` failed: [redacted]'],
    [undefined, 'asking `http://x.invalid` failed: undefined'],
  ])('whatever is thrown while a provider is asked is a failure of that config: %s', (error, message) => {
    expect(raiseFailure(error, facts)).toMatchObject({ code: 'model-failed', kind: 'server', message })
  })

  test('an error of the program stays what it is', () => {
    const error = new XError('async-in-sync', 'a promise')
    expect(raiseFailure(error, facts)).toBe(error)
  })

  test.each([
    ['false', false],
    ['true', true],
  ])('X20: `x-should-retry: %s` is kept for the retries', (said, shouldRetry) => {
    const headers = new Headers({ 'x-should-retry': said })
    expect(refused({ status: 500, headers, body: '' })).toMatchObject({ details: { shouldRetry } })
    expect(refused({ status: 500, headers: new Headers(), body: '' })).not.toHaveProperty('details.shouldRetry')
  })

  test.each([
    [
      '{"error":"the model is busy"}',
      'Provider returned error (Upstream: {"error":"the model is busy"})',
      'rate-limit',
    ],
    [
      { error: { message: 'maximum context length is 4096 tokens' } },
      'Provider returned error (Upstream: {"error":{"message":"maximum context length is 4096 tokens"}})',
      'context-overflow',
    ],
    [undefined, 'Provider returned error', 'rate-limit'],
  ])('E6: what a gateway cites of the provider behind it is shown: %j', (raw, message, kind) => {
    const error = { message: 'Provider returned error', code: 429, metadata: { raw, provider_name: 'Upstream' } }
    expect(refused({ status: 429, body: { error } })).toMatchObject({ message, kind })
    expect(inBandFailure({ error })).toMatchObject({ message, kind })
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
