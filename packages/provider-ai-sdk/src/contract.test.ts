import { createMistral } from '@ai-sdk/mistral'
import type { ConfigEntry, Provider } from '@x/interfaces'
import { createTransport } from '@x/provider-kit'
import { providerContract, type ProviderRecording } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { aiSdk } from './index.ts'

/** Adds the key of a config, which may be a function, to the requests of the package. */
function withKey({ apiKey, fetch }: ConfigEntry): typeof globalThis.fetch {
  return createTransport(async (input, init) => {
    const headers = new Headers(init?.headers)
    if (typeof apiKey === 'function') headers.set('authorization', `Bearer ${await apiKey()}`)
    return await fetch!(input, { ...init, headers: Object.fromEntries(headers) })
  })
}

/** Mistral by its package, with the endpoint, the key and the `fetch` of the suite. */
const mistral: Provider = {
  name: 'mistral',
  apiTypes: ['ai-sdk'],
  specVersion: 1,
  clientKeys: aiSdk.clientKeys,
  createClient(config) {
    const { apiKey, baseUrl, fetch: _, ...rest } = config
    const key = typeof apiKey === 'string' ? apiKey : 'of-a-function'
    const create = createMistral({ apiKey: key, baseURL: `${baseUrl}/v1`, fetch: withKey(config) })
    return aiSdk.createClient({ ...rest, languageModel: create('mistral-large-latest') })
  },
}

const HEAD = { id: 'm-1', created: 1, model: 'mistral-large-latest' }
const USAGE = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 }

/** Writes an answer as Mistral gives it, complete and streamed. */
function recording(
  name: string,
  { message, deltas, finish }: { message: object; deltas: object[]; finish: string },
  says: Omit<ProviderRecording['says'], 'usage'>,
): ProviderRecording {
  const frame = (data: object): string => writeFrame({ data: JSON.stringify({ ...HEAD, ...data }) })
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
  return {
    name,
    whole: JSON.stringify({ ...HEAD, object: 'chat.completion', choices: [choice], usage: USAGE }),
    stream: [
      ...deltas.map((delta) => frame({ choices: [{ index: 0, delta, finish_reason: null }] })),
      frame({ choices: [{ index: 0, delta: { content: '' }, finish_reason: finish }], usage: USAGE }),
      writeFrame({ data: '[DONE]' }),
    ].join(''),
    says: { ...says, usage: { prompt: 9, completion: 7 } },
  }
}

const call = (id: string, args: string): object => ({ id, function: { name: 'weather', arguments: args } })
const thought = (text: string): object[] => [{ type: 'thinking', thinking: [{ type: 'text', text }] }]
const error = (message: string): string =>
  JSON.stringify({ object: 'error', message, type: 'invalid_request_error', param: null, code: null })

providerContract(
  { describe, test, expect },
  {
    provider: mistral,
    config: { model: 'mistral-large-latest' },
    recordings: [
      recording(
        'a text',
        {
          message: { content: 'Sunny – 22 °C' },
          deltas: [{ role: 'assistant', content: '' }, { content: 'Sunny – ' }, { content: '22 °C' }],
          finish: 'stop',
        },
        { text: 'Sunny – 22 °C', finish: 'stop' },
      ),
      recording(
        'a thought',
        {
          message: { content: [...thought('Hm.'), { type: 'text', text: 'Yes' }] },
          deltas: [{ content: thought('H') }, { content: thought('m.') }, { content: 'Yes' }],
          finish: 'length',
        },
        { text: 'Yes', reasoning: 'Hm.', finish: 'length' },
      ),
      recording(
        'two calls',
        {
          message: { content: '', tool_calls: [call('abcdefgh1', '{"city":"Rome"}'), call('abcdefgh2', '{}')] },
          deltas: [
            { content: '', tool_calls: [{ index: 0, ...call('abcdefgh1', '{"city":"Rome"}') }] },
            { content: '', tool_calls: [{ index: 1, ...call('abcdefgh2', '{}') }] },
          ],
          finish: 'tool_calls',
        },
        {
          text: '',
          calls: [
            { name: 'weather', arguments: '{"city":"Rome"}' },
            { name: 'weather', arguments: '{}' },
          ],
          finish: 'tool_calls',
        },
      ),
    ],
    failures: [
      { status: 400, body: error('prompt is too long: maximum context length is 131072'), kind: 'context-overflow' },
      { status: 401, body: '{"message":"Unauthorized"}', kind: 'auth' },
      { status: 404, body: error('no such model'), kind: 'not-found' },
      {
        status: 429,
        body: error('slow down'),
        headers: { 'retry-after': '7' },
        kind: 'rate-limit',
        retryAfterMs: 7000,
      },
      { status: 500, body: '', kind: 'server' },
      { status: 503, body: '<html>busy</html>', kind: 'overloaded' },
    ],
    unknownFrame: writeFrame({ data: JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: {} }] }) }),
  },
)

test('a failure shows no header of an entry, of which null removes one', async () => {
  const fail = async (): Promise<never> => await Promise.reject(new Error('no: key-of-the-header'))
  const languageModel = { specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate: fail }
  const defaultHeaders = { 'x-key': 'Bearer key-of-the-header', 'x-none': null } as never
  const client = aiSdk.createClient({ languageModel: { ...languageModel, doStream: fail }, defaultHeaders })
  const asked = client.create({ messages: [{ role: 'user', content: 'Hi' }] }, {})
  await expect(asked).rejects.toThrow('asking `p/m` failed: no: [redacted]')
})
