import { googleFormat } from '@x/testing/google'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { createGoogle, google } from './google.ts'

/** Cost in US dollars of an answer with these counts and this grounding. */
async function costOf(model: string, usageMetadata: object, grounding?: object): Promise<number | null> {
  const whole = googleFormat.whole({ text: 'Hello' }) as { candidates: object[] }
  const candidates = whole.candidates.map((each) => ({ ...each, ...(grounding && { groundingMetadata: grounding }) }))
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const recorded = { whole: { ...whole, candidates, usageMetadata, modelVersion: model } }
  const { answer } = await exchange(google, { model }, { model, messages }, recorded)
  return google.createClient({ model }).cost(answer!)
}

const MILLION = { promptTokenCount: 1e6, candidatesTokenCount: 1e6 }

describe('the price of each current model', () => {
  test.each([
    ['gemini-3.8-flash', 0.75 + 3.75],
    ['gemini-3.5-flash-lite', 0.3 + 2.5],
    ['gemini-3.1-pro-preview', 4 + 18],
    ['gemini-4-argon', 2 + 10],
    ['gemini-2.5-flash-preview-09-2025', 0.3 + 2.5],
    ['models/gemini-2.5-flash-lite', 0.1 + 0.4],
  ])('%s', async (model, dollars) => expect(await costOf(model, MILLION)).toBeCloseTo(dollars))
})

describe('what has a price of its own', () => {
  const details = (modality: string, tokenCount: number): object[] => [
    { modality: 'TEXT', tokenCount: 1e6 - tokenCount },
    { modality, tokenCount },
  ]
  test.each<[string, string, object, number]>([
    ['audio', 'gemini-2.5-flash', { promptTokensDetails: details('AUDIO', 5e5) }, 0.15 + 0.5 + 2.5],
    [
      'audio out of the cache',
      'gemini-2.5-flash',
      {
        cachedContentTokenCount: 5e5,
        promptTokensDetails: details('AUDIO', 5e5),
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 5e5 }],
      },
      0.15 + 0.05 + 2.5,
    ],
    ['images', 'gemini-2.5-flash-image', { candidatesTokensDetails: details('IMAGE', 5e5) }, 0.3 + 1.25 + 15],
    ['the flexible tier', 'gemini-3.8-flash', { serviceTier: 'flex' }, 2.25],
    ['the tier with precedence', 'gemini-3.8-flash', { serviceTier: 'SERVICE_TIER_PRIORITY' }, 8.1],
    ['the usual traffic of Vertex', 'gemini-3.8-flash', { trafficType: 'ON_DEMAND' }, 4.5],
    ['the flexible traffic of Vertex', 'gemini-3.8-flash', { trafficType: 'ON_DEMAND_FLEX' }, 2.25],
    ['the traffic of Vertex with precedence', 'gemini-3.8-flash', { trafficType: 'ON_DEMAND_PRIORITY' }, 8.1],
    ['traffic of a kind without a price', 'gemini-3.8-flash', { trafficType: 'PROVISIONED_THROUGHPUT' }, 4.5],
  ])('%s', async (_, model, usage, dollars) => {
    expect(await costOf(model, { ...MILLION, ...usage })).toBeCloseTo(dollars)
  })

  test.each([
    ['gemini-3.8-flash', ['a', 'b', 'c'], 0.042],
    ['gemini-2.5-flash', ['a', 'b', 'c'], 0.035],
    ['gemini-2.5-flash', [], 0],
  ])('searches of %s for %j', async (model, webSearchQueries, dollars) => {
    const usage = { promptTokenCount: 0, candidatesTokenCount: 0 }
    expect(await costOf(model, usage, { webSearchQueries })).toBeCloseTo(dollars, 6)
  })
})

test('data of one’s own win', () => {
  const catalogue = { date: '2026-12-01', models: { 'gemini-5-pro': '2000/100 $1/2', 'gemini-3.8-flash': '9/9 $9/9' } }
  const client = createGoogle({ catalogue }).createClient({ model: 'gemini-5-pro' })
  expect(client.capabilities).toMatchObject({ contextWindow: 2000, maxOutput: 100 })
  const usage = { prompt_tokens: 1e6, completion_tokens: 0, total_tokens: 1e6 }
  expect(client.cost({ id: '', model: 'gemini-3.8-flash', created: 0, choices: [], usage })).toBe(9)
})

test.each([
  ['was blocked', { promptFeedback: { blockReason: 'SAFETY' } }],
  ['has a call that cannot be read', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', content: {} }] }],
])('the counts of an answer that %s are told, complete and streamed', async (_, body) => {
  const text = JSON.stringify({ ...body, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 } })
  const fetch: typeof globalThis.fetch = async (url) =>
    (url as string).includes('stream') ? new Response(`data: ${text}\n\n`) : new Response(text)
  const client = createGoogle({ fetch }).createClient({ model: 'gemini-2.5-flash', apiKey: 'k' })
  const told: number[] = []
  const onUsage = ({ total_tokens: total }: { total_tokens: number }): void => void told.push(total)
  const params = { messages: [{ role: 'user' as const, content: 'Hi' }] }
  await expect(client.create(params, { onUsage })).rejects.toThrow()
  await expect(client.stream!(params, { onUsage }).next()).rejects.toThrow()
  expect(told).toEqual([9, 9])
})
