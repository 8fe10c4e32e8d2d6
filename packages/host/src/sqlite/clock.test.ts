import { expect, it } from 'vitest'
import { sqlite } from './sqlite.ts'

const HOUR_MS = 3_600_000
const KIND = { name: 'clerk', version: '1' }

it('claims waiting chats and expired leases when the clock was set back', async () => {
  let now = 10 * HOUR_MS
  const { store, close } = sqlite(':memory:', { now: () => now })
  for (const id of ['a', 'b', 'c'])
    await store.submit({ id, ...KIND, input: null, ...(id === 'c' && { at: 9.5 * HOUR_MS }) })
  const left = (await store.claim('a', 30))!
  now -= HOUR_MS
  expect((await store.due([KIND], 10)).map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
  expect(await store.claim('c', 30)).toBe(null)
  expect(await store.claim('b', 30)).toMatchObject({ state: 'running' })
  const again = (await store.claim('a', 30))!
  expect(again.epoch).toBeGreaterThan(left.epoch)
  // The new claim was made after the clock was set back, so it holds.
  expect(await store.claim('a', 30)).toBe(null)
  await store.suspend(again, 0)
  now -= HOUR_MS
  await store.send('a', 'hello')
  expect(await store.claim('a', 30)).toMatchObject({ messages: ['hello'] })
  await close()
})

it('refuses writes of the previous worker when the clock was set forward', async () => {
  let now = HOUR_MS
  const { store, close } = sqlite(':memory:', { now: () => now })
  await store.submit({ id: 'a', ...KIND, input: null })
  const before = (await store.claim('a', 30))!
  now += HOUR_MS
  // No other worker has claimed the chat, so the claim can be renewed.
  expect(await store.renew([before], 30)).toEqual(['a'])
  now += HOUR_MS
  const after = (await store.claim('a', 30))!
  expect(await store.finish(before, { state: 'done', value: 1 })).toBe(false)
  expect(await store.finish(after, { state: 'done', value: 2 })).toBe(true)
  await close()
})
