import { responsesFormat } from '@x/testing/openai'
import type { PlainAnswer, PlainPart, PlainRequest, WireMeaning } from '@x/testing/provider-contract'
import { writeFrame, type PlainReply } from '@x/testing/wire'

type Choice = PlainAnswer['choices'][number]

interface WireTool {
  name: string
  description?: string
  parameters?: object
}

interface ContentPart {
  type: string
  text?: string
  image_url?: string | { url: string }
  file?: { file_data: string }
  file_data?: string
}

interface WireCall {
  id: string
  function: { name: string; arguments: string }
}

interface ChatBody {
  model: string
  stream?: boolean
  messages: {
    role: PlainRequest['messages'][number]['role'] | 'developer'
    content?: string | ContentPart[] | null
    tool_calls?: WireCall[]
    tool_call_id?: string
  }[]
  tools?: { function: WireTool }[]
  functions?: WireTool[]
  tool_choice?: string | { function: { name: string } }
  parallel_tool_calls?: boolean
  max_tokens?: number
  max_completion_tokens?: number
  temperature?: number
  top_p?: number
  top_k?: number
  stop?: string | string[]
  seed?: number
  presence_penalty?: number
  frequency_penalty?: number
  reasoning_effort?: string
  n?: number
  response_format?: { type: string; json_schema?: { schema: object } }
}

function mediaOf(url: string): PlainPart {
  const [head = '', data] = url.split(';base64,')
  if (data === undefined) return { type: 'link', url }
  const mediaType = head.slice('data:'.length)
  return { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data }
}

function contentOf(content: string | readonly ContentPart[] | null | undefined): PlainPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return (content ?? []).map(({ text = '', image_url: image, file, file_data: data = file?.file_data }) => {
    const url = typeof image === 'object' ? image.url : (image ?? data)
    return url === undefined ? { type: 'text', text } : mediaOf(url)
  })
}

const callOf = (id: string, name: string, args: string): PlainPart => ({
  ...{ type: 'call', id, name },
  args: JSON.parse(args) as unknown,
})

function choiceOf(choice: string | { name: string } | undefined): PlainRequest['choice'] {
  return typeof choice === 'string' ? (choice as 'auto') : choice
}

function decodeMessage({
  role,
  content,
  tool_calls: calls = [],
  tool_call_id: id,
}: ChatBody['messages'][number]): PlainRequest['messages'][number] {
  const parts = contentOf(content)
  if (role === 'tool') return { role, parts: [{ type: 'result', id, parts }] }
  const called = calls.map((call) => callOf(call.id, call.function.name, call.function.arguments))
  return { role: role === 'developer' ? 'system' : role, parts: [...parts, ...called] }
}

const decodeChat: WireMeaning['decode'] = (given) => {
  const body = given as unknown as ChatBody
  const { tool_choice: choice, response_format: format, stop } = body
  return {
    model: body.model,
    stream: body.stream ?? false,
    // The endpoint takes messages with an empty text, which say nothing.
    messages: body.messages.map(decodeMessage).filter(({ parts }) => parts.length > 0),
    tools: body.functions ?? body.tools?.flatMap(({ function: tool }) => tool ?? []),
    choice: choiceOf(typeof choice === 'object' ? choice.function : choice),
    parallelCalls: body.parallel_tool_calls,
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: stop === undefined ? undefined : [stop].flat(),
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    effort: body.reasoning_effort,
    n: body.n,
    format: format?.type === 'json_object' ? 'json' : format?.json_schema?.schema,
  }
}

const chatUsage = ({ usage }: PlainAnswer): object =>
  usage
    ? {
        usage: {
          prompt_tokens: usage.prompt,
          completion_tokens: usage.completion,
          total_tokens: usage.prompt + usage.completion,
          ...(usage.cached !== undefined && { prompt_tokens_details: { cached_tokens: usage.cached } }),
          ...(usage.reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
        },
      }
    : {}

const chatMessage = ({ reasoning, text, calls }: Choice): object => ({
  role: 'assistant',
  content: text === '' && calls.length > 0 ? null : text,
  ...(reasoning !== '' && { reasoning_content: reasoning }),
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  }),
})

/** Returns the change of a choice that a piece stands for. */
function chatDelta(piece: PlainAnswer['pieces'][number]): object {
  switch (piece.type) {
    case 'text':
      return { delta: { content: piece.text } }
    case 'reasoning':
      return { delta: { reasoning_content: piece.text } }
    case 'callStart': {
      const { id, name, call: index } = piece
      return { delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] } }
    }
    case 'callDelta':
      return { delta: { tool_calls: [{ index: piece.call, function: { arguments: piece.text } }] } }
    case 'finish':
      return { delta: {}, finish_reason: piece.word }
    default:
      return { delta: {} }
  }
}

const sse = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

/** Meaning of chat completions. */
export const CHAT_MEANING: WireMeaning = {
  decode: decodeChat,
  whole: (answer) => ({
    ...{ id: answer.id, created: answer.created, model: answer.model },
    choices: answer.choices.map((choice, index) => ({
      ...{ index, message: chatMessage(choice), finish_reason: choice.finish },
    })),
    ...chatUsage(answer),
  }),
  frames: (answer) => [
    ...answer.pieces.map((piece) =>
      sse({
        ...{ id: answer.id, created: answer.created, model: answer.model },
        choices: [{ index: piece.choice, finish_reason: null, ...chatDelta(piece) }],
      }),
    ),
    sse({ id: answer.id, created: answer.created, model: answer.model, choices: [], ...chatUsage(answer) }),
    'data: [DONE]\n\n',
  ],
  finish: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter' },
  calls: 'interleaved',
  lacks: [
    'text-parts',
    'result-images',
    'result-names',
    'result-failures',
    'reasoning-history',
    'call-end',
    'reasoning_effort',
  ],
  ids: /^[\w-]{1,40}$/u,
  names: /^[\w-]{1,64}$/u,
  url: 'https://api.openai.com/v1/chat/completions',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  environmentKey: 'OPENAI_API_KEY',
  key: 'openai',
}

interface ResponsesItem {
  type?: string
  role?: 'system' | 'developer' | 'user' | 'assistant'
  content?: string | ContentPart[]
  call_id?: string
  name?: string
  arguments?: string
  output?: string | ContentPart[]
  summary?: { text: string }[]
}

interface ResponsesBody {
  model: string
  stream?: boolean
  input: ResponsesItem[]
  tools?: (WireTool & { type: string })[]
  tool_choice?: string | { name: string }
  parallel_tool_calls?: boolean
  max_output_tokens?: number
  temperature?: number
  top_p?: number
  reasoning?: { effort?: string }
  text?: { format?: { type: string; schema?: object } }
}

function decodeItem(item: ResponsesItem): PlainRequest['messages'][number] {
  const { type, role = 'user', content, call_id: id = '', name = '', arguments: args = '', output, summary } = item
  if (type === 'function_call') return { role: 'assistant', parts: [callOf(id, name, args)] }
  if (type === 'function_call_output') {
    return { role: 'tool', parts: [{ type: 'result', id, parts: contentOf(output) }] }
  }
  if (type === 'reasoning') {
    return { role: 'assistant', parts: (summary ?? []).map(({ text }) => ({ type: 'reasoning', text })) }
  }
  return { role: role === 'developer' ? 'system' : role, parts: contentOf(content) }
}

const decodeResponses: WireMeaning['decode'] = (given) => {
  const body = given as unknown as ResponsesBody
  const { tools, tool_choice: choice, text } = body
  return {
    model: body.model,
    stream: body.stream ?? false,
    messages: body.input.map(decodeItem),
    tools: tools?.map(({ name, description, parameters }) => ({ name, description, parameters })),
    choice: choiceOf(choice),
    parallelCalls: body.parallel_tool_calls,
    maxTokens: body.max_output_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    effort: body.reasoning?.effort,
    format: text?.format?.type === 'json_object' ? 'json' : text?.format?.schema,
  }
}

const DONE_WORD = 'completed'

/** Returns an answer for the format of the fake server, which has the words of this wire only for the usual ends. */
function replyOf({ id, model, choices, usage }: PlainAnswer): PlainReply {
  const [{ reasoning, text, calls }] = choices as [Choice]
  return {
    ...{ id, model, text, calls, usage: usage ?? undefined },
    ...(reasoning !== '' && { reasoning: { text: reasoning, signature: 'c2lnbmF0dXJl' } }),
  }
}

/** Ends an answer with the word of its first choice. */
function ended({ choices: [choice], usage }: PlainAnswer, response: object): object {
  const counts = usage ? {} : { usage: null }
  return choice!.finish === DONE_WORD
    ? { ...response, ...counts }
    : { ...response, ...counts, status: 'incomplete', incomplete_details: { reason: choice!.finish } }
}

/** Meaning of the Responses API. */
export const RESPONSES_MEANING: WireMeaning = {
  decode: decodeResponses,
  whole: (answer) => ended(answer, responsesFormat.whole(replyOf(answer))),
  frames: (answer) =>
    responsesFormat.frames(replyOf(answer)).map((frame) => {
      const data = JSON.parse(frame.data) as { type: string; response?: object }
      if (data.type !== 'response.completed') return writeFrame(frame)
      const type = answer.choices[0]!.finish === DONE_WORD ? data.type : 'response.incomplete'
      return writeFrame({
        event: type,
        data: JSON.stringify({ ...data, type, response: ended(answer, data.response!) }),
      })
    }),
  finish: { completed: 'stop', max_output_tokens: 'length', content_filter: 'content_filter' },
  calls: 'pieces',
  lacks: [
    ...([
      'text-parts',
      'result-names',
      'result-failures',
      'seed',
      'stop',
      'presence_penalty',
      'frequency_penalty',
      'n',
    ] as const),
    ...(['top_k', 'temperature', 'top_p'] as const),
  ],
  ids: /^[\w-]{1,64}$/u,
  names: /^[\w-]{1,64}$/u,
  url: 'https://api.openai.com/v1/responses',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  environmentKey: 'OPENAI_API_KEY',
  key: 'openai',
}
