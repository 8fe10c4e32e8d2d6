import { expect, it } from 'vitest'
import { lookingLess } from './lean-backend.ts'

it('asks once in a moment when the next delayed job comes, and looks again behind it', async () => {
  let now = 1000
  let delayed: string | null = null
  const sent: string[] = []
  const run = lookingLess(
    async (name) => {
      sent.push(name)
      return { rows: [{ rate_limit_ttl: 0, next_delay: delayed }] }
    },
    () => now,
  )
  const next = async (name = 'next_signal'): Promise<unknown> => (await run(name, [])).rows[0]!['next_delay']
  expect([await next(), await next('next_delay')]).toEqual([null, null])
  // A job that is delayed now is found when the moment is over, at the latest.
  delayed = '1300'
  now = 1100
  expect([await next(), await next('next_delay'), sent]).toEqual([1250, null, ['next_signal']])
  now = 1250
  expect([await next(), await next(), await next('next_delay')]).toEqual([1300, 1300, 1300])
  expect(sent).toEqual(['next_signal', 'next_signal'])
  // One whose time has come was taken: a worker that heard of it again would look again at once, and again.
  delayed = null
  now = 1300
  expect([await next(), await next()]).toEqual([null, 1550])
  expect(sent).toEqual(['next_signal', 'next_signal', 'next_signal'])
  await run('move_to_active', [])
  expect(sent.at(-1)).toBe('move_to_active')
})
