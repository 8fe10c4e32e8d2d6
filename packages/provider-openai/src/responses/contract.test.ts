import { responsesFormat } from '@x/testing/openai'
import { createRecording, providerContract } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { openai } from '../openai.ts'

const error = (body: object): string => JSON.stringify({ error: { param: null, type: null, code: null, ...body } })

providerContract(
  { describe, test, expect },
  {
    provider: openai,
    config: { model: 'gpt-5-mini', api: 'responses' },
    recordings: [
      createRecording(responsesFormat, 'a text', {
        text: 'Sunny – 22 °C ☀️.',
        usage: { prompt: 30, cached: 20, completion: 9 },
      }),
      createRecording(responsesFormat, 'two calls', {
        reasoning: { text: 'Two cities.', signature: 'c2VhbGVk' },
        text: 'I look.',
        calls: [
          { id: 'call_a', name: 'weather', args: { city: 'Zürich' } },
          { id: 'call_b', name: 'now' },
        ],
        usage: { prompt: 30, completion: 25, reasoning: 8 },
      }),
      createRecording(responsesFormat, 'an answer cut short', { text: 'Sun', finish: 'length' }),
    ],
    failures: [
      { status: 401, body: error({ message: 'Incorrect API key provided', code: 'invalid_api_key' }), kind: 'auth' },
      { status: 404, body: error({ message: 'The model does not exist', code: 'model_not_found' }), kind: 'not-found' },
      {
        status: 429,
        body: error({ message: 'Slow down' }),
        headers: { 'retry-after': '3' },
        kind: 'rate-limit',
        retryAfterMs: 3000,
      },
      { status: 429, body: error({ message: 'No money', code: 'insufficient_quota' }), kind: 'quota' },
      { status: 400, body: error({ message: 'Too long', code: 'context_length_exceeded' }), kind: 'context-overflow' },
      { status: 400, body: error({ message: 'Filtered', code: 'content_filter' }), kind: 'content-filter' },
      { status: 500, body: error({ message: 'Sorry' }), kind: 'server' },
      { status: 503, body: '<html>busy</html>', kind: 'overloaded' },
    ],
    errorFrame: { text: writeFrame(responsesFormat.overloaded), kind: 'overloaded' },
    unknownFrame: writeFrame(responsesFormat.unknown),
  },
)
