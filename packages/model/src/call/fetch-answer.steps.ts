import type {
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelEvent,
  ModelParams,
  Permit,
  Run,
  StoredAnswer,
} from '@x/interfaces'
import { isXError, type Steps, wait } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { endPermit, enterBudget, enterLimiter } from './admission.steps.ts'
import { costFor, type CountedUsage, countUsage, promptTokens, usageOf } from './answer-usage.ts'
import { addLedgerRow } from './attempt.steps.ts'
import { CallBudget } from './call-budget.ts'
import { blockingClientOf, clientOf, type ConfigCall } from './config-call.ts'
import { streamAnswer } from './stream.steps.ts'

/** A new answer of a client, and its warnings, which every caller who shares the answer sends. */
export interface FetchedAnswer {
  readonly stored: StoredAnswer
  readonly warnings: [topic: string, text: string][]
  /** Resolves when the answer is in the cache, if the cache is asynchronous. */
  readonly written?: PromiseLike<void> | undefined
  /** True if a limit that the caller did not set has truncated the answer: it is not cached. */
  readonly truncated?: boolean | undefined
}

/** Calls the client within its budget and limiter. `stop.signal` stops it; the signal is made when the client reads it. */
export function* fetchAnswer(
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  warnings: FetchedAnswer['warnings'],
): Steps<FetchedAnswer, ModelEvent> {
  const client = clientOf(call)
  const budget = CallBudget.of(call)
  if (budget) yield* enterBudget(call, budget)
  const permit = yield* enterLimiterOrRelease(call, budget)
  const options = new CallOptions(call, stop, { warnings, budget })
  const limited = budget?.limitedParams()
  if (limited) warnings.push(['max_tokens', '`max_tokens` of requests is set to what is left of a strict budget'])
  let failure: unknown
  let counted: CountedUsage | undefined
  try {
    const answer = yield* askClient(call, client, limited ?? call.prepared.params, options)
    counted = countUsage(call, answer)
    const cost = costFor(call, answer, counted)
    if (counted.estimated) warnings.push(['usage', missingUsageText(answer)])
    return { stored: { answer, cost }, warnings, truncated: limited !== undefined && isTruncated(answer) }
  } catch (error) {
    failure = error
    throw error
  } finally {
    if (counted) settleAnswer(call, budget, counted, options.sent)
    else settleBrokenOff(call, budget, failure, options.sent)
    endPermit(permit, { counted, failure, sent: options.sent })
  }
}

/** Waits for the permit of a call; without a permit, the reservation of the call is released. */
function* enterLimiterOrRelease(call: ConfigCall, budget: CallBudget | null): Steps<Permit | null, never> {
  let entered = false
  try {
    const permit = yield* enterLimiter(call)
    entered = true
    return permit
  } finally {
    if (!entered) budget?.release()
  }
}

const missingUsageText = ({ model }: ModelAnswer): string =>
  `answers of \`${model}\` come without usage: tokens and cost are estimated from their texts`

/** Tells whether an answer has reached its limit of tokens. */
const isTruncated = ({ choices }: ModelAnswer): boolean =>
  choices.some(({ finish_reason: reason }) => reason === 'length')

function askClient(
  call: ConfigCall,
  client: ModelClient,
  params: ModelParams,
  options: CallOptions,
): Steps<ModelAnswer, ModelEvent> {
  const { slot, run, buffer } = call
  const what = `the client of ${slot.client.modelClientCls ?? params.model ?? `config ${slot.index}`}`
  if (run.face === 'stream' && client.stream) return streamAnswer(client.stream(params, options), buffer, what)
  const target = run.face === 'sync' ? blockingClientOf(call) : client
  return wait(target.create(params, options), what)
}

/**
 * The options of a client's call. A class, because V8 makes a hidden class for each object literal with a getter, which would
 * keep the object alive.
 */
class CallOptions implements ModelCallOptions {
  readonly last: boolean
  readonly timeout: number | undefined
  readonly maxRetryAfter: number | undefined
  readonly sample: number | undefined
  readonly warn: (topic: string, text: string) => void
  /** Requests that were sent. */
  sent = 0
  readonly #budget: CallBudget | null
  readonly #stop: Pick<Run, 'signal'>

  constructor(
    { last, prepared }: ConfigCall,
    stop: Pick<Run, 'signal'>,
    { warnings, budget }: { readonly warnings: FetchedAnswer['warnings']; readonly budget: CallBudget | null },
  ) {
    const { timeout, maxRetryAfter, sample } = prepared.extra
    this.last = last
    this.timeout = timeout
    this.maxRetryAfter = maxRetryAfter
    this.sample = sample
    this.warn = (topic, text) => void warnings.push([topic, text])
    this.#budget = budget
    this.#stop = stop
  }

  /** Counts a request before it is sent; returns false if the budget has no headroom for another. */
  onSend(): boolean {
    if (this.sent > 0 && this.#budget && !this.#budget.addCall()) return false
    this.sent++
    return true
  }

  /** Stops the call. It is made when the client reads it. */
  get signal(): AbortSignal | undefined {
    return this.#stop.signal
  }
}

/** Settles a complete answer in the budget; `tryConfig` adds it to the ledger. */
function settleAnswer(call: ConfigCall, budget: CallBudget | null, counted: CountedUsage, sent: number): void {
  if (!budget) return
  const { usage, answer, estimated } = counted
  const outputTokens = finite(usage.completionTokens)
  const tokens = Math.max(finite(usage.totalTokens), finite(usage.promptTokens) + outputTokens)
  budget.settle(
    { cost: costFor(call, answer, counted) ?? 0, tokens, calls: callsOf(sent) },
    { outputTokens, estimated },
  )
}

/**
 * Settles a call that was abandoned, stopped or broken off. Content that has arrived is paid for: its estimate goes into the
 * budget and the ledger. Every request that was sent counts as a call.
 */
function settleBrokenOff(call: ConfigCall, budget: CallBudget | null, failure: unknown, sent: number): void {
  const { received } = call.buffer
  if (!received) {
    // The usage of a stopped call is unknown; a refused call has used nothing.
    budget?.settle({ cost: 0, tokens: 0, calls: callsOf(sent) }, { estimated: isUsageUnknown(failure) })
    return
  }
  call.buffer.received = null
  const { params } = call.prepared
  const usage = usageOf(promptTokens(params), received.tokens)
  const answer = { id: '', model: params.model ?? '', created: 0, choices: [], usage }
  const counted = countUsage(call, answer)
  const cost = costFor(call, answer, counted)
  call.buffer.used = { usage: counted.usage, cost }
  addLedgerRow(call, counted.usage, { cost, cached: false, estimated: true })
  budget?.settle({ cost: cost ?? 0, tokens: usage.total_tokens, calls: callsOf(sent) }, { estimated: true })
}

/** Counts at least one request, since a client may not report what it sends. */
const callsOf = (sent: number): number => Math.max(1, sent)

const isUsageUnknown = (failure: unknown): boolean =>
  failure === undefined || (isXError(failure) && (failure.kind === 'timeout' || failure.kind === 'truncated'))
