import { expect, test } from 'vitest'
import { costOf, priceOf } from './prices.ts'

const table = {
  date: '2025-01-01',
  models: { 'gpt-4': { input: 30, output: 60 }, 'gpt-4o': { input: 2, output: 8, cached: 1 } },
}

test.each([
  ['gpt-4', 30],
  ['gpt-4-0613', 30],
  ['gpt-4o-2024-08-06', 2],
  ['openai/gpt-4o', 2],
  ['gpt-4o:free', 2],
  ['gpt-4-turbo', undefined],
  ['gpt-4o-mini', undefined],
  ['toString', undefined],
])('the price of %s', (model, input) => expect(priceOf(table, model)?.input).toBe(input))

test('cached tokens are a part of the input, once', () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 500,
    total_tokens: 1500,
    cached_tokens: 400,
    reasoning_tokens: 300,
  }
  expect(costOf(table.models['gpt-4o'], usage)).toBeCloseTo((600 * 2 + 400 + 500 * 8) / 1e6)
})
