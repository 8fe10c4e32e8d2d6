import { providerContract, type PlainAnswer, type PlainPart, type WireMeaning } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { ollamaChat } from './ollama-chat.ts'

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  images?: string[]
  tool_calls?: { id: string; function: { name: string; arguments: object } }[]
  tool_name?: string
  tool_call_id?: string
}

/** Refuses a request as the server does. */
function refuse(what: unknown): never {
  throw new TypeError(`Ollama refuses ${JSON.stringify(what)}`)
}

function decodeMessage({ role, content, images = [], ...message }: Message): {
  role: Message['role']
  parts: PlainPart[]
} {
  const parts: PlainPart[] = [
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    // The server tells the format of an image by its first bytes.
    ...images.map((data): PlainPart => ({
      ...{ type: 'image', data },
      mediaType: data.startsWith('iVBOR') ? 'image/png' : 'image/gif',
    })),
  ]
  if (message.tool_calls?.length === 0) refuse(message)
  if (role === 'tool') {
    return { role, parts: [{ type: 'result', id: message.tool_call_id, name: message.tool_name, parts }] }
  }
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }): PlainPart => ({
    ...{ type: 'call', id, name, args },
  }))
  return { role, parts: [...parts, ...calls] }
}

const decode: WireMeaning['decode'] = (given) => {
  const body = given as unknown as {
    model: string
    stream?: boolean
    messages: Message[]
    tools?: { type: string; function: { name: string; description?: string; parameters: object } }[]
    format?: 'json' | object
    think?: string | boolean
    options?: Record<string, number> & { stop?: string[] }
  }
  const { options = {}, think } = body
  return {
    model: body.model,
    // A stream is the default of the wire.
    stream: body.stream ?? true,
    messages: body.messages.map(decodeMessage),
    tools: body.tools?.map((tool) => (tool.type === 'function' ? tool.function : refuse(tool))),
    maxTokens: options['num_predict'],
    temperature: options['temperature'],
    topP: options['top_p'],
    topK: options['top_k'],
    stop: options.stop,
    seed: options['seed'],
    presencePenalty: options['presence_penalty'],
    frequencyPenalty: options['frequency_penalty'],
    effort: think === undefined ? undefined : effortOf(think),
    format: body.format,
  }
}

/** Returns the level that the model thinks with. */
function effortOf(think: string | boolean): string {
  if (typeof think === 'boolean') return think ? 'high' : 'none'
  return ['low', 'medium', 'high'].includes(think) ? think : refuse(think)
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Writes one line of a stream, or a complete answer. */
const bodyOf = (answer: PlainAnswer, message: object, finish?: string): object => ({
  model: answer.model,
  created_at: new Date(answer.created * 1000).toISOString(),
  message: { role: 'assistant', content: '', ...message },
  done: finish !== undefined,
  ...(finish !== undefined && { done_reason: finish }),
  ...(finish !== undefined &&
    answer.usage && { prompt_eval_count: answer.usage.prompt, eval_count: answer.usage.completion }),
})

const callOf = ({ id, name, args }: { id: string; name: string; args: object }): object => ({
  id,
  function: { name, arguments: args },
})

const meaning: WireMeaning = {
  decode,
  whole(answer) {
    const [{ reasoning, text, calls, finish }] = answer.choices as [PlainAnswer['choices'][number]]
    const message = {
      content: text,
      ...(reasoning !== '' && { thinking: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
    }
    return bodyOf(answer, message, finish)
  },
  frames: (answer) =>
    answer.pieces.map((piece) => {
      if (piece.type === 'text') return line(bodyOf(answer, { content: piece.text }))
      if (piece.type === 'reasoning') return line(bodyOf(answer, { thinking: piece.text }))
      if (piece.type === 'call') return line(bodyOf(answer, { tool_calls: [callOf(piece)] }))
      return line(bodyOf(answer, {}, piece.type === 'finish' ? piece.word : undefined))
    }),
  finish: { stop: 'stop', length: 'length' },
  lacks: [
    ...(['files', 'image-links', 'image-order', 'result-failures', 'choice-required', 'choice-named'] as const),
    ...(['parallel_tool_calls', 'n', 'answer-id', 'reasoning-history', 'usage-cached', 'usage-reasoning'] as const),
  ],
  ids: /^[\w-]{1,64}$/u,
  names: /^[\w.-]{1,64}$/u,
  url: 'http://localhost:11434/api/chat',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  environmentKey: 'OLLAMA_API_KEY',
  facts: {
    capabilities: { tools: true, images: true, structuredOutput: 'schema', streaming: true },
    provider: { name: 'ollama-chat' },
  },
  key: 'ollama',
  errorBodies: ['{"error":"the model is overloaded"}'],
}

providerContract(
  { describe, test, expect },
  {
    ...{ provider: ollamaChat, config: { model: 'qwen3' }, meaning },
    failures: [
      { status: 401, body: '{"error":"unauthorized"}', kind: 'auth' },
      { status: 404, body: '{"error":"model \\"qwen3\\" not found"}', kind: 'not-found' },
      {
        status: 429,
        body: '{"error":"too many requests"}',
        headers: { 'retry-after': '2' },
        kind: 'rate-limit',
        retryAfterMs: 2000,
      },
      { status: 500, body: '{"error":"internal error"}', kind: 'server' },
    ],
    errorFrame: { text: line({ error: 'the model is overloaded' }), kind: 'overloaded' },
    unknownFrame: line({ novel: true }),
  },
)
