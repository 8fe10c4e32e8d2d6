import { XError } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { failureOf, retryOf, type RetryPolicy } from './retry.ts'

const overloaded = new XError('model-failed', 'busy', { kind: 'overloaded' })
const withCode = (code: string): Error => Object.assign(new Error(code), { code })

describe('the kind of an error', () => {
  it.each<[string, unknown, string | null]>([
    ['a model that is overloaded', overloaded, 'overloaded'],
    ['a model without time', new XError('timeout', 'late', { kind: 'timeout' }), 'timeout'],
    ['a limiter without a store', new XError('connection-failed', 'no store'), 'connection'],
    ['an error that it caused', new Error('no report', { cause: overloaded }), 'overloaded'],
    ['a lost connection', new TypeError('fetch failed', { cause: withCode('ECONNRESET') }), 'connection'],
    ['a network without an answer', withCode('ETIMEDOUT'), 'timeout'],
    ['a database that starts', withCode('57P03'), 'store'],
    ['a database that is full', Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 }), 'store'],
    ['a database that only reads', withCode('25006'), 'store'],
    ['a Redis that its replicas have left', new Error('NOREPLICAS Not enough good replicas to write.'), 'store'],
    ['a Redis without disk', new Error('MISCONF Errors writing to the AOF file: No space left on device'), 'store'],
    ['a Redis that starts', new Error('LOADING Redis is loading the dataset in memory'), 'store'],
    ['a request that is refused', new XError('model-failed', 'no', { kind: 'invalid-request' }), 'invalid-request'],
    ['a unique violation', withCode('23505'), null],
    ['a syntax error of SQLite', Object.assign(new Error('syntax'), { code: 'ERR_SQLITE_ERROR', errcode: 1 }), null],
    ['a program without a file', withCode('ENOENT'), null],
    ['a part that has waited itself', new XError('timeout', 'late', { details: { isPart: true } }), null],
    ['an error of the program', new Error('out of paper'), null],
    ['a text', 'no', null],
  ])('of %s', (_, error, kind) => expect(failureOf(error)?.kind ?? null).toBe(kind))
})

it('of an answer that breaks off is waited out like a lost connection', () => {
  const error = new XError('model-failed', 'cut off', { kind: 'truncated' })
  expect(retryOf(error, { policy: undefined, before: null, ranMs: 0, random: 1, reason: 'cut off' })?.kind).toBe(
    'truncated',
  )
})

describe('a failure', () => {
  const decide = (
    {
      failures = 0,
      seconds = 0,
      ranMs = 0,
      random = 1,
      error = overloaded,
    }: {
      readonly failures?: number
      readonly seconds?: number
      readonly ranMs?: number
      readonly random?: number
      readonly error?: unknown
    },
    policy?: RetryPolicy,
  ) => {
    const before = failures === 0 ? null : { kind: 'server', since: 1000, at: 1000 + seconds * 1000, failures }
    return retryOf(error, { policy, before, ranMs, random, reason: 'busy' })
  }

  it('is waited out with growing delays of up to five minutes', () => {
    const delays = [0, 1, 2, 3, 8, 20, 5000].map((failures) => decide({ failures, seconds: 1 })!.delayMs)
    expect(delays).toEqual([1000, 2000, 4000, 8000, 256_000, 300_000, 300_000])
    expect(decide({ random: 0 })).toEqual({ kind: 'overloaded', reason: 'busy', failures: 1, delayMs: 500 })
  })

  it('is waited out with the delays of the policy', () => {
    const policy = { firstDelay: 0.1, maxDelay: 2 }
    const delays = [0, 1, 4, 5, 5000].map((failures) => decide({ failures, seconds: 1 }, policy)!.delayMs)
    expect(delays).toEqual([100, 200, 1600, 2000, 2000])
    expect(decide({ failures: 9, random: 0 }, { firstDelay: 60, maxDelay: 20 })!.delayMs).toBe(10_000)
  })

  it('waits at least as long as the provider asks, and not as long as all others that it has told the same', () => {
    const error = new XError('model-failed', 'slow', { kind: 'rate-limit', retryAfterMs: 800_000 })
    const delays = [0, 0.5, 1].map((random) => decide({ error, random })!.delayMs)
    expect(delays).toEqual([800_000, 900_000, 1_000_000])
    expect(decide({ error, failures: 30, seconds: 60 }, { for: 1000 })!.delayMs).toBe(940_000)
  })

  it('ends the chat six hours after the first one, with a last try at that time', () => {
    expect(decide({ failures: 90, seconds: 21_599 })!.delayMs).toBe(1000)
    expect(decide({ failures: 90, seconds: 21_599, ranMs: 1000 })).toBe(null)
    expect(decide({ failures: 3, seconds: 10 }, { for: 10 })).toBe(null)
    expect(decide({}, { for: 0 })).toBe(null)
  })

  it('ends the chat after the most failures in a row, and if its kind is not among those of the policy', () => {
    expect(decide({ failures: 2, seconds: 3 }, { most: 3 })).toMatchObject({ failures: 3 })
    expect(decide({ failures: 3, seconds: 3 }, { most: 3 })).toBe(null)
    expect(decide({}, { most: 0 })).toBe(null)
    expect(decide({}, { kinds: ['server'] })).toBe(null)
    expect(decide({ error: new XError('model-failed', 'no', { kind: 'quota' }) })).toBe(null)
    expect(decide({ error: new XError('model-failed', 'no', { kind: 'quota' }) }, { kinds: ['quota'] })).not.toBe(null)
  })
})
