import type { ConfigEntry, ModelEvent } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { describe, expect, it } from 'vitest'

/** Milliseconds for a call; names that made expressions backtrack took seconds at 48 characters, and doubled with each further one. */
const LIMIT_MS = 5000

/** Longest name that a caller sees. */
const MAX_NAME_LENGTH = 256

const PROVIDERS = { openai, anthropic, google } as const
type ProviderName = keyof typeof PROVIDERS

const MODELS: Readonly<Record<ProviderName, string>> = {
  openai: 'gpt-5',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-pro',
}

/** An answer whose names are all the hostile one. */
const BODIES: Readonly<Record<ProviderName, (name: string) => object>> = {
  openai: (name) => ({
    id: name,
    object: 'chat.completion',
    created: 1,
    model: name,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'hi',
          tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
        },
        finish_reason: name,
      },
    ],
  }),
  anthropic: (name) => ({
    id: name,
    type: 'message',
    role: 'assistant',
    model: name,
    content: [
      { type: 'thinking', thinking: 'x', signature: 's' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 'c', name, input: {} },
    ],
    stop_reason: name,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  google: (name) => ({
    responseId: name,
    modelVersion: name,
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'hi', thoughtSignature: 'abc' }, { functionCall: { name, args: {} } }],
        },
        finishReason: name,
      },
    ],
  }),
}

const hostileNames = (own: string): string[] => [
  `${own}${'-preview-00-0000'.repeat(2000)}A`,
  `${own}${'-001'.repeat(2000)}${'-00-0000'.repeat(2000)}!`,
  `${own}@${':'.repeat(30_000)}\n@`,
  `${own}-v0:0${'-preview-00-0000-v0.0'.repeat(1000)}A`,
  `${'anthropic.'.repeat(3000)}/${own}`,
]

describe.each(Object.keys(PROVIDERS) as ProviderName[])('a hostile answer by %s', (provider) => {
  const own = MODELS[provider]
  const modelOf = (fetch: typeof globalThis.fetch): ReturnType<ReturnType<typeof llmConfig>['createModel']> => {
    const entry: ConfigEntry = {
      apiType: provider,
      model: own,
      apiKey: 'k',
      baseUrl: 'https://a.invalid/v1',
      fetch,
      maxRetries: 0,
    }
    return llmConfig({ providers: [PROVIDERS[provider]], configList: [entry], cacheSeed: null }).createModel({
      io: { send: () => {}, input: () => '' },
    })
  }
  const messages = [{ role: 'user' as const, content: 'hi' }]

  it.each(hostileNames(own))('has its names read in no time, and cut: %.40s', async (name) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r'.repeat(10_000) }
    const model = modelOf(async () => new Response(JSON.stringify(BODIES[provider](name)), { headers }))
    const before = performance.now()
    const answer = await model.create({ messages })
    expect(performance.now() - before).toBeLessThan(LIMIT_MS)
    expect(answer.choices[0]!.message.content).toBe('hi')
    const [call] = answer.choices[0]!.message.tool_calls!
    for (const each of [answer.model, answer.id, answer.choices[0]!.finish_reason, call!.function.name]) {
      expect(each!.length).toBeLessThanOrEqual(MAX_NAME_LENGTH)
    }
  })

  it('has its failure cut', async () => {
    const long = 'x'.repeat(100_000)
    const error = { message: long, code: long, type: long, param: long, status: long }
    const headers = { 'content-type': 'application/json', 'request-id': 'r'.repeat(10_000) }
    const model = modelOf(async () => new Response(JSON.stringify({ error, message: long }), { status: 400, headers }))
    const failure = (await model.create({ messages }).catch((thrown: unknown) => thrown)) as Error & { details: object }
    expect(failure.message.length + JSON.stringify(failure.details).length).toBeLessThan(20_000)
  })
})

it('a stream with a hostile model of Anthropic keeps its names short', async () => {
  const name = `claude-sonnet-4-5@${':'.repeat(30_000)}\n@`
  const events = [
    {
      type: 'message_start',
      message: {
        id: name,
        type: 'message',
        role: 'assistant',
        model: name,
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const entry: ConfigEntry = {
    apiType: 'anthropic',
    model: 'claude-sonnet-4-5',
    apiKey: 'k',
    baseUrl: 'https://a.invalid',
    fetch,
  }
  const model = llmConfig({ providers: [anthropic], configList: [entry], cacheSeed: null }).createModel({
    io: { send: () => {}, input: () => '' },
  })
  const before = performance.now()
  const seen: ModelEvent[] = []
  for await (const event of model.createStream({ messages: [{ role: 'user', content: 'hi' }] })) seen.push(event)
  expect(performance.now() - before).toBeLessThan(LIMIT_MS)
  const start = seen.find((event) => event.type === 'start')
  expect(start!.model.length).toBeLessThanOrEqual(MAX_NAME_LENGTH)
  expect(start!.id.length).toBeLessThanOrEqual(MAX_NAME_LENGTH)
})
