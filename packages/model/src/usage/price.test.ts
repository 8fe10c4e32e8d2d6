import type { AnswerUsage, ConfigEntry } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { answerOf, fakeProvider, hello } from '../fakes/provider.fake.ts'
import { llmConfig } from '../wrapper/llm-config.ts'
import { costOf, entryPrice } from './price.ts'

const usageOf = (parts: Partial<AnswerUsage>): AnswerUsage => ({
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  ...parts,
})

describe('a price in dollars per million', () => {
  const rates = { input: 3, cached: 0.3, cacheWrite: 3.75, cacheWriteHour: 6, output: 15, audioInput: 30, searches: 10 }
  test.each<[string, Partial<AnswerUsage>, number]>([
    ['input and output', {}, 1000 * 3 + 500 * 15],
    ['cached input', { cached_tokens: 400 }, 600 * 3 + 400 * 0.3 + 500 * 15],
    ['cache writes', { cache_write_tokens: 100, cache_write_hour_tokens: 40 }, 900 * 3 + 60 * 3.75 + 40 * 6 + 500 * 15],
    ['audio and searches', { audio_prompt_tokens: 10, searches: 2 }, 990 * 3 + 10 * 30 + 500 * 15 + 20_000],
    ['more parts than there is of the whole', { cached_tokens: 5000, cache_write_tokens: 5000 }, 1000 * 0.3 + 500 * 15],
    ['what the provider states, which the entry overrides', { cost: 99 }, 1000 * 3 + 500 * 15],
  ])('%s', (_, parts, millionths) => {
    expect(costOf(usageOf(parts), entryPrice(rates)!) * 1e6).toBeCloseTo(millionths, 6)
  })

  test('of an entry wins over the client’s, call by call', async () => {
    const { provider } = fakeProvider([], { cost: 7 })
    const client = provider.createClient({})
    const exact = { ...client, create: () => ({ ...answerOf('m', 'x'), usage: usageOf({ cached_tokens: 1000 }) }) }
    const llm = llmConfig({
      providers: [{ ...provider, createClient: () => exact }],
      configList: [{ model: 'm', apiType: 'fake', price: { input: 3, cached: 0.3, output: 15 } }],
      cacheSeed: null,
    })
    const model = llm.createModel()
    expect((await model.create({ messages: hello })).cost * 1e6).toBeCloseTo(1000 * 0.3 + 500 * 15)
    expect(model.actualUsageSummary!.totalCost * 1e6).toBeCloseTo(7800)
  })
})

test('a pair is in dollars per thousand', () => {
  expect(costOf(usageOf({ cached_tokens: 400 }), entryPrice([1, 2])!)).toBe(2)
  expect(costOf(usageOf({}), entryPrice(2)!)).toBe(3)
  expect(entryPrice(null)).toBe(null)
})

test.each<unknown>([
  { input: 3 },
  { output: 3 },
  { input: 3, output: -1 },
  { input: 3, output: '15' },
  { input: 3, output: 15, cache: 1 },
  { input: Number.NaN, output: 15 },
  [1],
  [1, -1],
  'free',
  {},
])('%j is not a price', (price) => {
  expect(() => entryPrice(price as ConfigEntry['price'])).toThrow(
    expect.toSatisfy((error) => isXError(error, 'invalid-config')),
  )
  expect(() => entryPrice(price as ConfigEntry['price'])).toThrow('{ input, output, cached, cacheWrite }')
})
