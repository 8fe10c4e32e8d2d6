import { embeddingsContract } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import type { OpenAISdk } from './config.ts'
import { errorBody, FAILURES } from './failures.fake.ts'
import { createOpenAI, openai } from './openai.ts'

/** Numbers of a vector that a float32 can hold. */
const VECTORS = [
  [0.5, -0.25, 0.125],
  [-1, 0.0625, 2],
]

const base64Of = (vector: readonly number[]): string =>
  Buffer.from(new Uint8Array(new Float32Array(vector).buffer)).toString('base64')

const answerOf = (embeddings: readonly unknown[], rest: object = {}): string =>
  JSON.stringify({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 8, total_tokens: 8 },
    ...rest,
  })

const texts = ['The food was good.', 'Grüße, 世界']
const model = 'text-embedding-3-small'
const whole = { texts, vectors: VECTORS, tokens: 8 }

for (const sdk of ['fetch', 'openai'] satisfies OpenAISdk[]) {
  describe(`OpenAI by ${sdk}`, () => {
    embeddingsContract(
      { describe, test, expect },
      {
        provider: openai,
        config: { model, sdk },
        recordings: [
          { name: 'base64', body: answerOf(VECTORS.map(base64Of)), ...whole },
          { name: 'lists of numbers', body: answerOf(VECTORS), ...whole },
          {
            name: 'another order',
            body: answerOf([], { data: VECTORS.map((embedding, index) => ({ index, embedding })).toReversed() }),
            ...whole,
          },
        ],
        dimensionsKey: 'dimensions',
        failures: FAILURES,
      },
    )
  })
}

/** Answers of Ollama and of Mistral, which have no `encoding_format` or their own words. */
describe('compatible endpoints', () => {
  embeddingsContract(
    { describe, test, expect },
    {
      provider: openai,
      config: { model: 'nomic-embed-text', baseUrl: 'http://localhost:11434/v1' },
      recordings: [
        {
          name: 'Ollama',
          body: answerOf(VECTORS, { model: 'nomic-embed-text', usage: { prompt_tokens: 6, total_tokens: 6 } }),
          ...whole,
          model: 'nomic-embed-text',
          tokens: 6,
        },
        {
          name: 'no model and no tokens',
          body: JSON.stringify({ data: VECTORS.map((embedding) => ({ embedding })) }),
          ...whole,
          model: 'nomic-embed-text',
          tokens: null,
        },
      ],
      dimensionsKey: 'dimensions',
      failures: FAILURES,
    },
  )
  embeddingsContract(
    { describe, test, expect },
    {
      provider: openai,
      config: { model: 'codestral-embed', baseUrl: 'https://api.mistral.ai/v1' },
      recordings: [
        {
          name: 'Mistral',
          body: answerOf(VECTORS, {
            id: 'embd-1',
            model: 'codestral-embed',
            usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
          }),
          ...whole,
          model: 'codestral-embed',
          tokens: 9,
        },
      ],
      dimensionsKey: 'output_dimension',
      failures: FAILURES,
    },
  )
})

/** A client whose endpoint answers with these statuses and bodies in turn, and the requests that reached it. */
function clientOf(config: object, ...answers: readonly (readonly [status: number, body: string])[]) {
  const sent: { url: string; body: Record<string, unknown> }[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({ url: input as string, body: JSON.parse(init?.body as string) as Record<string, unknown> })
    const [status, body] = answers[sent.length - 1] ?? answers.at(-1)!
    return new Response(body, { status, headers: { 'content-type': 'application/json' } })
  }
  return { client: createOpenAI().createClient({ model, apiKey: 'sk-test', fetch, ...config }), sent }
}

const GOOD: readonly [status: number, body: string] = [200, answerOf(VECTORS)]

test('a request goes to `/embeddings`, asks for base64, and has the parameters of its provider', async () => {
  const { client, sent } = clientOf({}, GOOD)
  await client.embed!(
    { input: texts, user: 'u', providerOptions: { openai: { truncate: 'END' } }, extra_body: { a: 1 } },
    {},
  )
  expect(sent).toEqual([
    {
      url: 'https://api.openai.com/v1/embeddings',
      body: { model, input: texts, encoding_format: 'base64', user: 'u', truncate: 'END', a: 1 },
    },
  ])
})

test('a deployment of Azure has a path of its own', async () => {
  const { client, sent } = clientOf(
    { apiType: 'azure', baseUrl: 'https://r.openai.azure.com', apiVersion: '2024-10-21' },
    GOOD,
  )
  await client.embed!({ input: texts }, {})
  expect(sent[0]!.url).toBe(
    'https://r.openai.azure.com/openai/deployments/text-embedding-3-small/embeddings?api-version=2024-10-21',
  )
})

test('an endpoint that refuses base64 is asked again without it, and from then on', async () => {
  const refusal = [400, errorBody({ message: 'Unknown parameter: encoding_format' })] as const
  const { client, sent } = clientOf({ baseUrl: 'http://host/v1' }, refusal, GOOD)
  await expect(client.embed!({ input: texts }, {})).rejects.toMatchObject({ details: { askAgain: true } })
  await client.embed!({ input: texts }, {})
  expect(sent.map(({ body }) => 'encoding_format' in body)).toEqual([true, false])
})

test.each([
  ['texts for numbers', [{ index: '1' }, { index: '0' }], [1, 0]],
  ['one number for all', [{ index: 0 }, { index: 0 }], [0, 1]],
  ['numbers that begin at 1', [{ index: 2 }, { index: 1 }], [1, 0]],
  ['a number for some', [{ index: 1 }, {}], null],
  ['a number twice', [{ index: 1 }, { index: 0 }, { index: 1 }], null],
])('vectors with %s are those of their texts, or of nobody', async (_, indices, order) => {
  const data = indices.map((each, place) => ({ ...each, embedding: [place, 1] }))
  const { client } = clientOf({}, [200, JSON.stringify({ data })])
  const embeddings = client.embed!({ input: indices.map((__, place) => `text ${place}`) }, {})
  const expected = order?.map((place) => [place, 1])
  if (expected) expect((await embeddings).embeddings).toEqual(expected)
  else
    await expect(embeddings).rejects.toMatchObject({ kind: 'server', message: expect.stringContaining('which text') })
})

test.each(['AQIDBAU=', '-_-_', '!!'])(
  'the text `%s`, which holds no whole numbers, is not read as a vector',
  async (embedding) => {
    const { client } = clientOf({}, [200, JSON.stringify({ data: [{ embedding }] })])
    await expect(client.embed!({ input: ['a'] }, {})).rejects.toThrow('neither a list of numbers nor base64')
  },
)

test('an error inside a successful answer is a failure', async () => {
  const { client } = clientOf({}, [200, errorBody({ message: 'busy', type: 'overloaded_error' })])
  await expect(client.embed!({ input: texts }, {})).rejects.toMatchObject({ kind: 'overloaded' })
})

test.each([
  ['text-embedding-3-small', {}, 0.02],
  ['text-embedding-3-large', {}, 0.13],
  ['codestral-embed', { baseUrl: 'https://api.mistral.ai/v1' }, 0.15],
  ['an-embedding-of-nobody', {}, null],
])('a million tokens of %s cost what its vendor asks', (name, config, cost) => {
  const { client } = clientOf({ model: name, ...config }, GOOD)
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  expect(client.cost({ id: '', model: name, created: 0, choices: [], usage })).toBe(cost)
})
