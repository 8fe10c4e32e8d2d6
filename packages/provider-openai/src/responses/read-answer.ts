import type { XError } from '@x/kernel'
import {
  hasContent,
  inBandFailure,
  isRecord,
  modelFailure,
  type AnswerBuilder,
  type AnswerReader,
  type Dialect,
} from '@x/provider-kit'
import type { FailureRules } from '../endpoint-profiles.ts'
import { usageOf } from '../usage.ts'
import { ItemReader } from './read-items.ts'
import { recordsIn, type OwnItems, type Item } from './own-items.ts'

/** Makes the reader of one answer, of its events or of the whole; `rules` are those of the endpoint for errors. */
export function createResponsesReader(rules?: FailureRules): AnswerReader {
  const items = new ItemReader()

  const push = (frame: unknown, answer: AnswerBuilder): false => {
    const event = frame as WireEvent
    const { delta } = event
    const at = typeof event.output_index === 'number' ? event.output_index : items.placeOf(event.item_id)
    if (event.type === 'error' || event.error) throw failureOf(event, rules)
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        items.text(at, delta, event.type === 'response.refusal.delta', answer)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        items.callPiece(at, delta, answer)
        break
      case 'response.output_text.done':
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        items.whole(at, event.text ?? event.arguments ?? event.input, answer)
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        items.reasoning(at, delta, event.summary_index, answer)
        break
      case 'response.output_item.added':
        if (isRecord(event.item)) items.open(at, event.item, answer)
        break
      case 'response.output_item.done':
        if (isRecord(event.item)) items.close(at, event.item, answer)
        break
      case 'response.created':
      case 'response.in_progress':
        start(event.response, answer)
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        end(event.response ?? {}, items, answer, rules)
        break
      default:
        // Some endpoints answer a request for a stream with the whole answer.
        if ((frame as WireResponse).object === 'response') end(frame as WireResponse, items, answer, rules)
    }
    return false
  }

  return {
    push,
    whole(body, answer) {
      const response = body as WireResponse
      if (!response.error && !Array.isArray(response.output)) throw modelFailure('server', 'the answer has no output')
      end(response, items, answer, rules)
    },
  }
}

/** Statuses of an answer that is not there yet. */
const PENDING_STATUSES: ReadonlySet<unknown> = new Set(['queued', 'in_progress'])

/** Statuses of an answer that has ended. */
const ENDED_STATUSES: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])

/**
 * Background mode of the Responses API: https://developers.openai.com/api/docs/guides/background. An answer is kept for about
 * ten minutes, and longer if the request says `store: true`.
 */
export const BACKGROUND: NonNullable<Dialect['background']> = {
  takes: ({ body }) => 'input' in body,
  pending(body) {
    const { id, status, output, created_at: createdAt } = isRecord(body) ? body : {}
    const isKnown = PENDING_STATUSES.has(status)
    const hasEnded = typeof status !== 'string' || ENDED_STATUSES.has(status) || recordsIn(output).length > 0
    if (!isKnown && hasEnded) return undefined
    if (typeof id !== 'string' || id === '') throw modelFailure('server', 'the answer in the background has no `id`')
    const createdMs = typeof createdAt === 'number' ? createdAt * 1000 : undefined
    return { id, createdAt: createdMs, ...(!isKnown && { unknown: String(status) }) }
  },
  path: (id) => `/responses/${encodeURIComponent(id)}`,
}

function start(response: WireResponse | null | undefined, answer: AnswerBuilder): void {
  if (response) answer.start({ id: response.id, model: response.model, created: response.created_at })
}

/** Reads the whole answer, or the last event of a streamed one. */
function end(response: WireResponse, items: ItemReader, answer: AnswerBuilder, rules: FailureRules | undefined): void {
  const { error, status, output, usage, incomplete_details: details } = response
  if (usage) answer.usage(usageOf('responses', usage, response))
  if (error || status === 'failed') throw failureOf(response, rules)
  start(response, answer)
  items.closeAll(recordsIn(output), answer)
  readOtherFields(response, answer)
  const stored = items.storedItems()
  if (stored.length > 0) answer.own({ items: stored } satisfies OwnItems)
  if (status === 'cancelled') throw modelFailure('aborted', 'the answer was cancelled at its provider')
  if (PENDING_STATUSES.has(status)) return
  if (status === 'incomplete') {
    const reason = typeof details?.reason === 'string' ? details.reason : status
    answer.finish(reason === 'max_output_tokens' ? 'length' : reason)
  } else answer.finish(items.isRefusal ? 'content_filter' : answer.calls() > 0 ? 'tool_calls' : 'stop')
}

/** Fields of an answer that are read elsewhere, or that repeat the request. */
const READ_FIELDS: ReadonlySet<string> = new Set(
  `id object created_at completed_at model status output output_text error incomplete_details usage instructions tools
  tool_choice parallel_tool_calls temperature top_p top_logprobs max_output_tokens max_tool_calls previous_response_id
  presence_penalty frequency_penalty reasoning store text truncation user metadata prompt prompt_cache_key
  prompt_cache_retention safety_identifier background include input`.split(/\s+/u),
)

/** Adds fields of an answer without a place of their own. */
function readOtherFields(response: WireResponse, answer: AnswerBuilder): void {
  for (const [key, value] of Object.entries(response)) {
    if (!READ_FIELDS.has(key) && hasContent(value)) answer.extra({ [key]: value })
  }
}

/** Codes of an answer that was refused for its content. */
const CONTENT_CODE_PATTERN =
  /^(?:invalid_prompt|bio_policy|misalignment_policy_violation|image_content_policy_violation)$/u
/** Statuses for the codes of errors inside an answer. */
const CODE_STATUSES: readonly (readonly [RegExp, number])[] = [
  [/^server_error$/u, 500],
  [/rate_limit/u, 429],
  [/timeout/u, 408],
  [/^(?:invalid_|image_|unsupported_|empty_image|failed_to_download|data_residency)/u, 400],
]

/** Makes the failure of an answer that failed, or of an event that reports an error. */
function failureOf(frame: { error?: unknown }, rules: FailureRules | undefined): XError {
  const body = isRecord(frame.error) ? frame.error : (frame as Record<string, unknown>)
  const { code, message, status } = body
  const word = typeof code === 'string' ? code : ''
  if (CONTENT_CODE_PATTERN.test(word)) {
    const text = typeof message === 'string' ? message : 'the request was refused'
    return modelFailure('content-filter', text, { details: { code } })
  }
  const knownStatus = typeof status === 'number' ? status : CODE_STATUSES.find(([words]) => words.test(word))?.[1]
  // The word `error` alone says nothing, and every event has it.
  return inBandFailure({ error: body['type'] === 'error' ? { ...body, type: undefined } : body }, knownStatus, rules)
}

/** An answer as far as it is read; every field may be missing or of another type. */
export interface WireResponse {
  id?: unknown
  model?: unknown
  created_at?: unknown
  object?: unknown
  status?: unknown
  output?: unknown
  error?: unknown
  incomplete_details?: { reason?: unknown } | null
  usage?: object | null
}

/** One event of a streamed answer, of any type. */
export interface WireEvent {
  type?: unknown
  response?: WireResponse | null
  output_index?: unknown
  item_id?: unknown
  /** Part of a summary. */
  summary_index?: unknown
  item?: Item | null
  delta?: unknown
  /** Wholes behind their pieces: of a text, a call, the input of a custom tool. */
  text?: unknown
  arguments?: unknown
  input?: unknown
  error?: unknown
}
