import { expect, it } from 'vitest'
import { throttleDelayQueries } from './throttled-backend.ts'

it('queries the time of the next delayed job once per interval, and again when that job is due', async () => {
  let now = 1000
  let delayed: string | null = null
  const queries: string[] = []
  const run = throttleDelayQueries(
    async (name) => {
      queries.push(name)
      return { rows: [{ rate_limit_ttl: 0, next_delay: delayed }] }
    },
    () => now,
  )
  const next = async (name = 'next_signal'): Promise<unknown> => (await run(name, [])).rows[0]!['next_delay']
  expect([await next(), await next('next_delay')]).toEqual([null, null])
  // A job that is delayed now is found at the end of the interval.
  delayed = '1300'
  now = 1100
  expect([await next(), await next('next_delay'), queries]).toEqual([1250, null, ['next_signal']])
  now = 1250
  expect([await next(), await next(), await next('next_delay')]).toEqual([1300, 1300, 1300])
  expect(queries).toEqual(['next_signal', 'next_signal'])
  // The due job was taken. An answer from the cache would make the worker query again at once, in a loop.
  delayed = null
  now = 1300
  expect([await next(), await next()]).toEqual([null, 1550])
  expect(queries).toEqual(['next_signal', 'next_signal', 'next_signal'])
  await run('move_to_active', [])
  expect(queries.at(-1)).toBe('move_to_active')
})
