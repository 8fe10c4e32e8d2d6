import type { UsageSummary } from '@x/interfaces'
import { expect, it } from 'vitest'
import { usageLine, usageLines } from './chat-usage.ts'

const used = (cost: number, promptTokens: number, completionTokens: number): UsageSummary['models'][string] => ({
  cost,
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
})

it('tells tokens and cost of each model and of all, and what has no price', () => {
  expect(usageLine({ totalCost: 0, models: {} })).toBe('')
  const models = { large: used(0.25, 1234, 56), small: used(0, 10, 2) }
  expect(usageLine({ totalCost: 0.25, models, unpriced: ['small'] })).toBe(
    'large, small · 1,244 tokens in, 58 out · at least $0.2500',
  )
  expect(usageLines({ totalCost: 0.25, models, unpriced: ['small'] })).toBe(
    [
      'large: 1,234 tokens in, 56 out, $0.2500',
      'small: 10 tokens in, 2 out, price unknown',
      'together: 1,244 tokens in, 58 out, at least $0.2500',
    ].join('\n'),
  )
  expect(usageLines({ totalCost: 0, models: { small: used(0, 1, 1) } })).toBe('small: 1 tokens in, 1 out, $0')
})
