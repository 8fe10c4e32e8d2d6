import { GoogleGenAI } from '@google/genai'
import { GoogleGenerativeAI } from '@google/generative-ai'
import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { googleFormat } from '@x/testing/google'
import { describe, expect, test } from 'vitest'
import { createGoogle } from './google.ts'

/** A request, without what an SDK says about itself. */
interface Request {
  readonly url: string
  readonly method: string | undefined
  readonly headers: Record<string, string>
  readonly body: unknown
}

const OWN_HEADERS = ['x-goog-api-client', 'user-agent', 'accept']

/** A `fetch` that notes one request. */
function noting(): { fetch: typeof globalThis.fetch; noted: () => Request } {
  let request: Request | undefined
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { headers, body, method } = init
    const named = Object.fromEntries(new Headers(headers))
    for (const name of OWN_HEADERS) delete named[name]
    const url = input instanceof Request ? input.url : input.toString()
    request = { url, method, headers: named, body: JSON.parse(body as string) }
    return Response.json(googleFormat.whole({ text: 'x' }))
  }
  return { fetch, noted: () => request! }
}

const KEY = 'key-of-a-test'

async function ours(config: ConfigEntry, params: ModelParams, stream: boolean): Promise<Request> {
  const { fetch, noted } = noting()
  const client = createGoogle({ fetch }).createClient({ apiKey: KEY, maxRetries: 0, ...config })
  if (stream) for await (const _ of client.stream!(params, {}));
  else await client.create(params, {})
  return noted()
}

/** What a request says, in the terms of the SDKs. */
interface Asked {
  readonly model: string
  readonly contents: { role: string; parts: { text: string }[] }[]
  readonly systemInstruction?: string
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly stopSequences?: string[]
}

async function newer(
  { model, contents, ...config }: Asked,
  options: { baseUrl?: string; apiVersion?: string; headers?: Record<string, string> },
  stream: boolean,
): Promise<Request> {
  const { fetch, noted } = noting()
  const sdk = new GoogleGenAI({ apiKey: KEY, httpOptions: { ...options, fetch } })
  if (stream) await sdk.models.generateContentStream({ model, contents, config })
  else await sdk.models.generateContent({ model, contents, config })
  return noted()
}

async function older(
  { model, contents, systemInstruction, ...generationConfig }: Asked,
  { headers, ...options }: { baseUrl?: string; apiVersion?: string; headers?: Record<string, string> },
  stream: boolean,
): Promise<Request> {
  const { fetch, noted } = noting()
  const sdk = new GoogleGenerativeAI(KEY).getGenerativeModel(
    { model, ...(systemInstruction && { systemInstruction }) },
    { ...options, ...(headers && { customHeaders: headers }) },
  )
  const before = globalThis.fetch
  globalThis.fetch = fetch
  const request = { contents, ...(Object.keys(generationConfig).length > 0 && { generationConfig }) }
  const running = stream ? sdk.generateContentStream(request) : sdk.generateContent(request)
  globalThis.fetch = before
  const result = await running
  await Promise.resolve(result.response).catch(() => {})
  return noted()
}

/** They write different roles beside a system text, which the API does not read, and empty lists and objects. */
function plain({ body, ...request }: Request): Request {
  const { systemInstruction: system, ...rest } = body as Record<string, object>
  const filled = Object.entries(rest).filter(([, value]) => Object.keys(value).length > 0)
  return { ...request, body: { ...Object.fromEntries(filled), system: system && { ...system, role: undefined } } }
}

const HI: Asked['contents'] = [{ role: 'user', parts: [{ text: 'Hi' }] }]

describe.each([false, true])('the request is the one that the SDKs make (streamed: %s)', (stream) => {
  const same = async (config: ConfigEntry, params: ModelParams, asked: Asked): Promise<void> => {
    const { baseUrl, apiVersion, defaultHeaders: headers } = config
    const options = { ...(baseUrl && { baseUrl }), apiVersion: apiVersion ?? 'v1beta', ...(headers && { headers }) }
    const mine = plain(await ours(config, params, stream))
    expect(mine).toEqual(plain(await newer(asked, options, stream)))
    expect(mine).toEqual(plain(await older(asked, options, stream)))
  }

  test.each<[string, ConfigEntry]>([
    ['a model', { model: 'gemini-2.5-flash' }],
    ['a tuned model', { model: 'tunedModels/mine-1' }],
    ['another version', { model: 'gemini-2.5-flash', apiVersion: 'v1' }],
    ['another endpoint', { model: 'gemini-2.5-flash', baseUrl: 'http://localhost:8080' }],
    ['another endpoint with a path', { model: 'gemini-2.5-flash', baseUrl: 'https://gateway.invalid/google' }],
    ['headers', { model: 'gemini-2.5-flash', defaultHeaders: { 'X-Team': 'blue' } }],
  ])('for %s', async (_, config) => {
    const params: ModelParams = { messages: [{ role: 'user', content: 'Hi' }] }
    await same(config, params, { model: config.model!, contents: HI })
  })

  test('for a conversation with parameters', async () => {
    await same(
      { model: 'gemini-2.5-flash' },
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'And now?' },
        ],
        temperature: 0.5,
        max_tokens: 100,
        stop: ['END'],
      },
      {
        model: 'gemini-2.5-flash',
        contents: [
          ...HI,
          { role: 'model', parts: [{ text: 'Hello' }] },
          { role: 'user', parts: [{ text: 'And now?' }] },
        ],
        systemInstruction: 'Be brief.',
        temperature: 0.5,
        maxOutputTokens: 100,
        stopSequences: ['END'],
      },
    )
  })

  test.each([
    ['grüße 世界 👩‍👩‍👧'],
    ['a\u2028b\u0000c'],
    ['"quoted" \\ <&>'],
    [' \n '],
    // The SDKs send half of a character as it is, and the request is refused.
    ['a\ud800', 'a\ufffd'],
  ])('for the text %j', async (text, sent = text) => {
    const params: ModelParams = { messages: [{ role: 'user', content: `a${text}` }] }
    await same({ model: 'gemini-2.5-flash' }, params, {
      model: 'gemini-2.5-flash',
      contents: [{ role: 'user', parts: [{ text: `a${sent}` }] }],
    })
  })
})
