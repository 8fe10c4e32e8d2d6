import type { ModelResponse } from '@x/interfaces'
import { expect, test } from 'vitest'
import { callOutcome } from './call-outcome.ts'

const response = (changes: Partial<ModelResponse> = {}): ModelResponse => ({
  id: 'answer-1',
  model: 'gpt-5-mini',
  created: 0,
  choices: [{ index: 0, message: { role: 'assistant', content: 'four' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  cost: 0.25,
  configId: 1,
  passFilter: true,
  cached: true,
  messageRetrievalFunction: ({ choices }) => choices.map((choice) => choice.message.content as string),
  ...changes,
})

const message = { role: 'assistant', content: 'four' } as const

test('tells the text, the config, the usage and the cost of an answer', () => {
  expect(callOutcome(response())).toEqual({
    message: 'four',
    details: null,
    model: 'gpt-5-mini',
    configId: 1,
    finishReason: 'stop',
    cached: true,
    usage: { promptTokens: 5, completionTokens: 3, totalTokens: 8 },
    cost: 0.25,
  })
})

test('tells the parts of tokens that the provider reports, and the details of the first choice', () => {
  const usage = {
    ...{ prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    ...{ cached_tokens: 2, reasoning_tokens: 1, cache_write_tokens: 0 },
  }
  const sources = [{ type: 'url', url: 'https://example.com' }]
  const choice = { index: 0, message, finish_reason: 'length', reasoning: 'two and two', sources }
  const outcome = callOutcome(response({ usage, choices: [choice, { ...choice, index: 1, reasoning: 'other' }] }))
  expect(outcome).toMatchObject({ details: { reasoning: 'two and two', sources }, finishReason: 'length' })
  expect(outcome.usage).toEqual({
    ...{ promptTokens: 5, completionTokens: 3, totalTokens: 8 },
    ...{ cachedTokens: 2, reasoningTokens: 1, cacheWriteTokens: 0 },
  })
})

test('tells a message with calls as a whole', () => {
  const calls = { ...message, tool_calls: [{ id: 'call-1', function: { name: 'add', arguments: '{}' } }] }
  expect(callOutcome(response({ messageRetrievalFunction: () => [calls] })).message).toBe(calls)
  expect(callOutcome(response({ messageRetrievalFunction: () => [] })).message).toBeNull()
})

test('has no cost without a price and no usage without counts', () => {
  expect(callOutcome(response({ unpriced: true, cost: 0, usage: undefined }))).toMatchObject({
    cost: null,
    usage: null,
  })
  expect(callOutcome(response({ cost: 0 })).cost).toBe(0)
})

test('has nothing to tell of a call without an answer', () => {
  const facts = { message: null, details: null, model: null, configId: null, finishReason: null }
  expect(callOutcome(null)).toEqual({ ...facts, cached: false, usage: null, cost: null })
})
