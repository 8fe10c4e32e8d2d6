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
