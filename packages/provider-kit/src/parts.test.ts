import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parsedJson } from './json.ts'
import { costOf, priceOf } from './prices.ts'
import { plainCause, redact } from './redact.ts'
import { retried } from './retried.ts'
import { retryAfterMs } from './retry-after.ts'
import { modelFailure } from './failure.ts'

test.each([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '2.5' }, 2500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, 59_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{}, undefined],
])('a wait asked for by %j', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), () => 1000)).toBe(ms)
})

describe('JSON of a provider', () => {
  test('cannot reach a prototype', () => {
    const parsed = parsedJson('{"a": {"__proto__": {"evil": 1}, "constructor": {"prototype": {"evil": 1}}, "b": 2}}')
    expect(parsed).toEqual({ a: { b: 2 } })
    expect(Object.assign({}, (parsed as { a: object }).a)).not.toHaveProperty('evil')
  })

  test('that is none is nothing', () => expect(parsedJson('{"half')).toBeUndefined())
})

test('a cause keeps what helps and no secret', () => {
  const root = Object.assign(new Error('connect secret-key-1'), {
    code: 'ECONNRESET',
    headers: { authorization: 'secret-key-1' },
  })
  const cause = plainCause(new TypeError('fetch failed with secret-key-1', { cause: root }), ['secret-key-1'])!
  expect(cause).toMatchObject({
    name: 'TypeError',
    message: 'fetch failed with [redacted]',
    cause: { code: 'ECONNRESET' },
  })
  expect(inspect(cause, { depth: 9, showHidden: true })).not.toContain('secret-key-1')
  expect(redact('ab', ['ab'])).toBe('ab')
})

const table = {
  date: '2025-01-01',
  models: { 'gpt-4': { input: 30, output: 60 }, 'gpt-4o': { input: 2, output: 8, cached: 1 } },
}

test.each([
  ['gpt-4', 30],
  ['gpt-4-0613', 30],
  ['gpt-4o-2024-08-06', 2],
  ['openai/gpt-4o', 2],
  ['gpt-4o:free', 2],
  ['gpt-4-turbo', undefined],
  ['gpt-4o-mini', undefined],
  ['toString', undefined],
])('the price of %s', (model, input) => expect(priceOf(table, model)?.input).toBe(input))

test('cached tokens are a part of the input, once', () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 500,
    total_tokens: 1500,
    cached_tokens: 400,
    reasoning_tokens: 300,
  }
  expect(costOf(table.models['gpt-4o'], usage)).toBeCloseTo((600 * 2 + 400 + 500 * 8) / 1e6)
})

test('an abort ends the wait before the next attempt', async () => {
  const stop = new AbortController()
  const sleep = async (): Promise<void> => stop.abort()
  const calls: number[] = []
  const call = async (): Promise<never> => {
    calls.push(1)
    throw modelFailure('server', 'down')
  }
  const options = { maxRetries: 5, maxRetryAfter: 60, signal: stop.signal, clock: { sleep, random: () => 0 } }
  await expect(retried(call, options)).rejects.toMatchObject({ code: 'aborted' })
  expect(calls).toHaveLength(1)
})
