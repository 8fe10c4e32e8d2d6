import * as model from '@x/model'
import { providerContract, type PlainAnswer, type PlainPart, type WireMeaning } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { acme } from './acme.ts'

/** A part of a turn as Acme takes it. */
interface AcmePart {
  text?: string
  image?: { type: string; base64: string }
  call?: { id: string; name: string; args: object }
  result?: { id: string; text: string; failed: boolean }
}

/** A request as Acme takes it. */
interface AcmeRequest {
  model: string
  stream?: true
  system: string
  turns: { role: 'user' | 'assistant'; parts: AcmePart[] }[]
  tools?: { name: string; description?: string; parameters?: object }[]
  choice?: 'none' | 'required' | { name: string }
  limit?: number
  temperature?: number
  top_p?: number
  stop?: string[]
}

function decodePart({ text, image, call, result }: AcmePart): PlainPart {
  if (image) return { type: 'image', mediaType: image.type, data: image.base64 }
  if (call) return { type: 'call', ...call }
  if (!result) return { type: 'text', text: text! }
  return { type: 'result', id: result.id, failed: result.failed, parts: [{ type: 'text', text: result.text }] }
}

/** Writes an answer as Acme sends it, piece by piece. */
function pieces({ id, model, pieces: given, usage }: PlainAnswer): object[] {
  const words = given.map((piece): object => {
    if (piece.type === 'text') return { text: piece.text }
    if (piece.type === 'reasoning') return { thought: piece.text }
    if (piece.type === 'call') return { call: { id: piece.id, name: piece.name, args: piece.args } }
    return {
      stop: piece.type === 'finish' && piece.word,
      ...(usage && { tokens: { in: usage.prompt, out: usage.completion } }),
    }
  })
  return [{ id, model }, ...words]
}

const meaning: WireMeaning = {
  decode(body) {
    const {
      model,
      stream = false,
      system,
      turns,
      tools,
      choice,
      limit,
      top_p,
      ...rest
    } = body as unknown as AcmeRequest
    const messages = turns.map(({ role, parts }) => ({ role, parts: parts.map(decodePart) }))
    return {
      ...{ model, stream, tools, ...rest },
      messages: [
        ...(system ? [{ role: 'system' as const, parts: [{ type: 'text' as const, text: system }] }] : []),
        ...messages,
      ],
      choice,
      ...(limit !== undefined && { maxTokens: limit }),
      ...(top_p !== undefined && { topP: top_p }),
    }
  },
  whole: (answer) => ({ pieces: pieces(answer) }),
  frames: (answer) => pieces(answer).map((piece) => `data: ${JSON.stringify(piece)}\n\n`),
  finish: { done: 'stop', calls: 'tool_calls', length: 'length', refused: 'content_filter' },
  lacks: [
    ...([
      'image-links',
      'files',
      'result-images',
      'result-names',
      'parallel_tool_calls',
      'n',
      'json',
      'schema',
    ] as const),
    ...(['schema-with-tools', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'] as const),
    ...(['answer-created', 'reasoning-history', 'usage-cached', 'usage-reasoning'] as const),
  ],
  alternates: true,
  ids: /^[\w-]{1,32}$/u,
  names: /^[\w-]{1,64}$/u,
  url: 'https://api.acme.invalid/generate',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  environmentKey: 'ACME_API_KEY',
  facts: {
    capabilities: {
      tools: true,
      images: true,
      structuredOutput: 'none',
      streaming: true,
      contextWindow: 128_000,
      maxOutput: 8192,
    },
    provider: { module: { specifier: 'x-provider-acme', export: 'acme' } },
    price: { input: 1, output: 4 },
  },
  key: 'acme',
  errorBodies: ['{"error":{"type":"overloaded"}}'],
}

providerContract(
  { describe, test, expect },
  {
    ...{ provider: acme, model, config: { model: 'acme-1' }, meaning },
    failures: [
      { status: 401, body: '{"error":{"message":"no such key"}}', kind: 'auth' },
      { status: 404, body: '{"error":{"message":"no such model"}}', kind: 'not-found' },
      { status: 429, body: '{}', headers: { 'retry-after': '2' }, kind: 'rate-limit', retryAfterMs: 2000 },
      { status: 500, body: '', kind: 'server' },
    ],
    errorFrame: { text: 'data: {"error":{"type":"overloaded"}}\n\n', kind: 'overloaded' },
    unknownFrame: 'data: {"weather":"fine"}\n\n',
  },
)
