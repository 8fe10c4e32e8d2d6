import { providerContract, type PlainAnswer, type PlainPart, type WireMeaning } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { cohere } from './cohere.ts'

interface Part {
  type: string
  text?: string
  thinking?: string
  image_url?: { url: string }
}

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content?: string | Part[]
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** Refuses a request as the server does. */
function refuse(what: unknown): never {
  throw new TypeError(`Cohere refuses ${JSON.stringify(what)}`)
}

function decodePart(part: Part): PlainPart {
  const { type, text, thinking, image_url: image } = part
  if (type === 'text' && text) return { type, text }
  if (type === 'thinking' && thinking) return { type: 'reasoning', text: thinking }
  if (type !== 'image_url' || !image) return refuse(part)
  const [head = '', data] = image.url.split(';base64,')
  if (data === undefined) return { type: 'link', url: image.url }
  const mediaType = head.slice('data:'.length)
  return mediaType.startsWith('image/') ? { type: 'image', mediaType, data } : refuse(mediaType)
}

function decodeMessage(message: Message): { role: Message['role']; parts: PlainPart[] } {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  if (content?.length === 0 || calls?.length === 0 || (!content && !calls)) refuse(message)
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const parts = texts.map(decodePart)
  if (role === 'tool') return { role, parts: [{ type: 'result', id, parts }] }
  const called = (calls ?? []).map(({ id: callId, type, function: { name, arguments: args } }): PlainPart => ({
    ...{ type: type === 'function' ? 'call' : refuse(message), id: callId, name },
    args: JSON.parse(args) as unknown,
  }))
  return { role, parts: [...parts, ...called] }
}

const decode: WireMeaning['decode'] = (given) => {
  const body = given as unknown as {
    model: string
    stream?: boolean
    messages: Message[]
    tools?: { type: string; function: { name: string; description?: string; parameters: object } }[]
    tool_choice?: string
    max_tokens?: number
    temperature?: number
    p?: number
    k?: number
    stop_sequences?: string[]
    seed?: number
    presence_penalty?: number
    frequency_penalty?: number
    response_format?: { type: string; json_schema?: object }
  }
  const { response_format: format } = body
  if (format && format.type !== 'json_object') refuse(format)
  return {
    model: body.model,
    stream: body.stream ?? false,
    messages: body.messages.map(decodeMessage),
    tools: body.tools?.map((tool) => (tool.type === 'function' ? tool.function : refuse(tool))),
    choice: ({ NONE: 'none', REQUIRED: 'required' } as const)[body.tool_choice ?? ''],
    maxTokens: body.max_tokens,
    temperature: body.temperature,
    topP: body.p,
    topK: body.k,
    stop: body.stop_sequences,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    format: format && (format.json_schema ?? 'json'),
  }
}

const usageOf = ({ usage }: PlainAnswer): object =>
  usage
    ? {
        usage: {
          billed_units: { input_tokens: 1, output_tokens: 1 },
          tokens: { input_tokens: usage.prompt, output_tokens: usage.completion },
          ...(usage.cached !== undefined && { cached_tokens: usage.cached }),
        },
      }
    : {}

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** Tells an answer with calls, before which the model says what it plans. */
const hasPlan = ({ choices: [choice] }: PlainAnswer): boolean => choice!.calls.length > 0

/** Writes a piece of a stream; the first piece of the arguments of a call comes with its beginning. */
function frameOf(piece: PlainAnswer['pieces'][number], answer: PlainAnswer, at: number): string {
  const message = (fields: object): object => ({ delta: { message: fields } })
  switch (piece.type) {
    case 'text':
      // The first frame of a content begins it.
      return event(answer.pieces.findIndex(({ type }) => type === 'text') === at ? 'content-start' : 'content-delta', {
        ...{ index: 0, ...message({ content: { type: 'text', text: piece.text } }) },
      })
    case 'reasoning':
      return hasPlan(answer)
        ? event('tool-plan-delta', message({ tool_plan: piece.text }))
        : event('content-delta', { index: 0, ...message({ content: { thinking: piece.text } }) })
    case 'callStart': {
      const { id, name, call: index } = piece
      const called = { name, arguments: firstArguments(answer, index)?.text ?? '' }
      return event('tool-call-start', { index, ...message({ tool_calls: { id, type: 'function', function: called } }) })
    }
    case 'callDelta': {
      if (piece === firstArguments(answer, piece.call)) return ''
      const { text, call: index } = piece
      return event('tool-call-delta', { index, ...message({ tool_calls: { function: { arguments: text } } }) })
    }
    case 'callEnd':
      return event('tool-call-end', { index: piece.call })
    case 'finish':
      return event('message-end', { id: answer.id, delta: { finish_reason: piece.word, ...usageOf(answer) } })
    default:
      return ''
  }
}

type ArgumentPiece = Extract<PlainAnswer['pieces'][number], { type: 'callDelta' }>

const firstArguments = ({ pieces }: PlainAnswer, call: number): ArgumentPiece | undefined =>
  pieces.find((piece): piece is ArgumentPiece => piece.type === 'callDelta' && piece.call === call)

const meaning: WireMeaning = {
  decode,
  whole: (answer) => {
    const [{ reasoning, text, calls, finish }] = answer.choices as [PlainAnswer['choices'][number]]
    return {
      id: answer.id,
      message: {
        role: 'assistant',
        content: [
          ...(reasoning === '' || calls.length > 0 ? [] : [{ type: 'thinking', thinking: reasoning }]),
          ...(text === '' ? [] : [{ type: 'text', text }]),
        ],
        ...(reasoning !== '' && calls.length > 0 && { tool_plan: reasoning }),
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        }),
      },
      finish_reason: finish,
      ...usageOf(answer),
    }
  },
  frames: (answer) => [
    event('message-start', { id: answer.id, delta: { message: { role: 'assistant', content: [] } } }),
    ...answer.pieces.map((piece, at) => frameOf(piece, answer, at)),
  ],
  finish: { COMPLETE: 'stop', STOP_SEQUENCE: 'stop', MAX_TOKENS: 'length', TOOL_CALL: 'tool_calls' },
  calls: 'interleaved',
  lacks: [
    ...(['files', 'result-images', 'result-names', 'result-failures', 'choice-named', 'parallel_tool_calls'] as const),
    ...(['reasoning_effort', 'n', 'schema-with-tools', 'answer-model', 'answer-created', 'usage-reasoning'] as const),
  ],
  ids: /^[\w-]{1,64}$/u,
  names: /^\w{1,64}$/u,
  url: 'https://api.cohere.com/v2/chat',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  environmentKey: 'CO_API_KEY',
  facts: {
    capabilities: {
      tools: true,
      images: true,
      structuredOutput: 'schema',
      streaming: true,
      contextWindow: 256_000,
      maxOutput: 8192,
    },
    price: { input: 2.5, output: 10 },
    provider: { name: 'cohere' },
  },
  key: 'cohere',
  errorBodies: ['{"message":"the model is overloaded"}'],
  errorFrames: [
    { text: 'data: {"message":"the model is overloaded"}\n\n', kind: 'overloaded' },
    { text: 'data: {"error":{"message":"the model is overloaded"}}\n\n', kind: 'overloaded' },
    { text: event('message-end', { delta: { error: 'the model is overloaded' } }), kind: 'overloaded' },
    { text: event('message-end', { delta: { finish_reason: 'ERROR' } }), kind: 'server' },
  ],
}

providerContract(
  { describe, test, expect },
  {
    ...{ provider: cohere, config: { model: 'command-a-03-2025' }, meaning },
    failures: [
      { status: 401, body: '{"message":"invalid api token"}', kind: 'auth' },
      { status: 404, body: '{"message":"model not found"}', kind: 'not-found' },
      {
        status: 429,
        body: '{"message":"too many requests"}',
        headers: { 'retry-after': '2' },
        kind: 'rate-limit',
        retryAfterMs: 2000,
      },
      { status: 500, body: '{"message":"internal error"}', kind: 'server' },
    ],
    errorFrame: {
      text: event('message-end', { delta: { finish_reason: 'ERROR', error: 'the model is overloaded' } }),
      kind: 'overloaded',
    },
    unknownFrame: event('debug', { prompt: 'none' }),
  },
)
