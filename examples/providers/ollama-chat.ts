/** A provider for the chat API of Ollama (https://docs.ollama.com/api/chat): lines of JSON, calls as objects. */
import type { Provider } from '@x/interfaces'
import {
  createAdapterClient,
  createCatalogue,
  createHttpWire,
  inBandFailure,
  normalizeUsage,
  platformClock,
  turnsOf,
  type AnswerBuilder,
  type AnswerReader,
  type CheckedParams,
  type Dialect,
  type LowerContext,
  type TurnPart,
} from '@x/provider-kit'

const ids = { maxLength: 64, forbidden: /[^\w-]/gu }
const names = { maxLength: 64, forbidden: /[^\w.-]/gu }

/** Models run on the machine of the user, who sets their context: nothing is known of them, and nothing is paid. */
const catalogue = createCatalogue({ date: '2026-11-01', models: {} })

/** Names of `options` by the names of parameters. */
const OPTION_NAMES = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  seed: 'seed',
  presence_penalty: 'presence_penalty',
  frequency_penalty: 'frequency_penalty',
} as const

/** Parameters that are sent in some form; a warning names each of the others. */
const SENT: ReadonlySet<string> = new Set([
  ...Object.keys(OPTION_NAMES),
  ...['model', 'messages', 'prompt', 'tools', 'functions', 'max_tokens', 'max_completion_tokens', 'stop'],
  ...['tool_choice', 'response_format', 'reasoning_effort'],
])

type Warn = LowerContext['warn']

interface OllamaMessage {
  role?: string
  content?: string
  thinking?: string
  images?: string[]
  tool_calls?: { id?: string; function: { name: string; arguments?: object } }[]
  tool_name?: string
  tool_call_id?: string
}

/** Returns the text and the images of some parts. */
function contentOf(parts: readonly TurnPart[], warn: Warn): Pick<OllamaMessage, 'content' | 'images'> {
  const texts: string[] = []
  const images: string[] = []
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text)
    if (part.type !== 'media') continue
    const { media } = part
    if (media.type === 'bytes' && media.mediaType.startsWith('image/')) images.push(media.data)
    else {
      warn('content', 'an attachment was replaced by a note: Ollama takes the bytes of images only')
      texts.push(media.type === 'link' ? `[attachment: ${media.url}]` : '[an attachment that cannot be shown here]')
    }
  }
  return { content: texts.join('\n\n'), ...(images.length > 0 && { images }) }
}

/** Returns the messages for one turn: results of tools have messages of their own. */
function lowerTurn(role: 'user' | 'assistant', parts: readonly TurnPart[], warn: Warn): OllamaMessage[] {
  const messages: OllamaMessage[] = []
  for (const part of parts) {
    if (part.type !== 'result') continue
    const { id, name, content } = part
    messages.push({ role: 'tool', ...contentOf(content, warn), tool_name: name, tool_call_id: id })
  }
  const rest = parts.filter(({ type }) => type !== 'result')
  if (rest.length === 0) return messages
  const calls = rest.flatMap((part) => (part.type === 'call' ? [part] : []))
  messages.push({
    role,
    ...contentOf(rest, warn),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } })),
    }),
  })
  return messages
}

function lowerOptions(params: CheckedParams): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [name, own] of Object.entries(OPTION_NAMES)) {
    const value = params[name as keyof typeof OPTION_NAMES]
    if (value !== undefined) options[own] = value
  }
  const limit = params.max_completion_tokens ?? params.max_tokens
  if (limit !== undefined) options['num_predict'] = limit
  if (params.stop !== undefined) options['stop'] = [params.stop].flat()
  return options
}

/** Returns how much the model thinks: some models know levels, the others on and off. */
function lowerEffort(effort: string | undefined): string | boolean | undefined {
  if (effort === undefined) return undefined
  if (effort === 'none') return false
  return effort === 'minimal' ? 'low' : effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

function lowerTools(
  { tools, tool_choice: choice }: CheckedParams,
  { names: legal, schemas, warn }: LowerContext,
): object[] {
  // The wire has no word for it: without tools, none can be called.
  if (choice === 'none') return []
  if (choice !== undefined && choice !== 'auto') warn('tool_choice', 'Ollama cannot be made to call a tool')
  return tools.flatMap(({ function: tool }) => {
    if (!tool) {
      warn('tools', 'Ollama takes functions only: other tools were left out')
      return []
    }
    const { parameters } = schemas.tool(tool.name, tool.parameters)
    const described = tool.description === undefined ? {} : { description: tool.description }
    return [{ type: 'function', function: { name: legal.to(tool.name), ...described, parameters } }]
  })
}

/** One line of a stream, or a complete answer. */
interface OllamaLine {
  model?: string
  created_at?: string
  message?: OllamaMessage
  done?: boolean
  done_reason?: string
  prompt_eval_count?: number
  eval_count?: number
  error?: string
}

const reader: AnswerReader = {
  push(frame, answer) {
    const line = frame as OllamaLine
    if (line.error !== undefined) throw inBandFailure(line)
    const { message = {} } = line
    answer.start({ model: line.model, created: secondsOf(line.created_at) })
    if (message.thinking) answer.reasoning(message.thinking)
    if (message.content) answer.text(message.content)
    for (const { id, function: called } of message.tool_calls ?? []) {
      const call = answer.callStart({ id, name: called.name })
      answer.callDelta(call, JSON.stringify(called.arguments ?? {}))
      answer.callEnd(call)
    }
    if (line.done) readEnd(line, answer)
    return line.done === true
  },
}

function readEnd(
  { done_reason: reason = 'stop', prompt_eval_count, eval_count }: OllamaLine,
  answer: AnswerBuilder,
): void {
  // The count of the prompt is missing where all of it was cached.
  answer.usage(normalizeUsage({ prompt: prompt_eval_count, completion: eval_count }))
  answer.finish(reason === 'stop' && answer.calls() > 0 ? 'tool_calls' : reason)
}

/** Returns the seconds since 1970 of a moment; undefined for a text that is not one. */
function secondsOf(moment: string | undefined): number | undefined {
  const time = Date.parse(moment ?? '')
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

const dialect: Dialect = {
  provider: 'ollama',
  ids,
  names,
  capabilities: () => ({ tools: true, images: true, structuredOutput: 'schema', streaming: true }),
  lower(params, context) {
    const { model, warn } = context
    const { system, turns } = turnsOf(params.messages, {
      ...{ provider: 'ollama', ids, names: context.names, warn },
      takesInResult: (media) => media.type === 'bytes' && media.mediaType.startsWith('image/'),
    })
    for (const name of Object.keys(params.given)) {
      if (!SENT.has(name)) warn(name, `\`${name}\` was left out: Ollama does not know it`)
    }
    const options = lowerOptions(params)
    const tools = lowerTools(params, context)
    const think = lowerEffort(params.reasoning_effort)
    return {
      model,
      body: {
        model,
        messages: [
          ...system.map(({ text }) => ({ role: 'system', content: text })),
          ...turns.flatMap(({ role, parts }) => lowerTurn(role, parts, warn)),
        ],
        stream: false,
        ...(tools.length > 0 && { tools }),
        ...(params.json && { format: params.json.schema ?? 'json' }),
        ...(think !== undefined && { think }),
        ...(Object.keys(options).length > 0 && { options }),
      },
    }
  },
  reader: () => reader,
}

const OLLAMA_URL = 'http://localhost:11434'

/** The provider for models that Ollama runs. */
export const ollamaChat: Provider = {
  apiTypes: ['ollama-chat'],
  name: 'ollama-chat',
  specVersion: 1,
  createClient: (config) =>
    createAdapterClient({
      config,
      endpoint: config.baseUrl ?? OLLAMA_URL,
      dialect,
      catalogue,
      clock: platformClock(),
      now: Date.now,
      connect: () =>
        createHttpWire({
          config,
          url: () => `${config.baseUrl ?? OLLAMA_URL}/api/chat`,
          authorize: (key) => ({ authorization: `Bearer ${key}` }),
          environmentKey: () => process.env['OLLAMA_API_KEY'],
          format: 'ndjson',
          streamed: (body) => ({ ...body, stream: true }),
        }),
    }),
}
