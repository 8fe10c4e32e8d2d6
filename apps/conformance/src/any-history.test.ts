import type { ChatMessage, ConfigEntry, Provider, ToolCall } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { deepFrozen, exchange } from '@x/testing/provider-contract'
import type { PlainReply, WireFormat } from '@x/testing/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const PIXEL = 'data:image/png;base64,iVBORw0KGgo='
const anyId = fc.constantFrom(
  'call_1',
  'call_2',
  'functions.weather:0',
  `x${'y'.repeat(70)}`,
  `x${'y'.repeat(71)}`,
  undefined,
)
const anyName = fc.constantFrom('weather', 'geo.locate', 'a'.repeat(70), '2nd', 'wéather')
const anyText = fc.constantFrom('', ' ', 'Hello ', '\n', 'Error: no', '{"a":1}')
const anySignature = fc.constantFrom(
  undefined,
  { elsewhere: { x: 1 } },
  { anthropic: { blocks: [{ opaque: { type: 'thinking', thinking: 'H', signature: 's' } }, { call: true }] } },
  {
    google: {
      parts: [
        { text: 3, thoughtSignature: 's' },
        { call: true, thoughtSignature: 't' },
      ],
    },
  },
)

const anyCalls = fc.array(
  fc
    .record({ id: anyId, name: anyName, args: fc.constantFrom('', '{}', '{"a":1}', 'no json', '[1]') })
    .map(({ id, name, args }): ToolCall => ({ ...(id !== undefined && { id }), function: { name, arguments: args } })),
  { minLength: 1, maxLength: 3 },
)

/** A message of several agents as it may be stored: results that are missing, twice there, or of nobody's call. */
const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const), content: anyText }),
  fc.record({ role: fc.constant('assistant' as const), content: anyText, provider_metadata: anySignature }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: anyText,
    tool_calls: anyCalls,
    provider_metadata: anySignature,
  }),
  fc.record({ role: fc.constant('tool' as const), tool_call_id: anyId, content: anyText }),
  fc.array(anyId, { minLength: 1, maxLength: 3 }).map((ids): ChatMessage => ({
    role: 'tool',
    content: 'joined',
    tool_responses: ids.map((id) => ({ role: 'tool', content: 'r', ...(id !== undefined && { tool_call_id: id }) })),
  })),
  fc.constant<ChatMessage>({
    role: 'user',
    name: 'a b',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ],
  }),
)
const anyHistory = fc.array(anyMessage, { maxLength: 12 })

const targets: readonly (readonly [string, Provider, WireFormat, ConfigEntry])[] = [
  ['an older Claude', anthropic, anthropicFormat, { model: 'claude-3-haiku-20240307' }],
  ['a newer Claude', anthropic, anthropicFormat, { model: 'claude-opus-4-6', promptCache: true }],
  ['Gemini 2.5', google, googleFormat, { model: 'gemini-2.5-flash' }],
  ['Gemini 3', google, googleFormat, { model: 'gemini-3-pro-preview' }],
]

const pathOf = ({ name }: WireFormat, model: string): string =>
  name === 'google' ? `/v1beta/models/${model}:generateContent` : '/v1/messages'

const HEADERS = { 'x-api-key': '<key>', 'x-goog-api-key': '<key>', 'anthropic-version': 'x' }

describe.each(targets)('%s', (_, provider, format, entry) => {
  const whole = format.whole({ text: 'ok' })

  test('takes any history, which stays as it was', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (messages) => {
        const before = structuredClone(messages)
        const { body, error } = await exchange(
          provider,
          entry,
          { model: entry.model!, messages: deepFrozen(messages) },
          {
            whole,
          },
        )
        expect(error).toBe(undefined)
        expect(format.refusal({ method: 'POST', path: pathOf(format, entry.model!), headers: HEADERS, body })).toBe(
          undefined,
        )
        expect(messages).toEqual(before)
      }),
    )
  })

  test('takes its own answers back, whatever they are, and says the same complete and streamed', async () => {
    const anyReply: fc.Arbitrary<PlainReply> = fc.record({
      text: fc.constantFrom(undefined, 'Hello', ' x ', 'é☀️'),
      reasoning: fc.constantFrom(undefined, { text: 'Hm.', signature: 's' }),
      calls: fc
        .array(
          fc.record({
            id: fc.constantFrom('a', 'b', 'c'),
            name: fc.constantFrom('f', 'g'),
            args: fc.dictionary(fc.constantFrom('x', 'y'), fc.integer()),
          }),
          { maxLength: 3 },
        )
        .map((calls) => calls.map((call, n) => ({ ...call, id: `${call.id}${n}` }))),
    })
    await fc.assert(
      fc.asyncProperty(anyReply, async (reply) => {
        const question: ChatMessage = { role: 'user', content: 'Hi' }
        const ask = { model: entry.model!, messages: [question] }
        const once = await exchange(provider, entry, ask, { whole: format.whole(reply) })
        const streamed = await exchange(provider, entry, ask, {
          frames: format.frames(reply).map(({ data }) => JSON.parse(data) as unknown),
        })
        expect(streamed.answer!.choices).toEqual(once.answer!.choices)
        const { message } = once.answer!.choices[0]!
        const results = (message.tool_calls ?? []).map(({ id }): ChatMessage => ({
          role: 'tool',
          tool_call_id: id!,
          content: 'r',
        }))
        const messages = [question, message, ...results, question]
        const { body } = await exchange(provider, entry, { model: entry.model!, messages }, { whole })
        expect(format.refusal({ method: 'POST', path: pathOf(format, entry.model!), headers: HEADERS, body })).toBe(
          undefined,
        )
        if (reply.reasoning && (message.tool_calls?.length ?? 0) > 0) expect(JSON.stringify(body)).toContain('"s"')
      }),
    )
  })
})

test('OpenAI takes any history', async () => {
  await using server = await startFakeOpenAI({ strict: true })
  const client = openai.createClient({ model: 'gpt-4o', apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const messages: ChatMessage[] = [...history, { role: 'user', content: 'Hi' }]
      const answer = await client.create({ model: 'gpt-4o', messages: deepFrozen(messages) }, {})
      expect(answer.choices.length).toBe(1)
    }),
    { numRuns: 60 },
  )
})
