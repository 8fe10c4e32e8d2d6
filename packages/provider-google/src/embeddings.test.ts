import { googleFormat } from '@x/testing/google'
import { embeddingsContract } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import type { GoogleSdk } from './config.ts'
import { createGoogle, google } from './google.ts'

const VECTORS = [
  [0.5, -0.25],
  [-1, 2],
]
const texts = ['The food was good.', 'Grüße, 世界']
const model = 'gemini-embedding-001'
const embeddings = VECTORS.map((values) => ({ values }))
const failure = (status: number, message: string): string => JSON.stringify(googleFormat.errorBody(status, message))

for (const sdk of ['fetch', 'genai', 'generative-ai'] satisfies GoogleSdk[]) {
  describe(sdk, () => {
    embeddingsContract(
      { describe, test, expect },
      {
        provider: google,
        config: { model, sdk },
        recordings: [
          { name: 'vectors', texts, body: JSON.stringify({ embeddings }), vectors: VECTORS, tokens: null },
          {
            name: 'vectors with tokens',
            texts,
            body: JSON.stringify({ embeddings, usageMetadata: { promptTokenCount: 9 } }),
            vectors: VECTORS,
            tokens: 9,
          },
        ],
        dimensionsKey: 'outputDimensionality',
        failures: [
          { status: 401, body: failure(401, 'API key not valid'), kind: 'auth' },
          { status: 429, body: failure(429, 'Resource has been exhausted'), kind: 'rate-limit' },
          { status: 500, body: failure(500, 'An internal error has occurred'), kind: 'server' },
        ],
      },
    )
  })
}

test('each text is a request of one batch, with the parameters of the provider', async () => {
  const sent: unknown[] = []
  const warnings: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push([input, JSON.parse(init?.body as string)])
    return Response.json({ embeddings })
  }
  const client = createGoogle({ fetch }).createClient({ model, apiKey: 'k' })
  const params = { input: texts, user: 'u', providerOptions: { google: { taskType: 'RETRIEVAL_QUERY' } } }
  await client.embed!(params, { warn: (_, text) => void warnings.push(text) })
  const requests = texts.map((text) => ({
    model: `models/${model}`,
    content: { parts: [{ text }] },
    taskType: 'RETRIEVAL_QUERY',
  }))
  expect(sent).toEqual([
    [`https://generativelanguage.googleapis.com/v1beta/models/${model}:batchEmbedContents`, { requests }],
  ])
  expect(warnings).toEqual(['`user` was left out: the provider does not take it with texts to embed'])
})

test('Vertex, which has another form, has no embeddings here', () => {
  const baseUrl = 'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google'
  expect(google.createClient({ model, apiKey: 'k', baseUrl }).embed).toBeUndefined()
})
