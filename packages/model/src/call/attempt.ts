import type {
  EventBody,
  EventUsage,
  LogRecord,
  MaybePromise,
  ModelAttempt,
  ModelParams,
  RunScope,
  SpanEvent,
  Usage,
} from '@x/interfaces'
import type { XError } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { guardSecrets, redact, redactData } from '@x/kernel/redact'
import type { Span } from '@x/kernel/run'
import { countUsage } from './answer-fields.ts'
import { clientOf, type ConfigAnswer, type ConfigCall, type SentUsage } from './config-call.ts'
import { finalFailure } from './failure.ts'
import { isModelFailure, type ModelFailure } from './sending-policy.ts'
import { SHOWN_PARAMS } from '../config/config-keys.ts'
import { hostOf, providerNameOf } from '../config/slot.ts'
import { UsageSum } from '../usage/ledger.ts'
import type { WrapperParts } from './wrapper-parts.ts'

/** Returns the span of the attempt of one config; undefined if nobody takes its events. */
export function attemptSpan(call: ConfigCall): AttemptSpan | undefined {
  const { reporter } = call
  const { scope } = reporter
  const isTaken = scope && (reporter.takes('modelAttemptStart') || reporter.takes('modelAttemptEnd'))
  return isTaken ? new AttemptSpan(call, scope) : undefined
}

type StartFields = Extract<SpanEvent, { type: 'modelAttemptStart' }>
type EndFields = Extract<SpanEvent, { type: 'modelAttemptEnd' }>

/**
 * The span of an attempt. A class and no closures: V8 keeps what closures of a call capture alive for long. Plain fields:
 * private ones cost more to make.
 */
export class AttemptSpan implements Span<ConfigAnswer> {
  readonly id: string
  readonly parentId: string | null
  /** False if a trace alone takes the events. */
  readonly isHeard: boolean
  readonly common: { readonly type: 'modelAttempt'; readonly agent: string | null }
  readonly endpoint: string | null
  readonly call: ConfigCall
  readonly scope: RunScope
  began?: number

  constructor(call: ConfigCall, scope: RunScope) {
    const { reporter, slot, agent, buffer } = call
    const id = scope.newSpanId()
    this.id = id
    this.parentId = reporter.spanId
    this.call = call
    this.scope = scope
    this.common = { type: 'modelAttempt', agent }
    this.endpoint = hostOf(clientOf(call).endpoint ?? slot.client.baseUrl)
    this.isHeard = (scope.hears?.('modelAttemptStart') ?? true) || (scope.hears?.('modelAttemptEnd') ?? true)
    reporter.spanId = id
    buffer.clock = scope
  }

  makeStart(time: number): EventBody {
    const { call, id, parentId, endpoint, scope } = this
    const { params } = call.prepared
    // A digest is most of the price of an attempt's events, and no trace needs it.
    const isHeard = scope.hears?.('modelAttemptStart') ?? true
    const { keys } = call.parts.plan.shared
    const start: WithEnvelope<StartFields> = {
      type: 'modelAttemptStart',
      runId: undefined,
      seq: 0,
      time,
      chatId: null,
      agentPath: null,
      parentId,
      id,
      agent: call.agent,
      configId: call.slot.index,
      provider: providerNameOf(call.slot),
      endpoint,
      model: params.model ?? null,
      messages: params.messages.length,
      digest: isHeard ? keys.keyOf({ messages: params.messages }, NO_ENDPOINT, undefined) : '',
      streamed: call.run.face === 'stream' && clientOf(call).stream !== undefined,
      parameters: shownParams(call),
    }
    return start
  }

  makeEnd(
    { time, ms, outcome, error: failure }: Parameters<NonNullable<Span<ConfigAnswer>['makeEnd']>>[0],
    result: ConfigAnswer | undefined,
    error: unknown,
  ): EventBody {
    const { call, id, parentId, endpoint } = this
    const { waitedMs, prepared } = call
    const answer = result?.answer
    if (call.parts.logger) call.traceparent = this.scope.trace?.contextOf(id)?.traceparent
    const { usage, cost } = usageOfAttempt(call, result)
    const end: WithEnvelope<EndFields> = {
      type: 'modelAttemptEnd',
      runId: undefined,
      seq: 0,
      time,
      chatId: null,
      agentPath: null,
      parentId,
      id,
      agent: call.agent,
      configId: call.slot.index,
      provider: providerNameOf(call.slot),
      endpoint,
      model: prepared.params.model ?? null,
      ms,
      outcome,
      error: failure,
      cached: result?.cached ?? false,
      sendings: call.sendings,
      kind: isModelFailure(error) ? error.kind : null,
      responseId: answer?.id ?? null,
      responseModel: answer?.model ?? null,
      finishReason: answer?.choices[0]?.finish_reason ?? null,
      firstTokenAt: call.buffer.firstTokenAt,
      usage,
      cost,
    }
    if (waitedMs !== undefined) end.waitedMs = waitedMs
    return end
  }

  now(): number {
    return this.scope.now()
  }

  send(event: EventBody): MaybePromise<void> {
    return this.call.reporter.report(event)
  }

  sendStart(event: EventBody): MaybePromise<void> {
    const sent = this.send(event)
    const { scope } = this
    if (scope.tracesRequests) scope.trace?.takeRequest?.(this.id, this.call.prepared.params.messages)
    return sent
  }

  leave(): void {
    this.call.reporter.spanId = this.parentId
  }
}

/** An event with room for its envelope. */
type WithEnvelope<T extends SpanEvent> = Mutable<T> & {
  readonly runId: undefined
  readonly seq: 0
  readonly time: number
  readonly chatId: null
  readonly agentPath: null
}

/** Returns the parameters of a request that events show, without secrets. */
function shownParams(call: ConfigCall): StartFields['parameters'] {
  const { params } = call.prepared
  const shown: Record<string, unknown> = {}
  let hasTexts = false
  for (const name in params) {
    if (!SHOWN_PARAMS.has(name)) continue
    const value = params[name]
    if (value === undefined) continue
    shown[name] = value
    hasTexts ||= typeof value === 'string' || typeof value === 'object'
  }
  return hasTexts ? (redactData(shown, call.slot.secrets) as typeof shown) : shown
}

/** Returns the usage of an attempt: of its answer, and of requests before it that may be paid for. */
function usageOfAttempt(call: ConfigCall, result: ConfigAnswer | undefined): Pick<EndFields, 'usage' | 'cost'> {
  const { unanswered } = call
  if (!result && unanswered.length === 0) return NO_USAGE
  const sum: Mutable<EventUsage> = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
  let cost: number | null = 0
  for (const sent of unanswered) cost = addSent(sum, cost, sent)
  if (result) cost = addSent(sum, cost, sentUsage(call, result))
  return { usage: sum, cost }
}

/** Adds the usage of a request to a sum; returns the cost so far, null if a price is not known. */
function addSent(sum: Mutable<EventUsage>, cost: number | null, sent: SentUsage): number | null {
  const { usage, cacheWriteTokens, cost: own } = sent
  sum.promptTokens += finite(usage.promptTokens)
  sum.completionTokens += finite(usage.completionTokens)
  sum.totalTokens += finite(usage.totalTokens)
  addPart(sum, 'cachedTokens', usage.cachedTokens)
  addPart(sum, 'reasoningTokens', usage.reasoningTokens)
  addPart(sum, 'cacheWriteTokens', cacheWriteTokens)
  return cost === null || own === null ? null : cost + own
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Adds the tokens of a part, if the provider reports the part. */
function addPart(
  sum: Mutable<EventUsage>,
  part: 'cachedTokens' | 'reasoningTokens' | 'cacheWriteTokens',
  tokens: number | undefined,
): void {
  if (tokens !== undefined) sum[part] = (sum[part] ?? 0) + finite(tokens)
}

function sentUsage(call: ConfigCall, { answer, cost }: ConfigAnswer): SentUsage {
  const { usage, answer: counted } = countUsage(call, answer)
  return { usage, cacheWriteTokens: counted.usage?.cache_write_tokens, cost }
}

/** Usage of an attempt without an answer. */
const NO_USAGE = { usage: null, cost: null }

/** Stands for any endpoint: a digest depends on the messages alone. */
const NO_ENDPOINT = { provider: '', baseUrl: undefined, apiVersion: undefined }

/** Tags of a config without tags: one list for all rows. */
const NO_TAGS: readonly string[] = Object.freeze([])

/** Adds an answer to the ledger. */
export function recordUsage(call: ConfigCall, { answer, cost, cached }: ConfigAnswer): void {
  const { usage, estimated } = countUsage(call, answer)
  addLedgerRow(call, usage, { cost, cached, estimated })
}

/** Adds usage of a request to the ledger and to that of its run; `isWhole` is false without a whole answer, whose length tells nothing of the next. */
export function addLedgerRow(
  call: ConfigCall,
  usage: Usage,
  { cost, cached, estimated }: Pick<ConfigAnswer, 'cost' | 'cached'> & { readonly estimated: boolean },
  isWhole: boolean = true,
): void {
  const { parts, slot, prepared } = call
  // Written out, as the ledger packs it: every row has the same shape.
  const row = {
    configId: slot.index,
    usage: {
      model: usage.model,
      promptTokens: finite(usage.promptTokens),
      completionTokens: finite(usage.completionTokens),
      totalTokens: finite(usage.totalTokens),
      cachedTokens: usage.cachedTokens,
      reasoningTokens: usage.reasoningTokens,
      cost,
    },
    cached,
    estimated,
    operation: call.operation,
    tags: prepared.extra.tags ?? NO_TAGS,
    agent: prepared.extra.agent ?? null,
    at: parts.plan.runtime.now(),
  }
  parts.memory.openLedger().add(row, isWhole)
  const { scope } = call.reporter
  // An agent counts its answers itself.
  if (!scope?.countUsage || scope.callKind === 'model' || call.operation === 'countTokens') return
  const sum = new UsageSum()
  sum.add(row)
  const total = sum.summary
  scope.countUsage({ actual: cached ? null : total, total })
}

/** Adds the usage of an answer that a journal has to the ledger and to that of the run. */
export function restoreUsage(
  { memory }: Pick<WrapperParts, 'memory'>,
  scope: RunScope | undefined,
  used: Parameters<NonNullable<RunScope['countUsage']>>[0],
): void {
  memory.openLedger().restore(used.actual, used.total)
  scope?.countUsage?.(used)
}

/** Logs how an attempt ended. */
export function logCompletion(
  { parts, slot, prepared, invocationId, startTime, traceparent }: ConfigCall,
  outcome: Pick<Extract<LogRecord, { record: 'chatCompletion' }>, 'response' | 'isCached' | 'cost'>,
): void {
  parts.logger?.log({
    record: 'chatCompletion',
    invocationId,
    clientId: slot.index,
    wrapperId: parts.wrapperId,
    agent: prepared.extra.agent ?? null,
    request: withoutKeys(prepared.params),
    startTime,
    ...(traceparent !== undefined && { traceparent }),
    ...outcome,
  })
}

/** Hides in the log the values of headers, and of fields of the body with the name of a secret: they may be API keys. */
function withoutKeys(params: ModelParams): ModelParams {
  const { extra_headers: headers, extra_body: body } = params
  if (!headers && !body) return params
  const shown = { ...(headers && { extra_headers: headers }), ...(body && { extra_body: body }) }
  return { ...params, ...guardSecrets(shown).toJSON() }
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
    message: redact(error.message, call.slot.secrets),
    ...(status !== undefined && { status }),
  })
}

/** Makes the error that ends a call whose last attempt failed. */
export function finalError(call: ConfigCall, error: ModelFailure): XError {
  return finalFailure(error, call.slot, [...call.attempts])
}
