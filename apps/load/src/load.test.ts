import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atOnce } from './at-once.ts'
import { weigh } from './memory.ts'
import { percentile } from './percentile.ts'
import { placeOf, thinking } from './script.ts'
import { startLoadServer, type LoadServer } from './server.ts'
import { waysOn, type Ways } from './ways.ts'

describe('chats at once, with a server in another process', () => {
  let server: LoadServer
  let ways: Ways
  beforeAll(async () => {
    server = await startLoadServer()
    ways = waysOn(server.url)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it.each(['agents', 'agentsStreamed', 'loop', 'loopStreamed'] as const)('%s: all end as expected', async (name) => {
    await server.set({ think: 0, hold: 0 })
    const { added, seconds, cpu } = await atOnce(ways[name], 50, { think: 0 })
    expect(added).toHaveLength(50)
    expect(Math.min(...added, seconds, cpu)).toBeGreaterThan(0)
  })

  it('measures chats that the server holds back, and releases them', async () => {
    const { open, left } = await weigh(ways.agents, 200, server)
    expect(open).toBeGreaterThan(2000)
    expect(left).toBeLessThan(20_000)
  })

  it('fails when a chat does not end as expected', async () => {
    await expect(atOnce(() => Promise.resolve(['cut off']), 1, { think: 0 })).rejects.toThrow(
      /chat 0 did not end as expected/,
    )
  })
})

it('gives each call between half and three halves of the average time, always the same', () => {
  const times = Array.from({ length: 1000 }, (_, chat) => thinking(chat, 0, 100))
  expect(Math.min(...times)).toBeGreaterThanOrEqual(50)
  expect(Math.max(...times)).toBeLessThanOrEqual(150)
  expect(times.reduce((sum, each) => sum + each, 0) / 1000).toBeCloseTo(100, -1)
  expect(new Set(times).size).toBeGreaterThan(90)
})

it('identifies a request by its messages', () => {
  const user = { role: 'user', content: '#17: where is my order?' }
  expect(placeOf({ messages: [user] })).toEqual({ chat: 17, call: 0 })
  expect(placeOf({ messages: [user, { role: 'tool', content: '{}' }] })).toEqual({ chat: 17, call: 1 })
})

it.each([
  [[3, 1, 2], 0.5, 2],
  [[3, 1, 2], 0.99, 3],
  [[3, 1, 2], 0, 1],
  [[], 0.5, NaN],
])('the percentile of %j at %d is %d', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected)
})
