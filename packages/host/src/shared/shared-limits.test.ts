import { expect, it } from 'vitest'
import { createHost, sqlite } from '../index.ts'

it('returns the same limiter and budget for equal arguments, and others for different ones', async () => {
  const host = createHost({ chats: [], at: sqlite(':memory:') })
  const limits = { m: { requests: 5 } }
  const limiter = host.limiter(limits)
  expect(host.limiter({ m: { requests: 5 } })).toBe(limiter)
  expect(host.limiter({ m: { requests: 6 } })).not.toBe(limiter)
  expect(host.limiter(limits, { whenDown: 'refuse' })).not.toBe(limiter)
  const budget = host.budget('team', { calls: 5 })
  expect(host.budget('team', { calls: 5 })).toBe(budget)
  expect(host.budget('team', { calls: 6 })).not.toBe(budget)
  expect(host.budget('team', { calls: 5, cost: undefined, tokens: undefined })).toBe(budget)
  await host.close()
})
