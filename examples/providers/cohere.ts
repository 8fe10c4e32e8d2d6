/** A provider for the chat API of Cohere, version 2 (https://docs.cohere.com/reference/chat): events with pieces of calls. */
import type { FinishReason, Provider } from '@x/interfaces'
import {
  createAdapterClient,
  createCatalogue,
  createHttpWire,
  inBandFailure,
  isRecord,
  listOf,
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
const names = { maxLength: 64, forbidden: /\W/gu }

const catalogue = createCatalogue({
  date: '2026-11-01',
  models: { 'command-a-03-2025': { contextWindow: 256_000, maxOutput: 8192, price: { input: 2.5, output: 10 } } },
})

/** Parameters that the wire has under the same name. */
const SAME_NAMES = ['temperature', 'seed', 'frequency_penalty', 'presence_penalty'] as const

/** Parameters that are sent in some form; a warning names each of the others. */
const SENT: ReadonlySet<string> = new Set([
  ...SAME_NAMES,
  ...['model', 'messages', 'prompt', 'tools', 'functions', 'max_tokens', 'max_completion_tokens', 'top_p', 'top_k'],
  ...['stop', 'tool_choice', 'response_format'],
])

type Warn = LowerContext['warn']

function contentPart(part: TurnPart, warn: Warn): object[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  if (part.type !== 'media') return []
  const { media } = part
  if (media.type === 'bytes' && media.mediaType.startsWith('image/')) {
    return [{ type: 'image_url', image_url: { url: `data:${media.mediaType};base64,${media.data}` } }]
  }
  if (media.type === 'link') return [{ type: 'image_url', image_url: { url: media.url } }]
  warn('content', 'a file was replaced by a note: Cohere takes images only')
  return [{ type: 'text', text: '[a file that cannot be shown here]' }]
}

/** Returns the messages for one turn: results of tools have messages of their own. */
function lowerTurn(role: 'user' | 'assistant', parts: TurnPart[], own: unknown, warn: Warn): object[] {
  const results = parts.flatMap((part) => (part.type === 'result' ? [part] : []))
  const calls = parts.flatMap((part) => (part.type === 'call' ? [part] : []))
  const content = parts.flatMap((part) => contentPart(part, warn))
  const messages: object[] = results.map((result) => ({
    role: 'tool',
    tool_call_id: result.id,
    content: result.content.flatMap((part) => contentPart(part, warn)),
  }))
  if (role === 'assistant') {
    const thoughts = listOf(isRecord(own) ? own['thoughts'] : undefined)
    const all = [...thoughts.map((thinking) => ({ type: 'thinking', thinking })), ...content]
    messages.push({
      role,
      ...(all.length > 0 && { content: all }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      }),
    })
  } else if (content.length > 0) messages.push({ role, content })
  return messages
}

function lowerChoice(choice: CheckedParams['tool_choice'], warn: Warn): 'REQUIRED' | 'NONE' | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return 'NONE'
  if (choice !== 'required') warn('tool_choice', 'Cohere cannot be held to one tool: any of the tools may be called')
  return 'REQUIRED'
}

function lowerFormat({ json, tools }: CheckedParams, warn: Warn): object | undefined {
  if (!json) return undefined
  if (tools.length > 0) {
    warn('response_format', '`response_format` was left out: Cohere does not take it beside tools')
    return undefined
  }
  return { type: 'json_object', ...(json.schema && { json_schema: json.schema }) }
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
}

/** The parts of events and answers that are read here. */
interface CohereMessage {
  content?: { type?: string; text?: string; thinking?: string }[] | { text?: string; thinking?: string }
  tool_plan?: string
  tool_calls?: CohereCall | CohereCall[]
}

interface CohereCall {
  id?: string
  function?: { name?: string; arguments?: string }
}

interface CohereEnd {
  finish_reason?: string
  usage?: { tokens?: { input_tokens?: number; output_tokens?: number }; cached_tokens?: number }
  error?: unknown
}

function readEnd({ finish_reason: reason, usage, error }: CohereEnd, answer: AnswerBuilder): void {
  if (error || reason === 'ERROR') throw inBandFailure({ error: error ?? { message: 'the generation failed' } })
  const { input_tokens: prompt, output_tokens: completion } = usage?.tokens ?? {}
  answer.usage(normalizeUsage({ prompt, completion, cached: usage?.cached_tokens }))
  if (reason) answer.finish(FINISH[reason] ?? reason.toLowerCase())
}

class CohereReader implements AnswerReader {
  /** Numbers of the calls of the answer by the index of the wire. */
  readonly #calls = new Map<unknown, number>()
  readonly #thoughts: string[] = []

  push(frame: unknown, answer: AnswerBuilder): boolean {
    const { type, id, index, delta } = frame as { type?: string; id?: string; index?: number; delta?: unknown }
    const { message = {} } = (delta ?? {}) as { message?: CohereMessage }
    if (type === undefined && isRecord(frame) && ('message' in frame || 'error' in frame)) throw inBandFailure(frame)
    answer.start({ id })
    switch (type) {
      case 'content-start':
      case 'content-delta':
        this.#readContent(message.content as { text?: string; thinking?: string }, answer)
        break
      case 'tool-plan-delta':
        this.#think(message.tool_plan, answer)
        break
      case 'tool-call-start': {
        const { id: callId, function: called } = message.tool_calls as CohereCall
        const call = answer.callStart({ id: callId, name: called?.name ?? '' })
        this.#calls.set(index, call)
        answer.callDelta(call, called?.arguments ?? '')
        break
      }
      case 'tool-call-delta': {
        const { function: called } = message.tool_calls as CohereCall
        answer.callDelta(this.#calls.get(index) ?? -1, called?.arguments ?? '')
        break
      }
      case 'tool-call-end':
        answer.callEnd(this.#calls.get(index) ?? -1)
        break
      case 'message-end':
        readEnd(delta as CohereEnd, answer)
        this.#keepThoughts(answer)
        return true
      default:
        break
    }
    return false
  }

  whole(body: unknown, answer: AnswerBuilder): void {
    const { id, message } = body as { id?: string; message?: CohereMessage | string }
    if (typeof message !== 'object') throw inBandFailure(body)
    answer.start({ id })
    for (const part of listOf(message.content)) this.#readContent(part as { text?: string; thinking?: string }, answer)
    this.#think(message.tool_plan, answer)
    for (const { id: callId, function: called } of listOf(message.tool_calls) as CohereCall[]) {
      const call = answer.callStart({ id: callId, name: called?.name ?? '' })
      answer.callDelta(call, called?.arguments ?? '')
      answer.callEnd(call)
    }
    readEnd(body as CohereEnd, answer)
    this.#keepThoughts(answer)
  }

  #readContent(content: { text?: string; thinking?: string } | undefined, answer: AnswerBuilder): void {
    this.#think(content?.thinking, answer)
    if (content?.text !== undefined) answer.text(content.text)
  }

  #think(thought: string | undefined, answer: AnswerBuilder): void {
    if (!thought) return
    this.#thoughts.push(thought)
    answer.reasoning(thought)
  }

  #keepThoughts(answer: AnswerBuilder): void {
    if (this.#thoughts.length > 0) answer.own({ thoughts: [this.#thoughts.join('')] })
  }
}

const dialect: Dialect = {
  provider: 'cohere',
  ids,
  names,
  capabilities: () => ({ tools: true, images: true, structuredOutput: 'schema', streaming: true }),
  lower(params, context) {
    const { model, warn } = context
    const { system, turns } = turnsOf(params.messages, {
      ...{ provider: 'cohere', ids, names: context.names, warn },
      takesInResult: () => false,
    })
    for (const name of Object.keys(params.given)) {
      if (!SENT.has(name)) warn(name, `\`${name}\` was left out: Cohere does not know it`)
    }
    const body: Record<string, unknown> = {
      model,
      messages: [
        ...(system.length > 0 ? [{ role: 'system', content: system.map(({ text }) => text).join('\n\n') }] : []),
        ...turns.flatMap(({ role, parts, own }) => lowerTurn(role, parts, own, warn)),
      ],
    }
    for (const name of SAME_NAMES) if (params[name] !== undefined) body[name] = params[name]
    const limit = params.max_completion_tokens ?? params.max_tokens
    if (limit !== undefined) body['max_tokens'] = limit
    if (params.top_p !== undefined) body['p'] = params.top_p
    if (params.top_k !== undefined) body['k'] = params.top_k
    if (params.stop !== undefined) body['stop_sequences'] = [params.stop].flat()
    const tools = params.tools.flatMap((tool) => tool.function ?? [])
    if (tools.length < params.tools.length) warn('tools', 'Cohere takes functions only: other tools were left out')
    if (tools.length > 0) {
      body['tools'] = tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: {
          name: context.names.to(name),
          ...(description !== undefined && { description }),
          parameters: context.schemas.tool(name, parameters).parameters,
        },
      }))
      const choice = lowerChoice(params.tool_choice, warn)
      if (choice) body['tool_choice'] = choice
    }
    const format = lowerFormat(params, warn)
    if (format) body['response_format'] = format
    return { model, body }
  },
  reader: () => new CohereReader(),
}

const COHERE_URL = 'https://api.cohere.com'

/** The provider for the models of Cohere. */
export const cohere: Provider = {
  apiTypes: ['cohere'],
  name: 'cohere',
  specVersion: 1,
  createClient: (config) =>
    createAdapterClient({
      config,
      endpoint: config.baseUrl ?? COHERE_URL,
      dialect,
      catalogue,
      clock: platformClock(),
      now: Date.now,
      connect: () =>
        createHttpWire({
          config,
          url: () => `${config.baseUrl ?? COHERE_URL}/v2/chat`,
          authorize: (key) => ({ authorization: `Bearer ${key}` }),
          environmentKey: () => process.env['CO_API_KEY'],
          streamed: (body) => ({ ...body, stream: true }),
        }),
    }),
}
