import type { AnswerUsage, ModelAnswer, ModelParams, Usage } from '@x/interfaces'
import { clientOf, type ConfigCall } from './config-call.ts'
import { costOf } from '../usage/price.ts'
import { tokensIn } from '../usage/token-estimate.ts'

/** Usage of an answer, reported by the provider or estimated. */
export interface CountedUsage {
  /** The answer with its usage, to compute the cost. */
  readonly answer: ModelAnswer
  readonly usage: Usage
  readonly estimated: boolean
}

/** Returns the usage of an answer; if the provider does not report it, an estimate from the texts. */
export function countUsage(call: ConfigCall, answer: ModelAnswer): CountedUsage {
  const client = clientOf(call)
  const usage = client.getUsage(answer)
  // A client may count usage itself.
  if (isReported(answer.usage) || usage.promptTokens > 0 || usage.completionTokens > 0) {
    return { answer, usage, estimated: false }
  }
  const counted = { ...answer, usage: estimateUsage(call.prepared.params, answer) }
  return { answer: counted, usage: client.getUsage(counted), estimated: true }
}

const isReported = (usage: AnswerUsage | undefined): boolean =>
  Number.isFinite(usage?.prompt_tokens) || Number.isFinite(usage?.completion_tokens)

/** Returns the cost of an answer by the price of the config, or else by the client; null if neither knows. */
export function costFor(
  call: ConfigCall,
  given: ModelAnswer,
  { answer }: ReturnType<typeof countUsage> = countUsage(call, given),
): number | null {
  const { price } = call.prepared
  const cost = price ? costOf(answer.usage, price) : clientOf(call).cost(answer)
  return cost !== null && Number.isFinite(cost) ? cost : null
}

/** Estimates the tokens of a request. */
export const promptTokens = (params: ModelParams): number => tokensIn(promptOf(params))

/** Returns the part of a request that a model reads. */
export const promptOf = ({ messages, ...rest }: ModelParams): unknown[] => [
  messages,
  rest['tools'] ?? rest['functions'] ?? null,
  rest['prompt'] ?? null,
]

function estimateUsage(params: ModelParams, { choices }: ModelAnswer): AnswerUsage {
  const written = choices.map(({ message }) => [message.content, message.tool_calls, message.function_call])
  return usageOf(promptTokens(params), tokensIn(written))
}

/** Makes usage from token numbers. */
export const usageOf = (prompt: number, completion: number): AnswerUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})
