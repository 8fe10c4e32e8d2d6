import { googleFormat } from '@x/testing/google'
import { providerContract, createRecording } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import type { GoogleSdk } from './config.ts'
import { google } from './google.ts'

const body = (status: number, message: string): string => JSON.stringify(googleFormat.errorBody(status, message))

const quota = (id: string, delay: string): string =>
  JSON.stringify({
    error: {
      code: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: id }] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: delay },
      ],
    },
  })

for (const sdk of ['generative-ai', 'genai', 'fetch'] satisfies GoogleSdk[]) {
  describe(sdk, () => {
    providerContract(
      { describe, test, expect },
      {
        provider: google,
        config: { model: 'gemini-2.5-flash', sdk },
        globalFetch: sdk === 'generative-ai',
        recordings: [
          createRecording(googleFormat, 'a text', {
            text: 'Sunny – 22 °C ☀️.',
            usage: { prompt: 30, cached: 20, completion: 9 },
          }),
          createRecording(googleFormat, 'two calls', {
            reasoning: { text: 'Two cities.', signature: 'c2lnbmF0dXJl' },
            text: 'I look.',
            calls: [{ name: 'weather', args: { city: 'Zürich' } }, { name: 'now' }],
            usage: { prompt: 30, completion: 25, reasoning: 8 },
          }),
          createRecording(googleFormat, 'an answer cut short', { text: 'Sun', finish: 'length' }),
        ],
        failures: [
          {
            status: 400,
            body: body(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
            kind: 'context-overflow',
          },
          { status: 400, body: body(400, 'contents is not specified'), kind: 'invalid-request' },
          { status: 400, body: body(400, 'API key not valid. Please pass a valid API key.'), kind: 'auth' },
          { status: 401, body: body(401, 'Request had invalid credentials'), kind: 'auth' },
          { status: 403, body: body(403, 'API key not valid'), kind: 'auth' },
          { status: 404, body: body(404, 'models/gemini-9 is not found'), kind: 'not-found' },
          // G27: how long to wait is in the body; a quota per minute passes, one per day does not.
          {
            status: 429,
            body: quota('GenerateRequestsPerMinutePerProject', '34.4s'),
            kind: 'rate-limit',
            retryAfterMs: 34_400,
          },
          { status: 429, body: quota('GenerateRequestsPerDayPerProject', '3600s'), kind: 'quota' },
          { status: 500, body: body(500, 'An internal error has occurred'), kind: 'server' },
          { status: 503, body: body(503, 'The model is overloaded.'), kind: 'overloaded' },
        ],
        errorFrame: { text: writeFrame(googleFormat.overloaded), kind: 'overloaded' },
        unknownFrame: writeFrame(googleFormat.unknown),
      },
    )
  })
}
