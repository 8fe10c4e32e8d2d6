import { googleFormat } from '@x/testing/google'
import { providerContract, createRecordings, type ProviderRecording } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import type { GoogleSdk } from './config.ts'
import { google } from './google.ts'
import { MEANING } from './meaning.fake.ts'

const body = (status: number, message: string): string => JSON.stringify(googleFormat.errorBody(status, message))

const PAGE = 'https://example.com/page'
const SUPPORT = { segment: { startIndex: 6, endIndex: 13, text: 'so ist' }, groundingChunkIndices: [0] }
const GROUNDING = {
  webSearchQueries: ['so?'],
  searchEntryPoint: { renderedContent: '<b>so?</b>' },
  groundingChunks: [{ web: { uri: PAGE, title: 'A page' } }],
  groundingSupports: [SUPPORT],
}
const IMAGE = { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'c2ln' }
const CODE = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
const RATINGS = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }]
const LOGPROBS = {
  chosenCandidates: [{ token: 'Ja,', logProbability: -0.5 }],
  topCandidates: [{ candidates: [{ token: 'Ja,', logProbability: -0.5 }] }],
}
const FACTS = {
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
}
const candidate = (parts: object[], more: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  ...FACTS,
})
const sound = (data: string): object => ({ inlineData: { mimeType: 'audio/L16;rate=24000', data } })

/** Sounds come in pieces, grounding at the end, ratings with each chunk. */
const BESIDE: ProviderRecording = {
  name: 'what stands beside a text',
  whole: JSON.stringify(
    candidate([{ text: 'Hm.', thought: true }, { text: 'Ja, “so ist” es.' }, CODE, IMAGE, sound('AAAAAA==')], {
      finishReason: 'STOP',
      safetyRatings: RATINGS,
      groundingMetadata: GROUNDING,
      logprobsResult: LOGPROBS,
      avgLogprobs: -0.5,
    }),
  ),
  stream: [
    candidate([{ text: 'Hm.', thought: true }], { safetyRatings: RATINGS }),
    candidate([{ text: 'Ja, “so' }], { safetyRatings: RATINGS, logprobsResult: LOGPROBS }),
    candidate([{ text: ' ist” es.' }, CODE]),
    candidate([IMAGE, sound('AA==')]),
    candidate([sound('AAAA')], { finishReason: 'STOP', groundingMetadata: GROUNDING, avgLogprobs: -0.5 }),
  ]
    .map((chunk) => writeFrame({ data: JSON.stringify(chunk) }))
    .join(''),
  says: {
    text: 'Ja, “so ist” es.',
    finish: 'stop',
    usage: { prompt: 3, completion: 4 },
    details: {
      reasoning: 'Hm.',
      sources: [
        { type: 'search', text: 'so?' },
        { type: 'url', url: PAGE, title: 'A page' },
      ],
      // The provider counts bytes, of which a quotation mark has three.
      citations: [{ start: 5, end: 11, url: PAGE, title: 'A page', raw: SUPPORT }],
      media: [
        { type: 'image', url: 'data:image/png;base64,AAAA', media_type: 'image/png', at: 16 },
        { type: 'audio', url: 'data:audio/L16;rate=24000;base64,AAAAAA==', media_type: 'audio/L16;rate=24000', at: 16 },
      ],
      logprobs: [{ token: 'Ja,', logprob: -0.5, top_logprobs: [{ token: 'Ja,', logprob: -0.5 }] }],
      finish_details: { safety: RATINGS },
      provider_parts: [CODE],
      extra: { groundingMetadata: { searchEntryPoint: GROUNDING.searchEntryPoint }, avgLogprobs: -0.5 },
    },
  },
}

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

for (const sdk of ['fetch', 'genai', 'generative-ai'] satisfies GoogleSdk[]) {
  describe(sdk, () => {
    providerContract(
      { describe, test, expect },
      {
        provider: google,
        config: { model: 'gemini-2.5-flash', sdk },
        meaning: MEANING,
        skip: [
          {
            test: 'not sent: an image of a tool is refused, or left out with a warning',
            reason: 'it is sent behind the results of its turn',
          },
        ],
        recordings: [...createRecordings(googleFormat), BESIDE],
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
