import type { AnswerUsage, ChatMessage, ModelAnswer, ModelEvent, ModelParams } from '@x/interfaces'
import { clientOf, type ConfigCall, type CountedUsage } from './config-call.ts'
import { costOf } from '../usage/price.ts'
import { tokensIn } from '../usage/token-estimate.ts'

/** Returns the usage of an answer; if the provider does not report it, an estimate from the texts. */
export function countUsage(call: ConfigCall, answer: ModelAnswer): CountedUsage {
  if (call.counted?.of === answer) return call.counted.usage
  const usage = countAnswer(call, answer)
  call.counted = { of: answer, usage }
  return usage
}

function countAnswer(call: ConfigCall, answer: ModelAnswer): CountedUsage {
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
  return cost !== null && Number.isFinite(cost) ? cost * priceFactorOf(call) : null
}

/** Returns the part of the price that an answer costs: less than 1 in a batch. */
export const priceFactorOf = (call: ConfigCall): number =>
  call.prepared.extra.batch ? (clientOf(call).batches?.priceFactor ?? 1) : 1

/** Estimates the tokens of a request. */
export const promptTokens = (params: ModelParams): number => tokensIn(promptOf(params))

/** Returns the part of a request that a model reads. */
export const promptOf = ({ messages, ...rest }: ModelParams): readonly unknown[] => {
  const { input, response_format: format } = rest
  // The texts of a request for vectors.
  if (messages.length === 0 && Array.isArray(input)) return input as unknown[]
  const parts = [messages, rest['tools'] ?? rest['functions'] ?? null, rest['prompt'] ?? null]
  // A schema is read, too.
  return format ? [...parts, format] : parts
}

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

/** Characters of a name or an identifier that a server chooses: they go into events, warnings, ledgers and journals. */
const MAX_NAME_LENGTH = 256

/** Characters of the identifier of a call: gateways put signatures of reasoning into it, which have to come back whole. */
const MAX_CALL_ID_LENGTH = 16_384

const isShort = (name: unknown, max = MAX_NAME_LENGTH): boolean => typeof name !== 'string' || name.length <= max

const short = <T>(name: T, max = MAX_NAME_LENGTH): T =>
  isShort(name, max) ? name : ((name as string).slice(0, max) as T)

/** Cuts the names and identifiers of an answer that are too long; any other answer is returned as it is. */
export function withShortNames(answer: ModelAnswer): ModelAnswer {
  const { id, model, choices } = answer
  if (isShort(id) && isShort(model) && (choices ?? []).every(isShortChoice)) return answer
  return {
    ...answer,
    id: short(id),
    model: short(model),
    choices: choices.map((choice) => ({
      ...choice,
      finish_reason: short(choice.finish_reason),
      message: withShortCalls(choice.message),
    })),
  }
}

const isShortChoice = ({ finish_reason: reason, message }: ModelAnswer['choices'][number]): boolean =>
  isShort(reason) && (!message?.tool_calls || message.tool_calls.every(isShortCall))

type Call = NonNullable<ChatMessage['tool_calls']>[number]

const isShortCall = (call: Call): boolean => isShort(call?.id, MAX_CALL_ID_LENGTH) && isShort(call?.function?.name)

function withShortCalls(message: ChatMessage): ChatMessage {
  if ((message?.tool_calls ?? []).every(isShortCall)) return message
  const calls = message.tool_calls!.map((call) => ({
    ...call,
    ...(call.id !== undefined && { id: short(call.id, MAX_CALL_ID_LENGTH) }),
    function: { ...call.function, name: short(call.function?.name) },
  }))
  return { ...message, tool_calls: calls }
}

/** Cuts the names of an event of a stream that are too long. */
export function withShortName(event: ModelEvent): ModelEvent {
  if (event.type === 'start') {
    return isShort(event.id) && isShort(event.model)
      ? event
      : { ...event, id: short(event.id), model: short(event.model) }
  }
  if (event.type !== 'toolCallStart' || (isShort(event.id, MAX_CALL_ID_LENGTH) && isShort(event.name))) return event
  return { ...event, id: short(event.id, MAX_CALL_ID_LENGTH), name: short(event.name) }
}
