import type { AnswerContent, ServerChoice, ServerUsage } from '../reply.ts'
import type { ChatRequest } from './chat-request.ts'

/** An answer with all defaults filled in. */
export interface ChatAnswer {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly choices: readonly ServerChoice[]
  readonly usage: ServerUsage | null
}

/** Fills in the defaults of an answer. */
export function chatAnswer(answer: AnswerContent, request: ChatRequest): ChatAnswer {
  const { choices, usage = { prompt: 10, completion: 5 }, model = request.model } = answer
  return {
    id: `chatcmpl-${request.index + 1}`,
    created: 1_700_000_000 + request.index,
    model,
    choices: choices ?? Array.from({ length: request.n }, () => answer),
    usage,
  }
}

/** The body of a complete answer. */
export function chatCompletion({ usage, choices, ...frame }: ChatAnswer): object {
  return {
    ...frame,
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: message(choice),
      logprobs: null,
      finish_reason: finishReason(choice),
    })),
    ...(usage && { usage: wireUsage(usage) }),
    service_tier: 'default',
    system_fingerprint: 'fp_fake',
  }
}

function message({
  content,
  pieces,
  refusal = null,
  tool_calls: calls,
  reasoning_content: thoughts,
}: ServerChoice): object {
  return {
    role: 'assistant',
    content: content ?? pieces?.join('') ?? null,
    ...(thoughts !== undefined && { reasoning_content: thoughts }),
    ...(calls?.length && {
      tool_calls: calls.map((call, index) => ({
        id: callId(call.id, index),
        type: 'function',
        function: call.function,
      })),
    }),
    refusal,
    annotations: [],
  }
}

/** Returns the id of a call, or a new one if the script has none. */
export const callId = (id: string | undefined, index: number): string => id ?? `call_${index + 1}`

/** Returns the finish reason of a choice. */
export const finishReason = ({ finish_reason: given, tool_calls: calls }: ServerChoice): string =>
  given ?? (calls?.length ? 'tool_calls' : 'stop')

/** Tokens as the API counts them, with their parts. */
export function wireUsage({ prompt, completion, cached = 0, reasoning = 0 }: ServerUsage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
