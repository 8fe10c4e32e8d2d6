import type { PlainReply, PlainUsage, WireFormat, WireFrame } from '../wire/wire-format.ts'
import { anthropicRefusal } from './anthropic-refusal.ts'

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** Wire format of Anthropic's Messages API. */
export const anthropicFormat: WireFormat = {
  name: 'anthropic',
  isStream: ({ body }) => body['stream'] === true,
  refusal: anthropicRefusal,
  whole: (reply) => ({
    ...message(reply),
    content: blocks(reply),
    stop_reason: stopReason(reply),
    usage: usage(reply.usage),
  }),
  frames,
  errorBody: (status, text) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message: text },
    request_id: 'req_1',
  }),
  overloaded: frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  unknown: frame({ type: 'weather_report', index: 7, sky: 'clear' }),
}

function frame(data: { type: string; [key: string]: unknown }): WireFrame {
  return { event: data.type, data: JSON.stringify(data) }
}

function message({ id = 'msg_1', model = 'claude-haiku-4-5-20251001' }: PlainReply): object {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null }
}

type Block = Record<string, unknown> & { type: string }

function blocks({ reasoning, text, calls = [] }: PlainReply): Block[] {
  return [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning.text, signature: reasoning.signature }] : []),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args = {} }, n) => ({ type: 'tool_use', id: id ?? `toolu_${n + 1}`, name, input: args })),
  ]
}

function stopReason({ finish, calls = [] }: PlainReply): string {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'content_filter') return 'refusal'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function usage({ prompt, completion, cached = 0, reasoning }: PlainUsage = { prompt: 12, completion: 6 }): object {
  return {
    input_tokens: prompt - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: completion,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
  }
}

function frames(reply: PlainReply): WireFrame[] {
  const start = {
    ...message(reply),
    content: [],
    stop_reason: null,
    usage: { ...usage(reply.usage), output_tokens: 1 },
  }
  return [
    frame({ type: 'message_start', message: start }),
    frame({ type: 'ping' }),
    ...blocks(reply).flatMap(blockFrames),
    frame({ type: 'message_delta', delta: { stop_reason: stopReason(reply) }, usage: usage(reply.usage) }),
    frame({ type: 'message_stop' }),
  ]
}

function blockFrames(block: Block, index: number): WireFrame[] {
  const [begun, deltas] = pieces(block)
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ].map((each) => frame(each))
}

/** Gives a block as it begins, and the pieces that make it whole. */
function pieces(block: Block): [begun: object, deltas: object[]] {
  if (block.type === 'text') {
    return [{ type: 'text', text: '' }, halves(block['text'] as string).map((text) => ({ type: 'text_delta', text }))]
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = block as unknown as { thinking: string; signature: string }
    const deltas = halves(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece }))
    return [{ type: 'thinking', thinking: '', signature: '' }, [...deltas, { type: 'signature_delta', signature }]]
  }
  const json = JSON.stringify(block['input'])
  const parts = json === '{}' ? [''] : ['', ...halves(json)]
  return [{ ...block, input: {} }, parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }))]
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
}
