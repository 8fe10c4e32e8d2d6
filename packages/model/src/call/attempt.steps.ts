import type { LogRecord, ModelAttempt, ModelEvent, ModelParams, Usage } from '@x/interfaces'
import type { Steps, XError } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { redact } from '@x/kernel/redact'
import { inSpan } from '@x/kernel/run'
import type { KeyMaker } from '../cache/cache-key.ts'
import { countUsage } from './answer-usage.ts'
import type { ConfigAnswer, ConfigCall } from './config-call.ts'
import { finalFailure } from './failure.ts'
import { isModelFailure, type ModelFailure } from './sending-policy.ts'

/** Runs the attempt of one config between the events of its start and end, if somebody listens to them. */
export function inAttempt(call: ConfigCall, steps: Steps<ConfigAnswer, ModelEvent>): Steps<ConfigAnswer, ModelEvent> {
  const { reporter, slot, prepared, agent, callId, parts } = call
  if (!reporter.takes('modelAttemptStart') && !reporter.takes('modelAttemptEnd')) return steps
  const { params } = prepared
  const id = reporter.scope?.newSpanId() ?? `${callId}.attempt${slot.index}`
  const facts = { configId: slot.index, model: params.model ?? null }
  const origin = reporter.scope?.origin?.(agent)
  const common = { type: 'modelAttempt', agent, id, parentId: callId, ...facts, ...origin } as const
  const { messages } = params
  const digested: Digested = { messages, keys: parts.plan.shared.keys }
  const atStart = {
    messages: { value: messages.length, enumerable: true },
    [DIGESTED]: { value: digested },
    digest: DIGEST_PROPERTY,
  }
  const atEnd = (result: ConfigAnswer | undefined, error: unknown): object => ({
    cached: result?.cached ?? false,
    sendings: call.sendings,
    ...(call.waitedMs !== undefined && { waitedMs: call.waitedMs }),
    kind: isModelFailure(error) ? error.kind : null,
    ...usageOfAttempt(call, result),
  })
  return inSpan(call.run, { common, atStart, atEnd, ...reporter.listener }, steps)
}

/** Returns the usage of an attempt: of its answer, and of requests before it that may be paid for. */
function usageOfAttempt(
  call: ConfigCall,
  result: ConfigAnswer | undefined,
): { usage: object | null; cost: number | null } {
  const answered = result && { usage: countUsage(call, result.answer).usage, cost: result.cost }
  const all = answered ? [...call.unknown, answered] : call.unknown
  if (all.length === 0) return NO_USAGE
  const sum = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
  let cost: number | null = 0
  for (const { usage, cost: own } of all) {
    sum.promptTokens += finite(usage.promptTokens)
    sum.completionTokens += finite(usage.completionTokens)
    sum.totalTokens += finite(usage.totalTokens)
    cost = cost === null || own === null ? null : cost + own
  }
  return { usage: sum, cost }
}

/** Usage of an attempt without an answer. */
const NO_USAGE = { usage: null, cost: null }

/** Stands for any endpoint: a digest depends on the messages alone. */
const NO_ENDPOINT = { provider: '', baseUrl: undefined, apiVersion: undefined }

/** The messages of a digest, and the maker of its key. */
interface Digested {
  readonly messages: ModelParams['messages']
  readonly keys: KeyMaker
}

const DIGESTED = Symbol('the messages of a digest')

/**
 * The `digest` of an event, which identifies the messages without showing them. It is computed when it is read. All events
 * share one getter: V8 makes a hidden class for each object with a getter of its own, which would keep the messages alive.
 */
const DIGEST_PROPERTY: PropertyDescriptor & ThisType<{ readonly [DIGESTED]: Digested }> = {
  get() {
    const { messages, keys } = this[DIGESTED]
    return keys.keyOf({ messages }, NO_ENDPOINT, undefined)
  },
  enumerable: true,
}

/** Tags of a config without tags: one list for all rows. */
const NO_TAGS: readonly string[] = Object.freeze([])

/** Adds an answer to the ledger. */
export function recordUsage(call: ConfigCall, { answer, cost, cached }: ConfigAnswer): void {
  const { usage, estimated } = countUsage(call, answer)
  addLedgerRow(call, usage, { cost, cached, estimated })
}

/** Adds usage of a request to the ledger; `isWhole` is false without a whole answer, whose length tells nothing of the next. */
export function addLedgerRow(
  call: ConfigCall,
  usage: Usage,
  { cost, cached, estimated }: Pick<ConfigAnswer, 'cost' | 'cached'> & { readonly estimated: boolean },
  isWhole: boolean = true,
): void {
  const { parts, slot, prepared } = call
  const row = {
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
  }
  parts.memory.openLedger().add(row, isWhole)
}

/** Logs how an attempt ended. */
export function logCompletion(
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

/** Hides the values of headers in the log, since they may hold API keys. */
function withoutHeaders(params: ModelParams): ModelParams {
  const { extra_headers: headers } = params
  if (!headers) return params
  return { ...params, extra_headers: Object.fromEntries(Object.keys(headers).map((name) => [name, '[redacted]'])) }
}

/** Adds an attempt without an accepted answer to `attempts` of the call. */
export function addAttempt(
  { parts, slot, prepared, startTime, attempts }: ConfigCall,
  facts: Pick<ModelAttempt, 'kind' | 'message' | 'status'>,
): void {
  const ms = parts.plan.runtime.now() - startTime
  attempts.push({ configId: slot.index, model: prepared.params.model ?? null, ms, ...facts })
}

/** Logs a failed attempt and adds it to `attempts`. */
export function noteFailure(call: ConfigCall, error: ModelFailure): void {
  const { slot } = call
  const { kind, status, details } = error
  const code: unknown = details?.['code'] ?? status ?? kind
  const response = `error_code:${typeof code === 'string' ? code : JSON.stringify(code)}, config ${slot.index} failed`
  // The Python library logs answers of the API; a call that timed out has none.
  if (kind !== 'timeout') logCompletion(call, { response, isCached: 0, cost: 0 })
  addAttempt(call, {
    kind,
    message: redact(error.message, secretsOfAll(call)),
    ...(status !== undefined && { status }),
  })
}

/** Makes the error that ends a call whose last attempt failed. */
export function finalError(call: ConfigCall, error: ModelFailure): XError {
  return finalFailure(error, call.slot, [...call.attempts], secretsOfAll(call))
}

const secretsOfAll = ({ parts }: ConfigCall): string[] => parts.plan.slots.flatMap(({ secrets }) => secrets)
