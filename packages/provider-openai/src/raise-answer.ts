import type { AnswerUsage, ChatMessage, ModelAnswer, ModelChoice, ToolCall } from '@x/interfaces'
import { fingerprint, modelFailure, type NameMap } from '@x/provider-kit'

/** What endpoints answer, as far as it is read; every field may be missing or of another type. */
export interface WireAnswer {
  id?: string | null
  model?: string | null
  created?: number | null
  choices?: (WireChoice | null)[] | null
  usage?: WireUsage | null
  error?: unknown
}

/** One alternative of a whole answer. */
export interface WireChoice {
  index?: number | null
  message?: WireMessage | null
  /** Of the older endpoint for prompts. */
  text?: string | null
  finish_reason?: string | null
}

interface WireMessage {
  content?: ChatMessage['content']
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: unknown
  function_call?: { name?: string; arguments?: string } | null
  tool_calls?: WireCall[] | null
}

interface WireCall {
  id?: string | null
  type?: string | null
  function?: { name?: string | null; arguments?: unknown } | null
}

/** Tokens as the endpoint counts them. */
export interface WireUsage {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  total_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null } | null
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
}

/** Gives an answer of this library's shape. */
export function raiseAnswer(wire: WireAnswer, asked: string, names: NameMap): ModelAnswer {
  const choices = (wire.choices ?? []).filter((choice) => choice !== null)
  if (choices.length === 0) throw modelFailure('server', 'the answer has no choices')
  const usage = raiseUsage(wire.usage)
  return {
    id: wire.id ?? '',
    model: wire.model || asked,
    created: wire.created ?? 0,
    choices: choices.map((choice, place) => raiseChoice(choice, wire.id ?? '', place, names)),
    ...(usage && { usage }),
  }
}

function raiseChoice(choice: WireChoice, answerId: string, place: number, names: NameMap): ModelChoice {
  const { content, refusal, function_call: call, tool_calls: calls, ...wire } = choice.message ?? {}
  const reasoning = wire.reasoning_content ?? (typeof wire.reasoning === 'string' ? wire.reasoning : undefined)
  const refused = typeof refusal === 'string' && refusal !== ''
  const raised = (calls ?? [])
    .filter((each) => each.function)
    .map((each, n) => raiseCall(each, callId(answerId, place, n), names))
  const message: ChatMessage = {
    role: 'assistant',
    content: content ?? (refused ? refusal : (choice.text ?? null)),
    ...(raised.length > 0 && { tool_calls: raised }),
    ...(call?.name && { function_call: { name: names.from(call.name), arguments: argumentsOf(call.arguments) } }),
    ...(reasoning && { provider_metadata: { openai: { reasoning_content: reasoning } } }),
  }
  const finish = finishOf(choice.finish_reason, refused, raised.length > 0)
  return { index: choice.index ?? place, message, finish_reason: finish }
}

function raiseCall({ id, function: called }: WireCall, fallback: string, names: NameMap): ToolCall {
  return {
    id: id || fallback,
    type: 'function',
    function: { name: names.from(called?.name ?? ''), arguments: argumentsOf(called?.arguments) },
  }
}

/** The id of a call that the endpoint gave none: results must be able to name it. */
export const callId = (answerId: string, choice: number, call: number): string =>
  `call_${fingerprint(`${answerId}/${choice}/${call}`)}`

/** Arguments are carried as their text; whoever runs the tool reads them. */
const argumentsOf = (args: unknown): string => (typeof args === 'string' ? args : args ? JSON.stringify(args) : '')

/** Gives why the model stopped: as the endpoint says, but a refusal is a content filter. */
export function finishOf(reason: string | null | undefined, refused: boolean, calls: boolean): string {
  if (refused) return 'content_filter'
  return reason || (calls ? 'tool_calls' : 'stop')
}

/** Gives usage as totals with their parts; nothing when the endpoint did not say, never a number that is none. */
export function raiseUsage(wire: WireUsage | null | undefined): AnswerUsage | undefined {
  if (!wire || (count(wire.prompt_tokens) ?? count(wire.completion_tokens)) === undefined) return undefined
  const prompt = count(wire.prompt_tokens) ?? 0
  const completion = count(wire.completion_tokens) ?? 0
  const cached = count(wire.prompt_tokens_details?.cached_tokens)
  const reasoning = count(wire.completion_tokens_details?.reasoning_tokens)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count(wire.total_tokens) ?? prompt + completion,
    ...(cached !== undefined && { cached_tokens: Math.min(cached, prompt) }),
    ...(reasoning !== undefined && { reasoning_tokens: Math.min(reasoning, completion) }),
  }
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
