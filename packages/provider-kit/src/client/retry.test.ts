import { expect, test } from 'vitest'
import { modelFailure } from '../failure/model-failure.ts'
import { retry } from './retry.ts'

test('an abort ends the wait before the next attempt', async () => {
  const stop = new AbortController()
  const sleep = async (): Promise<void> => stop.abort()
  const calls: number[] = []
  const call = async (): Promise<never> => {
    calls.push(1)
    throw modelFailure('server', 'down')
  }
  const options = { maxRetries: 5, maxRetryAfter: 60, signal: stop.signal, clock: { sleep, random: () => 0 } }
  await expect(retry(call, options)).rejects.toMatchObject({ code: 'aborted' })
  expect(calls).toHaveLength(1)
})

test.each([
  ['server', false, 1],
  ['overloaded', undefined, 3],
  ['invalid-request', true, 3],
  ['invalid-request', undefined, 1],
] as const)('a failure of kind %s that says `shouldRetry: %s` is asked %d times', async (kind, shouldRetry, times) => {
  let calls = 0
  const call = async (): Promise<never> => {
    calls++
    throw modelFailure(kind, 'down', { details: { shouldRetry } })
  }
  const clock = { sleep: async () => {}, random: () => 0 }
  await expect(retry(call, { maxRetries: 2, maxRetryAfter: 60, signal: undefined, clock })).rejects.toMatchObject({
    kind,
  })
  expect(calls).toBe(times)
})
