import type { ChatMessage, ConfigEntry, ModelAnswer, Provider } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { deepFreeze, exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'

const chat = (message: object): object => ({
  choices: [{ index: 0, message: { role: 'assistant', content: 'So it is.', ...message }, finish_reason: 'stop' }],
})

interface Side {
  readonly name: string
  readonly provider: Provider
  readonly entry: ConfigEntry
  /** An answer with a part that only this provider can read, and an image if it supports them. */
  readonly whole: object
  /** Words of the note for the part. */
  readonly note: string
  /** Text of the part where it goes back. */
  readonly own?: string
  readonly image?: true
}

const sides: readonly Side[] = [
  {
    name: 'anthropic',
    provider: anthropic,
    entry: { model: 'claude-opus-5' },
    whole: {
      ...anthropicFormat.whole({ text: '' }),
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'sun' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'text', text: 'So it is.' },
      ],
    },
    note: '[server_tool_use: {"name":"web_search","input":{"query":"sun"}}]',
    own: '"srvtoolu_1"',
  },
  {
    name: 'google',
    provider: google,
    entry: { model: 'gemini-3-pro-image', sdk: 'fetch' },
    whole: {
      candidates: [
        {
          content: {
            parts: [
              { executableCode: { language: 'PYTHON', code: 'print(7)' }, thoughtSignature: 'c2ln' },
              { text: 'So it is.' },
              { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, thoughtSignature: 'c2ln' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    },
    note: '[executableCode: {"executableCode":{"language":"PYTHON","code":"print(7)"}}]',
    own: '"executableCode"',
    image: true,
  },
  {
    name: 'responses',
    provider: openai,
    entry: { model: 'gpt-5.5', api: 'responses' },
    whole: {
      ...responsesFormat.whole({ text: '' }),
      output: [
        { id: 'ci_1', type: 'code_interpreter_call', code: 'print(7)', container_id: 'c', outputs: null },
        { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' },
        { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So it is.' }] },
      ],
    },
    note: '[code_interpreter_call: {"code":"print(7)","outputs":null}]',
    own: '"ci_1"',
    image: true,
  },
  {
    name: 'chat',
    provider: openai,
    entry: { model: 'mistral-large', baseUrl: 'https://api.mistral.ai/v1' },
    whole: chat({
      content: [
        { type: 'text', text: 'So it is.' },
        { type: 'reference', reference_ids: [7] },
      ],
    }),
    note: '[reference: {"reference_ids":[7]}]',
  },
]

const QUESTION: ChatMessage = { role: 'user', content: 'Hi' }
const OK = { anthropic: anthropicFormat, google: googleFormat, responses: responsesFormat }

const answerOf = async ({ provider, entry, whole }: Side): Promise<ModelAnswer> => {
  const params = { model: entry.model!, messages: [QUESTION] }
  const { answer, error } = await exchange(provider, { baseUrl: undefined, ...entry }, params, { whole })
  if (!answer) throw error
  return answer
}

const bodyOf = async ({ name, provider, entry }: Side, messages: ChatMessage[]): Promise<string> => {
  const whole = name === 'chat' ? chat({}) : OK[name as keyof typeof OK].whole({ text: 'ok' })
  const params = deepFreeze({ model: entry.model!, messages })
  const { body, error } = await exchange(provider, { baseUrl: undefined, ...entry }, params, { whole })
  expect(error).toBeUndefined()
  return JSON.stringify(body)
}

/** A text as it stands inside JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

describe.each(sides)('X30: a part that only $name can read', (from) => {
  test.each(sides)('goes back to it, and is a note for others: $name', async (to) => {
    const { choices } = await answerOf(from)
    const body = await bodyOf(to, [QUESTION, choices[0]!.message, { role: 'user', content: 'And then?' }])
    // By chat completions, only text and calls go back.
    const isOwn = to === from && from.own !== undefined
    expect(body.includes(quoted(from.note))).toBe(!isOwn)
    if (from.own) expect(body.includes(from.own)).toBe(isOwn)
    if (from.image) expect([body.includes('[image (image/png)]'), body.includes('iVBORw')]).toEqual([!isOwn, isOwn])
    expect(body).toContain('So it is.')
  })

  test.each(sides)('is a note in an answer of another agent: $name', async (to) => {
    const client = from.provider.createClient({ apiKey: 'key', ...from.entry })
    const [said] = client.messageRetrieval(await answerOf(from)) as ChatMessage[]
    const body = await bodyOf(to, [{ ...said!, role: 'user', name: 'painter' }])
    expect(body).toContain(quoted(from.note))
    if (from.image) expect([body.includes('[image (image/png)]'), body.includes('iVBORw')]).toEqual([false, true])
  })
})
