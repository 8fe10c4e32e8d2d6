import type {
  AnswerUsage,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelEvent,
  ModelParams,
  Permit,
  Run,
  StoredAnswer,
  TraceContext,
  Usage,
} from '@x/interfaces'
import { isXError, type Steps, wait, XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { finite } from '@x/kernel/price'
import { redact } from '@x/kernel/redact'
import { onStop } from '@x/kernel/run'
import { enterBudget, enterLimiter, MAX_TIMER_MS } from './admission.steps.ts'
import { costFor, countUsage, promptTokens, usageOf, withShortNames } from './answer-fields.ts'
import { addLedgerRow } from './attempt.ts'
import { CallBudget, LOWERED_WARNING } from './call-budget.ts'
import { Batcher, type BatchedRequest, type KeptValue } from './batcher.ts'
import { callClient, clientOf, type ConfigCall, type CountedUsage, keptCall } from './config-call.ts'
import { type FailedOutcome, isModelFailure, type ModelFailure, outcomeOf, stepAfter } from './sending-policy.ts'
import { streamAnswer } from './stream.steps.ts'
import { UsageSum } from '../usage/ledger.ts'
import { blockFor, explainSelfCall } from '../clients/blocking.ts'

/** A new answer of a client, and its warnings, which every caller who shares the answer sends. */
export interface FetchedAnswer {
  readonly stored: StoredAnswer
  readonly warnings: Warnings
  /** Resolves when the answer is in the cache, if the cache is asynchronous. */
  readonly written?: PromiseLike<void> | undefined
  /** True if a limit that the caller did not set has truncated the answer: it is not cached. */
  readonly truncated?: boolean | undefined
}

/** Warnings of a call, which are sent once it has an answer. */
export type Warnings = [topic: string, text: string][]

/** Asks the client for an answer. `stop.signal` stops it; the signal is made when it is read. */
export const fetchAnswer = (
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  warnings: Warnings,
): Steps<FetchedAnswer, ModelEvent> => sendUntilAnswered(call, stop, warnings, askForAnswer)

/** Sends one request for an answer and settles it. */
function* askForAnswer(call: ConfigCall, sending: Sending, warnings: Warnings): Steps<FetchedAnswer, ModelEvent> {
  const limited = sending.budget?.limitedParams()
  const isLowered = limited?.isLowered === true
  if (isLowered) warnings.push(['max_tokens', LOWERED_WARNING])
  const params = limited?.params ?? call.prepared.params
  const asking = call.prepared.extra.batch
    ? askInBatch(call, params, sending)
    : askClient(call, clientOf(call), params, sending)
  const answer = withShortNames(checkAnswer(yield* asking, call))
  const counted = countUsage(call, answer)
  sending.answered(counted)
  if (counted.estimated) {
    const text = `answers of \`${answer.model}\` come without usage: tokens and cost are estimated from their texts`
    warnings.push(['usage', text])
  }
  const cost = costFor(call, answer, counted)
  return { stored: { answer, cost }, warnings, truncated: isLowered && isTruncated(answer) }
}

/**
 * Sends a request by `ask`, and again as long as the policy says so. Each request has its own reservation in the budgets, its
 * own permit and its own account; when a budget has no room for a further request, the failure before is the result. `ask`
 * is a function of a module and not a closure: V8 makes a hidden class for each generator function that is called.
 */
export function* sendUntilAnswered<T>(
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  warnings: Warnings,
  ask: (call: ConfigCall, sending: Sending, warnings: Warnings) => Steps<T, ModelEvent>,
): Steps<T, ModelEvent> {
  const budget = CallBudget.of(call)
  let failure: ModelFailure | undefined
  for (let sendings = 1; ; sendings++) {
    const isFree = budget === null && !call.prepared.extra.limiter
    const sending: Sending = isFree
      ? new Sending(call, stop, { budget, permit: null, warnings })
      : yield* reserveSending(call, stop, { budget, warnings, failure })
    // A caller who leaves ends this request without a failure, whatever was before it.
    failure = undefined
    try {
      return yield* ask(call, sending, warnings)
    } catch (error) {
      if (!isModelFailure(error)) throw error
      failure = error
    } finally {
      sending.end(failure)
    }
    throwIfAborted(call.run.face === 'sync' ? undefined : stop.signal)
    const next = nextStep(call, failure, { sendings, outcome: sending.outcome, hasReported: sending.hasReported })
    if (next.step !== 'again') throw call.run.face === 'sync' ? explainSelfCall(failure, call.slot.client) : failure
    if (next.isFree) {
      call.sent.hasRepeatedUnsent = true
      sendings--
    }
    if (next.afterMs > 0) yield* pause(call, stop, Math.min(next.afterMs, MAX_TIMER_MS))
  }
}

/** Decides the step after a failed request; without `sending`, after the last one of a config. */
export function nextStep(
  call: ConfigCall,
  failure: ModelFailure,
  sending?: Pick<Sending, 'outcome' | 'hasReported'> & { readonly sendings: number },
): ReturnType<typeof stepAfter> {
  const { parts, slot, prepared, last, buffer, run, sent } = call
  const { failover, maxRetryAfter = DEFAULT_MAX_RETRY_AFTER_S, retryTimeouts = false } = prepared.extra
  // A client that does not report its requests may send again by itself: it is repeated if the entry or the client says so.
  const mayRepeat = sending?.hasReported === true || failure.details?.['askAgain'] === true
  const { maxRetries = mayRepeat ? DEFAULT_MAX_RETRIES : 0 } = slot.client
  return stepAfter(failure, sending?.outcome ?? 'unknown', {
    failover,
    maxRetries,
    maxRetryAfter,
    retryTimeouts,
    last,
    sendings: sending?.sendings ?? Infinity,
    streamed: run.face === 'stream' && call.operation !== 'embed' && clientOf(call).stream !== undefined,
    hasContent: buffer.received !== null,
    isOpen: buffer.open,
    mayRepeatUnsent: !sent.hasRepeatedUnsent && sending?.hasReported === true,
    random: clientOf(call).clock?.random ?? parts.plan.runtime.random,
  })
}

/** Further requests of a config after transient failures. */
const DEFAULT_MAX_RETRIES = 2

/** Longest wait that a provider may ask for by default. */
const DEFAULT_MAX_RETRY_AFTER_S = 60

/** Waits before a further request. A blocking call waits by blocking its thread. */
function* pause(call: ConfigCall, stop: Pick<Run, 'signal'>, ms: number): Steps<void, never> {
  if (call.run.face === 'sync') return blockFor(ms)
  const { clock } = clientOf(call)
  const { signal } = stop
  let timer: ReturnType<typeof setTimeout> | undefined
  const sleep = clock?.sleep ?? ((delay) => new Promise<void>((resolve) => (timer = setTimeout(resolve, delay))))
  try {
    yield* wait(abortable(sleep(ms, signal), signal), 'the time before a further request')
  } finally {
    clearTimeout(timer)
  }
}

/** Reserves a request in the budgets and waits for its permit. A further one that the budgets refuse ends in the failure before. */
function* reserveSending(
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  init: {
    readonly budget: CallBudget | null
    readonly warnings: Warnings
    readonly failure: ModelFailure | undefined
  },
): Steps<Sending, never> {
  const { budget, warnings, failure } = init
  let permit: Permit | null = null
  let isReserved = false
  try {
    if (budget) {
      budget.isHandedIn = isHandedIn(call)
      yield* enterBudget(call, budget)
    }
    permit = yield* enterLimiter(call, failure)
    isReserved = true
  } catch (error) {
    throw failure && !isXError(error, 'aborted') ? failure : error
  } finally {
    if (!isReserved) budget?.release()
  }
  return new Sending(call, stop, { budget, permit, warnings })
}

/** Refuses what is no answer: anybody may write a client. */
function checkAnswer(given: ModelAnswer | undefined, call: ConfigCall): ModelAnswer {
  if (given?.choices?.every?.((choice) => choice?.message)) return given
  throw new XError(
    'invalid-result',
    `\`${nameOfClient(call)}\` gave no answer: return \`{ id, model, choices }\`, with a \`message\` in each choice`,
  )
}

const nameOfClient = ({ slot, prepared }: ConfigCall): string =>
  `the client of ${slot.client.modelClientCls ?? prepared.params.model ?? `config ${slot.index}`}`

/** Tells whether an answer has reached its limit of tokens. */
const isTruncated = ({ choices }: ModelAnswer): boolean =>
  choices.some(({ finish_reason: reason }) => reason === 'length')

function askClient(
  call: ConfigCall,
  client: ModelClient,
  params: ModelParams,
  options: ModelCallOptions,
): Steps<ModelAnswer, ModelEvent> {
  const { run, buffer } = call
  const what = nameOfClient(call)
  // A client may have told of the start of an answer that did not come.
  if (!buffer.open && buffer.held.length > 0) buffer.held = []
  if (run.face === 'stream' && client.stream) return streamAnswer(client.stream(params, options), buffer, what)
  return wait(callClient(call, 'create', params, options), what)
}

/** Hands a request in with others, and waits for its answer. */
function askInBatch(call: ConfigCall, params: ModelParams, options: ModelCallOptions): Steps<ModelAnswer, never> {
  const { slot, run, parts } = call
  const { batches, clock } = clientOf(call)
  if (run.face === 'sync') {
    throw new XError('invalid-argument', 'a blocking call cannot wait for a batch, which takes hours: use `create`')
  }
  if (!batches) {
    const text = `\`${params.model ?? `config ${slot.index}`}\` has no batches: leave \`batch\` out of its config, or ask OpenAI, Anthropic or Google`
    throw new XError('model-failed', text, { kind: 'invalid-request' })
  }
  const batcher = Batcher.of(slot, { batches, clock, runtime: parts.plan.runtime })
  const next: BatchedRequest['next'] = () => {
    const place = keptPart(call, 'batch place')
    const id = keptPart(call, 'batch')
    call.sent.backgrounds++
    return place && id && { place, id, leave: place.leave }
  }
  return wait(batcher.answer({ params, options, next }), 'a batch')
}

/**
 * The account of one request: reserved before it is sent, and then exactly one of answered, refused, unsent and unknown.
 * Budgets, limiters, the ledger and the events of the call are told from here and from nowhere else. It is also the options
 * of the client's call, by which the client reports how far the request comes.
 */
export class Sending implements ModelCallOptions {
  /** Lives as long as the program, with a call, so that V8 keeps their layouts and the code compiled for them. */
  static readonly kept: Sending = new Sending(keptCall(), {} as Run, { budget: null, permit: null, warnings: [] })
  readonly timeout: number | undefined
  readonly timeouts: ModelCallOptions['timeouts']
  readonly sample: number | undefined
  readonly budget: CallBudget | null
  outcome: FailedOutcome = 'unknown'
  /** True if the client has reported that its request leaves. */
  hasReported = false
  readonly #call: ConfigCall
  readonly #stop: Pick<Run, 'signal'>
  readonly #permit: Permit | null
  readonly #warnings: Warnings
  /** False while or if nothing has left. A client that reports nothing counts as having sent its request. */
  #hasLeft = true
  #usage: AnswerUsage | undefined
  #background: ModelCallOptions['background']
  #isEnded = false

  constructor(
    call: ConfigCall,
    stop: Pick<Run, 'signal'>,
    init: { readonly budget: CallBudget | null; readonly permit: Permit | null; readonly warnings: Warnings },
  ) {
    const { timeout, timeouts, sample } = call.prepared.extra
    this.timeout = timeout
    this.timeouts = timeouts
    this.sample = sample
    this.budget = init.budget
    this.#warnings = init.warnings
    this.#call = call
    this.#stop = stop
    this.#permit = init.permit
  }

  /** Stops the request. It is made when the client reads it. */
  get signal(): AbortSignal | undefined {
    return this.#stop.signal
  }

  onStop(listener: (reason: unknown) => void): () => void {
    const { run } = this.#call
    if (this.#stop === run) return onStop(run, listener)
    const { signal } = this.#stop
    const hear = (): void => listener(signal?.reason)
    if (signal?.aborted) hear()
    signal?.addEventListener('abort', hear)
    return () => signal?.removeEventListener('abort', hear)
  }

  /** The trace context of the attempt, if requests carry it. */
  get trace(): TraceContext | undefined {
    const { scope, spanId } = this.#call.reporter
    return scope?.trace?.propagates ? scope.trace.contextOf(spanId) : undefined
  }

  /** Keeps an answer in the background, where a journal keeps the call. */
  get background(): ModelCallOptions['background'] {
    return (this.#background ??= keptBackground(this.#call))
  }

  /** Hears of parts of the request that were left out or changed: links in them may have keys. */
  get warn(): (topic: string, text: string) => void {
    return (topic, text) => void this.#warnings.push([topic, redact(text, this.#call.slot.secrets)])
  }

  /** Hears whether the request has left. */
  get onSend(): (hasLeft?: boolean) => boolean {
    return (hasLeft = true) => {
      if (this.#isEnded || (hasLeft && this.hasReported && this.#hasLeft)) return false
      this.hasReported ||= hasLeft
      this.#hasLeft = hasLeft
      return true
    }
  }

  /** Hears the counts of the answer. */
  get onUsage(): (usage: AnswerUsage) => void {
    return (usage) => void (this.#usage = usage)
  }

  /** Settles the usage of an answer; its row of the ledger follows when the answer is accepted. */
  answered({ answer, usage, estimated }: CountedUsage): void {
    // A price function of a client may throw: then the request ends without an answer.
    const cost = (this.budget && costFor(this.#call, answer, { answer, usage, estimated })) ?? 0
    this.#isEnded = true
    this.#call.sendings++
    const { promptTokens: input, completionTokens: output, totalTokens: total } = usage
    const tokens = Math.max(finite(total), finite(input) + finite(output))
    this.#permit?.end({ tokens, requests: 1 })
    this.budget?.settle({ cost, tokens, calls: 1 }, { outputTokens: finite(output), estimated })
  }

  /** Settles a count of tokens, which costs nothing. */
  counted(): void {
    this.#isEnded = true
    this.#call.sendings++
    this.#endUnpaid({ requests: 1 })
  }

  /** Settles a request without an answer; `failure` is undefined if its caller left. After an answer it does nothing. */
  end(failure: unknown): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { buffer, operation } = this.#call
    const { received } = buffer
    this.outcome = outcomeOf(failure, {
      hasLeft: this.#hasLeft,
      hasReported: this.hasReported,
      hasContent: received !== null,
    })
    if (this.outcome === 'unsent') {
      this.budget?.release()
      return this.#permit?.end({ tokens: 0, requests: 0 })
    }
    this.#call.sendings++
    const retryAfterMs = isModelFailure(failure) && failure.kind === 'rate-limit' ? failure.retryAfterMs : undefined
    if (this.outcome === 'refused' || operation === 'countTokens') return this.#endUnpaid({ requests: 1, retryAfterMs })
    this.#endUnknown(received?.tokens ?? 0)
  }

  #endUnpaid(used: { readonly requests: number; readonly retryAfterMs?: number | undefined }): void {
    this.budget?.settle({ cost: 0, tokens: 0, calls: 1 }, {})
    this.#permit?.end({ tokens: 0, ...used })
  }

  /**
   * Settles a request that may be paid for: at the usage that its answer reported before it broke off, or else at its
   * reservation, and at least at the content that has arrived.
   */
  #endUnknown(estimatedTokens: number): void {
    const call = this.#call
    const budget = this.budget ?? new CallBudget(call, [])
    const receivedTokens = Math.min(estimatedTokens, budget.mostOutput)
    const reported = this.#usage && withReceived(this.#usage, receivedTokens)
    const { usage, cost } = reported
      ? { usage: reported, cost: priceOf(call, reported) }
      : expectedSpending(call, budget, receivedTokens)
    const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: tokens } = usage
    const counted: Usage = {
      model: call.prepared.params.model ?? '',
      cost: cost ?? 0,
      promptTokens: prompt,
      completionTokens: completion,
      totalTokens: tokens,
      ...(usage.cached_tokens !== undefined && { cachedTokens: usage.cached_tokens }),
      ...(usage.reasoning_tokens !== undefined && { reasoningTokens: usage.reasoning_tokens }),
    }
    addLedgerRow(call, counted, { cost, cached: false, estimated: !reported }, false)
    call.unanswered.push({ usage: counted, cacheWriteTokens: usage.cache_write_tokens, cost })
    ;(call.sent.unanswered ??= new UsageSum()).add({ usage: { ...counted, cost } })
    this.#permit?.end({ requests: 1, ...(reported && { tokens }) })
    this.budget?.settle({ cost: cost ?? 0, tokens, calls: 1 }, { estimated: !reported })
  }
}

/** Returns what a journal keeps of an answer in the background: each has its own. Undefined without a journal. */
function keptBackground(call: ConfigCall): ModelCallOptions['background'] {
  const part = keptPart(call, 'background')
  if (!part) return undefined
  const { known, leave } = part
  if (known !== undefined) call.sent.backgrounds++
  return {
    known: typeof known === 'string' ? known : undefined,
    keep(id) {
      call.sent.backgrounds++
      return part.keep(id)
    },
    leave,
  }
}

/** Tells whether an earlier process has handed the request in, and its vendor may have the answer. */
function isHandedIn(call: ConfigCall): boolean {
  const { params, extra } = call.prepared
  const what = extra.batch ? 'batch' : params['background'] === true ? 'background' : undefined
  return what !== undefined && keptPart(call, what)?.known !== undefined
}

/**
 * Returns a part of the call under way that a journal keeps, by the request: the calls of a search are parts of one, and a
 * program that has changed asks something else.
 */
function keptPart(
  { slot, reporter, sent, prepared, parts }: ConfigCall,
  what: string,
): (KeptValue & Pick<NonNullable<ModelCallOptions['background']>, 'leave'>) | undefined {
  const { params, extra } = prepared
  const digest = parts.plan.shared.keys.keyOf(params, slot.endpoint, extra.sample).slice(0, DIGEST_LENGTH)
  const part = reporter.part(`${what} ${digest}.${sent.backgrounds}`)
  return part && { known: part.known?.value, keep: (value) => part.keep(value), leave: part.leave }
}

/** Letters of the digest of a request in a journal. */
const DIGEST_LENGTH = 24

/** Returns the amounts of the reservation, or of content that has arrived if those are greater. */
function expectedSpending(
  call: ConfigCall,
  budget: CallBudget,
  receivedTokens: number,
): { readonly usage: AnswerUsage; readonly cost: number | null } {
  const { expected } = budget
  const received = budget.estimate(receivedTokens)
  const tokens = Math.max(expected.tokens, received.tokens)
  const prompt = Math.min(promptTokens(call.prepared.params), tokens)
  const cost = budget.isPriced || expected.cost > 0 ? Math.max(expected.cost, received.cost) : null
  return { usage: usageOf(prompt, tokens - prompt), cost }
}

const priceOf = (call: ConfigCall, usage: AnswerUsage): number | null =>
  costFor(call, { id: '', model: call.prepared.params.model ?? '', created: 0, choices: [], usage })

/** Returns reported counts with at least the content that has arrived after them. */
function withReceived(usage: AnswerUsage, receivedTokens: number): AnswerUsage {
  const prompt = finite(usage.prompt_tokens)
  const completion = Math.max(finite(usage.completion_tokens), receivedTokens)
  const total = Math.max(finite(usage.total_tokens), prompt + completion)
  return { ...usage, prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }
}
