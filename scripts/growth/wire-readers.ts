import { crc32 } from 'node:zlib'
import { createAnswerBuilder } from '../../packages/provider-kit/src/answer/answer-builder.ts'
import {
  fitsFamily,
  isNameSuffix,
  normalizeVersions,
  resolveName,
} from '../../packages/provider-kit/src/catalogue/catalogue.ts'
import { parseFacts } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import {
  convertError,
  inBandFailure,
  RefusalError,
  retryAfterMs,
} from '../../packages/provider-kit/src/failure/convert-error.ts'
import { kindOf } from '../../packages/provider-kit/src/failure/failure-kind.ts'
import { plainText } from '../../packages/provider-kit/src/failure/model-failure.ts'
import { answerHeaders } from '../../packages/provider-kit/src/http/headers.ts'
import { readFrames, readJson } from '../../packages/provider-kit/src/http/read-response.ts'
import {
  createJsonLineReader,
  createSseReader,
  type EventReader,
} from '../../packages/provider-kit/src/http/stream-events.ts'
import { isHostOf, shownUrl, withoutTrailingSlashes } from '../../packages/provider-kit/src/http/url.ts'
import { parseJson } from '../../packages/provider-kit/src/json/wire-values.ts'
import { createIdMap, createNameMap } from '../../packages/provider-kit/src/message/identifiers.ts'
import { mediaOf } from '../../packages/provider-kit/src/message/media.ts'
import { RequestSchemas } from '../../packages/provider-kit/src/schema/request-schemas.ts'
import { createEventStreamReader } from '../../packages/provider-anthropic/src/bedrock/event-stream.ts'
import { baseName as anthropicName } from '../../packages/provider-anthropic/src/own-data.ts'
import { createReader as anthropicReader } from '../../packages/provider-anthropic/src/read-answer.ts'
import { baseName as googleName } from '../../packages/provider-google/src/own-data.ts'
import { createReader as googleReader } from '../../packages/provider-google/src/read-answer.ts'
import { createResponsesReader } from '../../packages/provider-openai/src/responses/read-answer.ts'
import { alwaysThinks, ThinkTags } from '../../packages/provider-openai/src/think-tags.ts'
import type { Reader } from './growth.ts'

const MODEL_MARKS = [
  'gpt-5',
  'claude-',
  'gemini-',
  '-preview',
  '-00-0000',
  '-001',
  '-v0:0',
  ':',
  '@',
  '/',
  '.',
  '-',
  'anthropic.',
  'o1',
  '-chat',
  '\n',
]
const JSON_MARKS = ['{"a":', '[', ']', '}', '"', '\\', ',', '\\"', '"__proto__":', 'constructor']
const PAGE_MARKS = ['<', '>', '<style>', '</style>', '<script', '</script>', '<!doctype html>', '&', '"']
const STREAM_MARKS = ['data:', 'data: {}\n\n', 'event: a\n', '\n', '\r', '\r\n', ':', ': comment\n', '\uFEFF', '[DONE]']
const URL_MARKS = ['https://', '/', '//', '@', ':', '?', '#', '%', '&', '.', 'a@']

const MODEL_SOURCES = ['packages/provider-openai/src/think-tags.ts', 'packages/provider-kit/src/catalogue/catalogue.ts']

const model = (read: (text: string) => unknown): Reader => ({ read, marks: MODEL_MARKS, sources: MODEL_SOURCES })

/** Bytes of a chunk as small as a slow server may send. */
const CHUNK_BYTES = 16

/** Yields the bytes of a text in small chunks. */
function* chunksOf(text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

const events = (create: () => EventReader, inChunks: boolean) => (text: string) => {
  const reader = create()
  for (const chunk of inChunks ? chunksOf(text) : [new TextEncoder().encode(text)]) reader.push(chunk)
  return reader.end()
}

/** Writes a text as one message of an event stream of AWS without headers, and another one with the text as headers. */
function* messagesOf(text: string): Generator<Uint8Array> {
  const body = Buffer.from(text)
  for (const headersLength of [0, body.length]) {
    const message = Buffer.alloc(body.length + 16)
    message.writeUInt32BE(message.length)
    message.writeUInt32BE(headersLength, 4)
    message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
    message.set(body, 12)
    message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4)
    for (let at = 0; at < message.length; at += CHUNK_BYTES) yield message.subarray(at, at + CHUNK_BYTES)
  }
}

function messages(text: string): void {
  const reader = createEventStreamReader()
  for (const chunk of messagesOf(text)) reader.push(chunk)
}

const streamOf = (text: string, type: string): Response =>
  new Response(ReadableStream.from(chunksOf(text)), { headers: { 'content-type': type } })

async function frames(text: string): Promise<void> {
  for await (const frame of readFrames(streamOf(text, 'text/event-stream'))) void frame
}

/** Reads thoughts and text in pieces of one character, and as a whole. */
const thoughts = (alwaysThinks: boolean, inPieces: boolean) => (text: string) => {
  const out = { reasoning: () => {}, text: () => {}, textWasReasoning: () => {} }
  const tags = new ThinkTags(out, { alwaysThinks, hasReasoning: false })
  for (const piece of inPieces ? text : [text]) tags.push(piece)
  tags.end()
}

const facts = { signal: undefined, secrets: new Set(['abcdefgh']), now: () => 0, url: 'https://a.invalid' }
const names = createNameMap([], { maxLength: 64, forbidden: /[^\w-]/gu })
const builder = (): ReturnType<typeof createAnswerBuilder> => createAnswerBuilder({ model: 'm', provider: 'p', names })

/** A value that is a text, a list or an object of such values, which is sent in another form. */
const VALUE_SCHEMA = {
  $ref: '#/$defs/value',
  $defs: {
    value: {
      anyOf: [
        { type: 'string' },
        { type: 'array', items: { $ref: '#/$defs/value' } },
        { type: 'object', additionalProperties: { $ref: '#/$defs/value' } },
      ],
    },
  },
}

/** The schemas of a request for such a value. */
function otherForm(): RequestSchemas {
  const schemas = new RequestSchemas(() => {})
  schemas.answer(VALUE_SCHEMA, 'openai-strict')
  return schemas
}

/** Readers of what providers and their endpoints send. */
export const READERS: Readonly<Record<string, Reader>> = {
  resolveName: model((text) => resolveName(new Set(['gpt-5']), `gpt-5${text}`)),
  isNameSuffix: model(isNameSuffix),
  normalizeVersions: model(normalizeVersions),
  'a family with words': model((text) => fitsFamily('g*-preview*-chat', text)),
  'a family with numbers': model((text) => fitsFamily('g*-#.#-pro*', text)),
  anthropicName: model(anthropicName),
  googleName: model(googleName),
  alwaysThinks: model(alwaysThinks),
  'answers of Anthropic': model((text) => {
    const answer = builder()
    const reader = anthropicReader('claude-sonnet-4-5')
    const content = [
      { type: 'thinking', thinking: text, signature: text },
      { type: 'tool_use', id: text, name: text, input: {} },
    ]
    reader.whole!({ id: text, model: text, content, stop_reason: text, usage: {} }, answer)
    return answer.end()
  }),
  'answers of Google': model((text) => {
    const answer = builder()
    const parts = [{ text, thoughtSignature: text }, { functionCall: { name: text, id: text, args: {} } }]
    googleReader('gemini-2.5-pro').push(
      { responseId: text, modelVersion: text, candidates: [{ content: { parts }, finishReason: text }] },
      answer,
    )
    return answer.end()
  }),
  'answers of the Responses API': model((text) => {
    const answer = builder()
    const output = [
      { type: 'message', content: [{ type: 'output_text', text }] },
      { type: 'function_call', call_id: text, name: text, arguments: text },
    ]
    createResponsesReader().push(
      { type: 'response.completed', response: { id: text, model: text, status: 'completed', output } },
      answer,
    )
    return answer.end()
  }),
  parseFacts: { read: parseFacts, marks: [' ', '/', '*', '=', 'tools', '1', '+'] },
  parseJson: { read: parseJson, marks: JSON_MARKS },
  'answers in another form': {
    read: (text) => otherForm().decodeAnswer(text),
    marks: [...JSON_MARKS, '{"option_1":', '{"key":"a","value":', '{"value":'],
  },
  readJson: {
    read: async (text) => await readJson(streamOf(text, 'application/json')),
    marks: [...JSON_MARKS, ...PAGE_MARKS],
  },
  'an error body': {
    read: (text) => convertError(new RefusalError({ status: 400, headers: new Headers(), body: text }), facts),
    sources: [
      'packages/provider-kit/src/failure/convert-error.ts',
      'packages/provider-kit/src/failure/failure-kind.ts',
    ],
    marks: [...JSON_MARKS, ...PAGE_MARKS],
  },
  'a message in an error body': {
    read: (text) => inBandFailure({ error: { message: text, code: text, type: text } }),
    marks: [
      'context_length',
      'rate_limit',
      'too long',
      'tokens',
      'quota',
      'maximum',
      ' ',
      'exceed',
      'input',
      'model',
      'not found',
    ],
  },
  kindOf: {
    read: (text) => kindOf({ status: 400, code: text, type: text, message: text }),
    sources: ['packages/provider-kit/src/failure/failure-kind.ts'],
    marks: [
      'context_length',
      'rate',
      'limit',
      'too long',
      'tokens',
      'quota',
      'maximum',
      ' ',
      'exceed',
      'input',
      'model',
      'not',
      'found',
      'content',
      'filter',
    ],
  },
  plainText: { read: plainText, sources: ['packages/provider-kit/src/failure/model-failure.ts'], marks: PAGE_MARKS },
  retryAfterMs: {
    read: (text) => retryAfterMs({ get: () => text }, () => 0),
    sources: ['packages/provider-kit/src/failure/convert-error.ts'],
    marks: ['1', ',', 'Mon, ', ' ', '.', '-', 'e'],
  },
  answerHeaders: {
    read: (text) => answerHeaders({ forEach: (each) => each(text, 'x-request-id', new Headers()) }, ['abcdefgh']),
    marks: ['Bearer ', 'sk-', '?key=', 'abcdefg', '//', ':', '@'],
  },
  readFrames: { read: frames, marks: STREAM_MARKS },
  'server-sent events': { read: events(createSseReader, false), marks: STREAM_MARKS },
  'server-sent events in chunks': { read: events(createSseReader, true), marks: STREAM_MARKS },
  'event streams of AWS': {
    read: messages,
    marks: ['\u0000', '\u0001', '\u0007', '\u0007\u0000\u0001', ':message-type', 'event'],
  },
  'JSON lines': { read: events(createJsonLineReader, false), marks: STREAM_MARKS },
  'JSON lines in chunks': { read: events(createJsonLineReader, true), marks: STREAM_MARKS },
  'thoughts in tags': { read: thoughts(false, false), marks: ['<think>', '</think>', '<', '/', ' '] },
  'thoughts in tags, in pieces': { read: thoughts(false, true), marks: ['<think>', '</think>', '<', '/', ' '] },
  'thoughts of a model that always thinks': { read: thoughts(true, true), marks: ['<think>', '</think>', '<', ' '] },
  isHostOf: { read: (text) => isHostOf(text, 'a.invalid'), marks: URL_MARKS },
  shownUrl: { read: shownUrl, marks: URL_MARKS },
  withoutTrailingSlashes: { read: withoutTrailingSlashes, marks: URL_MARKS },
  mediaOf: {
    read: (text) => mediaOf({ type: 'image_url', image_url: { url: `data:${text}` } }),
    sources: ['packages/provider-kit/src/message/media.ts'],
    marks: [';', '=', ';base64,', ',', 'a/b', '%20', ' ', ';a=b', 'AAAA'],
  },
  'identifiers of calls': {
    read: (text) => text.split(' ').map(createIdMap({ maxLength: 64, forbidden: /[^\w-]/gu }, text.split(' '))),
    marks: [' ', 'call_', '!', 'a'.repeat(70)],
  },
  'names of tools': {
    read: (text) => text.split(' ').map(createNameMap(text.split(' '), { maxLength: 64, forbidden: /[^\w-]/gu }).to),
    marks: [' ', 'tool', '.', 'é', 'a'.repeat(70)],
  },
}
