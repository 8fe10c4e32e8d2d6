import type { LogRecord, ModelAttempt, ModelParams, Usage } from '@x/interfaces'
import type { XError } from '@x/kernel'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { finalFailure } from './final-failure.ts'
import type { ModelFailure } from './failover.ts'
import { countUsage } from './answer-usage.ts'
import { finite } from '@x/kernel/price'
import { redact } from '@x/kernel/redact'

/** Tags of a config that has none: one list for all rows. */
const NO_TAGS: readonly string[] = Object.freeze([])

/** Puts an answer into the ledger. */
export function recordUsage(call: ConfigCall, { answer, cost, cached }: ConfigAnswer): void {
  const { usage, estimated } = countUsage(call, answer)
  addRow(call, usage, { cost, cached, estimated })
}

/** Puts what a call used into the ledger. */
export function addRow(
  call: ConfigCall,
  usage: Usage,
  { cost, cached, estimated }: Pick<ConfigAnswer, 'cost' | 'cached'> & { readonly estimated: boolean },
): void {
  const { parts, slot, prepared } = call
  parts.memory.openLedger().add({
    configId: slot.index,
    usage: {
      ...usage,
      promptTokens: finite(usage.promptTokens),
      completionTokens: finite(usage.completionTokens),
      totalTokens: finite(usage.totalTokens),
      cost,
    },
    cached,
    ...(estimated && { estimated }),
    tags: prepared.extra.tags ?? NO_TAGS,
    agent: prepared.extra.agent ?? null,
    at: parts.plan.runtime.now(),
  })
}

/** Logs how a turn ended. */
export function logTurn(
  { parts, slot, prepared, invocationId, startTime }: ConfigCall,
  outcome: Pick<Extract<LogRecord, { record: 'chatCompletion' }>, 'response' | 'isCached' | 'cost'>,
): void {
  parts.logger?.log({
    record: 'chatCompletion',
    invocationId,
    clientId: slot.index,
    wrapperId: parts.wrapperId,
    agent: prepared.extra.agent ?? null,
    request: withoutHeaders(prepared.params),
    startTime,
    ...outcome,
  })
}

/** Headers of a request may hold keys: the log has their names. */
function withoutHeaders(params: ModelParams): ModelParams {
  const { extra_headers: headers } = params
  if (!headers) return params
  return { ...params, extra_headers: Object.fromEntries(Object.keys(headers).map((name) => [name, '[redacted]'])) }
}

/** Writes down that a turn gave no answer. */
export function noteAttempt(
  { parts, slot, prepared, startTime, attempts }: ConfigCall,
  facts: Pick<ModelAttempt, 'kind' | 'message' | 'status'>,
): void {
  const ms = parts.plan.runtime.now() - startTime
  attempts.push({ configId: slot.index, model: prepared.params.model ?? null, ms, ...facts })
}

/** Writes a failed turn down. */
export function noteFailure(call: ConfigCall, error: ModelFailure): void {
  const { slot } = call
  const { kind, status, details } = error
  const code: unknown = details?.['code'] ?? status ?? kind
  const response = `error_code:${typeof code === 'string' ? code : JSON.stringify(code)}, config ${slot.index} failed`
  // The reference logs what an API answered; a call that timed out has no answer.
  if (kind !== 'timeout') logTurn(call, { response, isCached: 0, cost: 0 })
  noteAttempt(call, {
    kind,
    message: redact(error.message, secretsOfAll(call)),
    ...(status !== undefined && { status }),
  })
}

/** The error that ends a call whose last turn failed. */
export function finalError(call: ConfigCall, error: ModelFailure): XError {
  return finalFailure(error, call.slot, [...call.attempts], secretsOfAll(call))
}

const secretsOfAll = ({ parts }: ConfigCall): string[] => parts.plan.slots.flatMap(({ secrets }) => secrets)
