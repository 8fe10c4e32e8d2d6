import type { PlainAnswer, PlainPart, WireMeaning } from '@x/testing/provider-contract'

interface Block {
  type: string
  text?: string
  thinking?: string
  signature?: string
  source?: { type: string; media_type: string; data: string; url: string }
  id?: string
  name?: string
  input?: object
  tool_use_id?: string
  is_error?: boolean
  content?: string | Block[]
}

interface Body {
  model: string
  stream?: boolean
  system?: string | Block[]
  messages: { role: 'user' | 'assistant'; content: string | Block[] }[]
  tools?: { name: string; description?: string; input_schema: object }[]
  tool_choice?: { type: string; name?: string; disable_parallel_tool_use?: boolean }
  max_tokens: number
  temperature?: number
  top_p?: number
  top_k?: number
  stop_sequences?: string[]
  thinking?: { type: string; budget_tokens?: number }
  output_config?: { format?: { schema: object } }
}

/** Tokens that are asked for if the request names no limit: the wire demands one. */
const DEFAULT_MAX_TOKENS = 64_000

/** Levels of `reasoning_effort` by the tokens that the adapter asks for. */
const LEVELS: Readonly<Record<number, string>> = {
  1024: 'minimal',
  2048: 'low',
  8192: 'medium',
  16_384: 'high',
  32_768: 'xhigh',
}

/** Stands for an answer in any JSON: a tool that has to be called. */
const JSON_TOOL = 'json'

const decodeContent = (content: string | Block[] = []): PlainPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(decodeBlock)

function decodeBlock(block: Block): PlainPart {
  const { type, text = '', thinking = '', source, id, name = '' } = block
  if (type === 'text') return { type, text }
  if (type === 'thinking') return { type: 'reasoning', text: thinking }
  if (type === 'image' && source) {
    return source.type === 'url'
      ? { type: 'link', url: source.url }
      : { type, mediaType: source.media_type, data: source.data }
  }
  if (type === 'document' && source) return { type: 'file', mediaType: source.media_type, data: source.data }
  if (type === 'tool_use') return { type: 'call', id, name, args: block.input }
  return { type: 'result', id: block.tool_use_id, failed: block.is_error, parts: decodeContent(block.content) }
}

function decodeChoice({
  type,
  name = '',
}: NonNullable<Body['tool_choice']>): 'auto' | 'none' | 'required' | { name: string } {
  if (type === 'tool') return { name }
  return type === 'any' ? 'required' : (type as 'auto' | 'none')
}

const decode: WireMeaning['decode'] = (given) => {
  const body = given as unknown as Body
  const { tools = [], tool_choice: choice } = body
  const isJson = choice?.name === JSON_TOOL
  const functions = tools.filter(({ name }) => !isJson || name !== JSON_TOOL)
  return {
    model: body.model,
    stream: body.stream ?? false,
    messages: [
      { role: 'system', parts: decodeContent(body.system) },
      ...body.messages.map(({ role, content }) => ({ role, parts: decodeContent(content) })),
    ],
    ...(functions.length > 0 && {
      tools: functions.map(({ name, description, input_schema: parameters }) => ({ name, description, parameters })),
    }),
    ...(choice &&
      !isJson && { choice: decodeChoice(choice), parallelCalls: choice.disable_parallel_tool_use !== true }),
    ...(body.max_tokens !== DEFAULT_MAX_TOKENS && { maxTokens: body.max_tokens }),
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: body.stop_sequences,
    // Without thinking, the model answers at once.
    effort: body.thinking ? LEVELS[body.thinking.budget_tokens ?? 0] : undefined,
    format: isJson ? 'json' : body.output_config?.format?.schema,
  }
}

/** Returns the content of an answer as blocks. */
function blocksOf({ reasoning, text, calls }: PlainAnswer['choices'][number]): Block[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'c2lnbmF0dXJl' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ]
}

function usageOf({ usage }: PlainAnswer): object {
  const { prompt, completion, cached = 0, reasoning } = usage!
  return {
    input_tokens: prompt - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: completion,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
  }
}

const frame = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** Returns the frames of a block: its beginning, its pieces and its end. */
function framesOf(block: Block, index: number, pieces: PlainAnswer['pieces']): string[] {
  const delta = (fields: object): string => frame('content_block_delta', { index, delta: fields })
  const texts = (type: string, call?: number): string[] =>
    pieces.flatMap((piece) =>
      piece.type === type && 'text' in piece && (call === undefined || ('call' in piece && piece.call === call))
        ? [piece.text]
        : [],
    )
  const start = (content: object): string => frame('content_block_start', { index, content_block: content })
  const end = frame('content_block_stop', { index })
  if (block.type === 'thinking') {
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...texts('reasoning').map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
      end,
    ]
  }
  if (block.type === 'text') {
    return [start({ type: 'text', text: '' }), ...texts('text').map((text) => delta({ type: 'text_delta', text })), end]
  }
  const call = pieces.find((piece) => piece.type === 'callStart' && piece.id === block.id) as { call: number }
  return [
    start({ ...block, input: {} }),
    ...texts('callDelta', call.call).map((json) => delta({ type: 'input_json_delta', partial_json: json })),
    end,
  ]
}

/** Meaning of the Messages API. */
export const MEANING: WireMeaning = {
  decode,
  whole(answer) {
    const [choice] = answer.choices as [PlainAnswer['choices'][number]]
    const { id, model } = answer
    return {
      ...{ id, type: 'message', role: 'assistant', model },
      content: blocksOf(choice),
      stop_reason: choice.finish,
      usage: usageOf(answer),
    }
  },
  frames(answer) {
    const [choice] = answer.choices as [PlainAnswer['choices'][number]]
    const { id, model, pieces } = answer
    const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null }
    return [
      frame('message_start', { message: { ...message, usage: { ...usageOf(answer), output_tokens: 1 } } }),
      frame('ping', {}),
      ...blocksOf(choice).flatMap((block, index) => framesOf(block, index, pieces)),
      frame('message_delta', { delta: { stop_reason: choice.finish }, usage: usageOf(answer) }),
      frame('message_stop', {}),
    ]
  },
  finish: {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'content_filter',
  },
  calls: 'pieces',
  lacks: ['result-names', 'seed', 'presence_penalty', 'frequency_penalty', 'n', 'usage-null', 'answer-created'],
  alternates: true,
  ids: /^[\w-]{1,64}$/u,
  names: /^[\w-]{1,64}$/u,
  url: 'https://api.anthropic.com/v1/messages',
  headers: (key) => ({ 'x-api-key': key }),
  environmentKey: 'ANTHROPIC_API_KEY',
  key: 'anthropic',
  errorBodies: ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
}
