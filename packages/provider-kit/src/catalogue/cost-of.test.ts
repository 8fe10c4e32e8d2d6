import type { AnswerUsage } from '@x/interfaces'
import { expect, test } from 'vitest'
import { costOf } from './cost-of.ts'
import type { ModelPrice } from './model-facts.ts'

const price: ModelPrice = {
  input: 2,
  output: 8,
  cached: 1,
  cacheWrite: 2.5,
  cacheWriteHour: 4,
  audioInput: 32,
  cachedAudio: 0.4,
  audioOutput: 64,
  imageInput: 3,
  imageOutput: 30,
  searches: 10,
  long: { above: 2000, input: 4, output: 12 },
  tiers: { flex: 0.5, priority: { input: 5, long: { above: 2000, input: 7 } } },
}

const usageOf = (parts: Partial<AnswerUsage>): AnswerUsage => ({
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  ...parts,
})

test.each<[string, Partial<AnswerUsage>, number]>([
  ['input and output', {}, 1000 * 2 + 500 * 8],
  ['cached input, once', { cached_tokens: 400, reasoning_tokens: 300 }, 600 * 2 + 400 * 1 + 500 * 8],
  ['cache writes', { cached_tokens: 400, cache_write_tokens: 100 }, 500 * 2 + 400 + 100 * 2.5 + 500 * 8],
  [
    'cache writes for an hour',
    { cache_write_tokens: 100, cache_write_hour_tokens: 40 },
    900 * 2 + 60 * 2.5 + 40 * 4 + 500 * 8,
  ],
  ['audio', { audio_prompt_tokens: 100, audio_completion_tokens: 50 }, 900 * 2 + 100 * 32 + 450 * 8 + 50 * 64],
  [
    'audio out of the cache',
    { cached_tokens: 60, audio_prompt_tokens: 100, cached_audio_tokens: 60 },
    900 * 2 + 40 * 32 + 60 * 0.4 + 500 * 8,
  ],
  ['images', { image_prompt_tokens: 100, image_completion_tokens: 200 }, 900 * 2 + 100 * 3 + 300 * 8 + 200 * 30],
  ['searches', { searches: 3 }, 1000 * 2 + 500 * 8 + 3 * 10_000],
  ['a long request', { prompt_tokens: 3000 }, 3000 * 4 + 500 * 12],
  ['a long request of the length where it begins', { prompt_tokens: 2000 }, 2000 * 2 + 500 * 8],
  [
    'a long request out of the cache, whose rate is the usual one',
    { prompt_tokens: 3000, cached_tokens: 1000 },
    2000 * 4 + 1000 + 500 * 12,
  ],
  ['a tier with a factor', { service_tier: 'flex', searches: 1 }, 500 * 2 + 250 * 8 + 10_000],
  ['a long request in a tier with a factor', { service_tier: 'flex', prompt_tokens: 3000 }, 1500 * 4 + 250 * 12],
  ['a tier with rates', { service_tier: 'priority' }, 1000 * 5 + 500 * 8],
  ['a long request in a tier with rates', { service_tier: 'priority', prompt_tokens: 3000 }, 3000 * 7 + 500 * 12],
  ['a tier that is not known', { service_tier: 'constructor' }, 1000 * 2 + 500 * 8],
  ['what the provider states', { cost: 0.25, searches: 3 }, 250_000],
])('%s', (_, parts, millionths) => expect(costOf(price, usageOf(parts)) * 1e6).toBeCloseTo(millionths, 6))

test('rates that are absent are those of their side', () => {
  const parts = { cached_tokens: 100, cache_write_tokens: 200, audio_prompt_tokens: 300, image_completion_tokens: 50 }
  expect(costOf({ input: 2, output: 8 }, usageOf(parts)) * 1e6).toBeCloseTo(1000 * 2 + 500 * 8, 6)
})
