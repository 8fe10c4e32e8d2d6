import type { ChatMessage, ConfigEntry, ContentPart, Provider, ToolCall } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import type { WireFormat } from '@x/testing/wire'
import fc from 'fast-check'

const PIXEL_URL = 'data:image/png;base64,iVBORw0KGgo='
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
  {
    openai: {
      items: [
        { type: 'reasoning', id: 'rs_1', status: 'completed', summary: [], encrypted_content: 's' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'message', id: 'msg_1_after_rs_1', status: 'completed', content: [{ type: 'output_text', length: 6 }] },
        { type: 'reasoning', id: 'rs_2', summary: [] },
        { type: 'function_call', id: 'fc_1_after_rs_2', call_id: 'call_1', status: 'completed' },
        { type: 'computer_call', id: 'cu_1', call_id: 'call_3', status: 'completed' },
        { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: 't' },
        { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2' },
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

/** Parts that a tool may return. */
const anyParts = fc.array(
  fc.constantFrom<ContentPart>(
    { type: 'text', text: 'So' },
    { type: 'text', text: '' },
    { type: 'image_url', image_url: { url: PIXEL_URL } },
    { type: 'image_url', image_url: { url: 'https://x.invalid/a.png' } },
    { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
  ),
  { maxLength: 4 },
)

/** A stored message of several agents: results may be missing, duplicate, or without a call. */
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
  fc.array(fc.tuple(anyId, anyParts), { minLength: 1, maxLength: 3 }).map((given): ChatMessage => ({
    role: 'tool',
    content: 'joined',
    tool_responses: given.map(([id, content]) => ({
      ...{ role: 'tool', content },
      ...(id !== undefined && { tool_call_id: id }),
    })),
  })),
  fc.record({
    role: fc.constantFrom('assistant' as const, 'tool' as const, 'system' as const),
    tool_call_id: anyId,
    content: fc.constant<ChatMessage['content']>([
      { type: 'text', text: 'So' },
      { type: 'text', text: ' ' },
      { type: 'image_url', image_url: { url: PIXEL_URL } },
      { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ]),
  }),
  fc.constant<ChatMessage>({
    role: 'assistant',
    content: 'So far',
    provider_metadata: {
      anthropic: {
        paused: true,
        blocks: [{ text: 6 }, { opaque: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} } }],
      },
    },
  }),
  fc.constant<ChatMessage>({
    role: 'user',
    name: 'a b',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: PIXEL_URL } },
    ],
  }),
)
/** An untidy stored conversation of several agents. */
export const anyHistory: fc.Arbitrary<ChatMessage[]> = fc.array(anyMessage, { maxLength: 12 })

/** Adapters, each with one model of every generation that takes different requests. */
export const targets: readonly (readonly [string, Provider, WireFormat, ConfigEntry])[] = [
  ['an older Claude', anthropic, anthropicFormat, { model: 'claude-3-haiku-20240307' }],
  [
    'a Claude with a budget for thinking',
    anthropic,
    anthropicFormat,
    { model: 'claude-sonnet-4-5', promptCache: '1h' },
  ],
  ['a newer Claude', anthropic, anthropicFormat, { model: 'claude-opus-4-6', promptCache: true }],
  ['the newest Claude', anthropic, anthropicFormat, { model: 'claude-opus-5' }],
  ['GPT-5 by the Responses API', openai, responsesFormat, { model: 'gpt-5-mini', api: 'responses' }],
  ['GPT-4o by the Responses API', openai, responsesFormat, { model: 'gpt-4o', api: 'responses' }],
  ['Gemini 2.5', google, googleFormat, { model: 'gemini-2.5-flash' }],
  ['Gemini 3', google, googleFormat, { model: 'gemini-3-pro-preview' }],
]

/** Returns the reason why the real endpoint would refuse a body; nothing for a valid one. */
export function refusalOf(format: WireFormat, entry: ConfigEntry, body: Record<string, unknown>): string | undefined {
  const path = format.name === 'google' ? `/v1beta/models/${entry.model}:generateContent` : '/v1/messages'
  const headers = { 'x-api-key': '<key>', 'x-goog-api-key': '<key>', 'anthropic-version': 'x' }
  return format.refusal({ method: 'POST', path, query: {}, headers, body })?.message
}
