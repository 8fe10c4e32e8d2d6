import { XError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import {
  BrokenBodyError,
  inBandFailure,
  convertError,
  type FailureFacts,
  type HttpRefusal,
  retryAfterMs,
} from './convert-error.ts'
import { modelFailure } from './model-failure.ts'
import fc from 'fast-check'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const facts: FailureFacts = {
  signal: undefined,
  secrets: new Set(['sk-secret-1']),
  now: () => NOW,
  url: 'http://x.invalid',
}

const refused = (refusal: HttpRefusal): unknown => convertError(new Error('x'), { ...facts, refusalOf: () => refusal })

describe('failures', () => {
  test('an abort by the caller is the failure, whatever was thrown', () => {
    expect(convertError(new Error('x'), { ...facts, signal: AbortSignal.abort() })).toMatchObject({ kind: 'aborted' })
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
    [
      new TypeError('terminated', {
        cause: Object.assign(new Error('Unknown frame'), { code: 'ZSTD_error_prefix_unknown' }),
      }),
      '`http://x.invalid` gave a body that cannot be decompressed: Unknown frame',
    ],
    ['sk-secret-1', 'asking `http://x.invalid` failed: [redacted]'],
    [undefined, 'asking `http://x.invalid` failed: undefined'],
  ])('makes a failure of anything that is thrown during a call: %s', (error, message) => {
    expect(convertError(error, facts)).toMatchObject({ code: 'model-failed', kind: 'server', message })
  })

  test('a body that broke off says how many bytes had arrived, and that it was not the address', () => {
    const cause = new TypeError('terminated', { cause: new Error('other side closed by sk-secret-1') })
    expect(convertError(new BrokenBodyError(120, cause), facts)).toMatchObject({
      kind: 'connection',
      message: 'the answer of `http://x.invalid` broke off after 120 bytes: other side closed by [redacted]',
      details: { bytes: 120, received: true },
    })
  })

  test('finds a failure in an error of an SDK', () => {
    const made = new XError('model-failed', 'moved', { kind: 'connection', details: { askAgain: true } })
    expect(convertError(new Error('Connection error.', { cause: made }), facts)).toMatchObject({
      message: 'moved',
      details: { askAgain: true },
    })
  })

  test('returns an error of the program as it is', () => {
    const error = new XError('async-in-sync', 'a promise')
    expect(convertError(error, facts)).toBe(error)
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
  ])('E6: shows the error that a gateway cites: %j', (raw, message, kind) => {
    const error = { message: 'Provider returned error', code: 429, metadata: { raw, provider_name: 'Upstream' } }
    expect(refused({ status: 429, body: { error } })).toMatchObject({ message, kind })
    expect(inBandFailure({ error })).toMatchObject({ message, kind })
  })

  test.each([
    [
      { code: 'permission-denied', error: 'no' },
      { message: 'no', details: { code: 'permission-denied' } },
    ],
    [{ error: 'Bad Request', message: 'too few' }, { message: 'Bad Request: too few' }],
    [{ success: false, errors: [{ code: 5007, message: 'No such model' }] }, { message: 'No such model' }],
    [
      { error: 'no', error_type: 'validation' },
      { message: 'no', details: { type: 'validation' } },
    ],
  ])('E3: an error that is a text keeps what stands beside it: %j', (body, wanted) => {
    expect(refused({ status: 400, body })).toMatchObject(wanted)
    expect(inBandFailure(body)).toMatchObject(wanted)
  })

  test.each([
    ['API_KEY_INVALID', 400, 'auth'],
    ['BILLING_DISABLED', 403, 'quota'],
    ['SERVICE_DISABLED', 403, 'auth'],
  ])('G27: the reason %s of Google with status %s is %s', (reason, status, kind) => {
    expect(refused({ status, body: { error: { message: 'no', details: [{ reason }] } } })).toMatchObject({ kind })
  })

  test('rules of the endpoint hold for errors inside an answer, too, whose reader does not know them', () => {
    const rules = [{ kind: 'overloaded', words: 'becalmed' }] as const
    const kindIn = (error: unknown): unknown =>
      convertError(error, { signal: undefined, secrets: new Set(), now: () => 0, url: 'http://p.invalid', rules })
    const inside = inBandFailure({ error: { message: 'no wind', code: 'becalmed' } })
    expect(kindIn(inside)).toMatchObject({ kind: 'overloaded', message: 'no wind', details: { inAnswer: true } })
    expect(kindIn(inBandFailure({ error: { message: 'no' } }))).toMatchObject({ kind: 'server' })
    expect(kindIn(modelFailure('auth', 'becalmed'))).toMatchObject({ kind: 'auth' })
  })

  test('an invalid base URL is not a failure of the provider, and nothing is asked again', () => {
    const invalid = (): URL => new URL('gw.example.com/v1')
    let thrown: unknown
    try {
      invalid()
    } catch (error) {
      thrown = error
    }
    const failure = convertError(thrown, facts)
    expect(failure).toMatchObject({ code: 'invalid-config' })
    expect(failure).not.toHaveProperty('kind')
  })

  test.each([
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('invalid x-a header'), { code: 'UND_ERR_INVALID_ARG' }),
    }),
    new TypeError('Headers.append: "quoted value" is an invalid header value.'),
  ])('a header that cannot be sent is one of the config, and its value stays hidden', (thrown) => {
    const error = convertError(thrown, facts) as XError
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('`defaultHeaders`') })
    expect(`${error.message} ${String(error.cause)}`).not.toContain('quoted value')
  })

  test('removes secrets from every message, also of failures of other makers', () => {
    expect(refused({ status: 401, body: { error: { message: 'bad key sk-secret-1' } } })).toMatchObject({
      message: 'bad key [redacted]',
    })
    const made = new XError('model-failed', 'sk-secret-1', { kind: 'server' })
    expect(convertError(made, facts)).toMatchObject({ message: '[redacted]', kind: 'server' })
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

  test.each<[reset: string | number | undefined, retryAfter: string | undefined, ms: number | undefined]>([
    [String(NOW + 40_000), undefined, 40_000],
    [NOW / 1000 + 40, undefined, 40_000],
    [NOW - 1, undefined, 0],
    [NOW + 40_000, '2', 2000],
    [60, undefined, undefined],
    ['soon', undefined, undefined],
    [undefined, undefined, undefined],
  ])('the time %s at which a limit passes, with `retry-after: %s`, is a wait of %s', (reset, retryAfter, ms) => {
    const told = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    const metadata = { headers: { 'X-RateLimit-Reset': reset } }
    const inBody = { status: 429, headers: told, body: { error: { message: 'slow', code: 429, metadata } } }
    const inHeaders = new Headers(told)
    if (reset !== undefined) inHeaders.set('x-ratelimit-reset', String(reset))
    for (const refusal of [inBody, { status: 429, headers: inHeaders, body: '{}' }]) {
      expect((refused(refusal) as XError).retryAfterMs).toBe(ms)
    }
    expect((refused({ ...inBody, status: 400 }) as XError).retryAfterMs).toBe(retryAfter === undefined ? undefined : ms)
  })
})

test('makes a failure with a kind of any body with any status', () => {
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

test.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '2.5' }, 2500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, 59_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': '1, 1' }, 1000],
  [{ 'retry-after': '2,30' }, 2000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT, Thu, 01 Jan 1970 00:01:00 GMT' }, 59_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT, 7' }, 59_000],
  [{ 'retry-after': 'Thursday, 01-Jan-70 00:01:00 GMT' }, 59_000],
  [{ 'retry-after': 'Thu Jan  1 00:01:00 1970 GMT' }, 59_000],
  [{ 'retry-after': ', ' }, undefined],
  [{ 'retry-after-ms': '1500, 1500' }, 1500],
  [{}, undefined],
])('reads the wait of %j', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), () => 1000)).toBe(ms)
})
