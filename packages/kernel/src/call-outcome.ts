import type { AnswerDetails, AnswerUsage, EventUsage, ModelResponse, SpanEvent } from '@x/interfaces'

/** The fields of `modelCallEnd` that tell the answer of the call. */
type CallOutcome = Pick<
  Extract<SpanEvent, { type: 'modelCallEnd' }>,
  'message' | 'details' | 'model' | 'configId' | 'finishReason' | 'cached' | 'usage' | 'cost'
>

/** A call that gave no answer. */
const NO_ANSWER: CallOutcome = {
  message: null,
  details: null,
  model: null,
  configId: null,
  finishReason: null,
  cached: false,
  usage: null,
  cost: null,
}

/**
 * Returns the fields of `modelCallEnd` that tell the answer of a call; null stands for no answer. `message` is the first
 * text or message of the answer: a caller who reads another one puts it in its place.
 */
export function callOutcome(response: ModelResponse | null): CallOutcome {
  if (!response) return NO_ANSWER
  const { model, configId, choices, cached, usage, cost, unpriced } = response
  return {
    message: messageIn(response),
    details: choices[0] ? detailsOf(choices[0]) : null,
    model,
    configId,
    finishReason: choices[0]?.finish_reason ?? null,
    cached,
    usage: usage ? eventUsage(usage) : null,
    cost: unpriced ? null : cost,
  }
}

function messageIn(response: ModelResponse): CallOutcome['message'] {
  try {
    return response.messageRetrievalFunction(response)[0] ?? null
  } catch {
    // A client of the program's own may fail here: its caller hears of it who reads the answer, and the call has an end.
    return null
  }
}

/** Returns the parts of a choice beside its message; null if there are none. */
function detailsOf(choice: ModelResponse['choices'][number]): AnswerDetails | null {
  const { index: _, message: __, finish_reason: ___, ...details } = choice
  for (const name in details) if (details[name as keyof AnswerDetails] !== undefined) return details
  return null
}

/** Returns the tokens of an answer in the names of events; parts that the provider does not report are absent. */
function eventUsage(usage: AnswerUsage): EventUsage {
  const { cached_tokens: cached, reasoning_tokens: reasoning, cache_write_tokens: written } = usage
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(written !== undefined && { cacheWriteTokens: written }),
  }
}
