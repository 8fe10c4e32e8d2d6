import { anthropicFormat } from '@x/testing/anthropic'
import { providerContract, createRecording } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'

const body = (status: number, message: string): string => JSON.stringify(anthropicFormat.errorBody(status, message))

providerContract(
  { describe, test, expect },
  {
    provider: anthropic,
    config: { model: 'claude-haiku-4-5' },
    recordings: [
      createRecording(anthropicFormat, 'a text', {
        text: 'Sunny – 22 °C ☀️.',
        usage: { prompt: 30, cached: 20, completion: 9 },
      }),
      createRecording(anthropicFormat, 'two calls', {
        reasoning: { text: 'Two cities.', signature: 'c2lnbmF0dXJl' },
        text: 'I look.',
        calls: [{ name: 'weather', args: { city: 'Zürich' } }, { name: 'now' }],
        usage: { prompt: 30, completion: 25, reasoning: 8 },
      }),
      createRecording(anthropicFormat, 'an answer cut short', { text: 'Sun', finish: 'length' }),
    ],
    failures: [
      { status: 400, body: body(400, 'prompt is too long: 250000 tokens > 200000 maximum'), kind: 'context-overflow' },
      { status: 400, body: body(400, 'Your credit balance is too low'), kind: 'quota' },
      { status: 400, body: body(400, 'messages: at least one message is required'), kind: 'invalid-request' },
      {
        status: 400,
        body: body(400, 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'),
        kind: 'context-overflow',
      },
      { status: 401, body: body(401, 'invalid x-api-key'), kind: 'auth' },
      { status: 404, body: body(404, 'model: claude-9'), kind: 'not-found' },
      {
        status: 429,
        body: body(429, 'too fast'),
        headers: { 'retry-after': '7' },
        kind: 'rate-limit',
        retryAfterMs: 7000,
      },
      { status: 500, body: body(500, 'Internal server error'), kind: 'server' },
      { status: 529, body: body(529, 'Overloaded'), kind: 'overloaded' },
    ],
    errorFrame: { text: writeFrame(anthropicFormat.overloaded), kind: 'overloaded' },
    unknownFrame: writeFrame(anthropicFormat.unknown),
  },
)
