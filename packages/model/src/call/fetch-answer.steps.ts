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
import { wait, type Steps } from '@x/kernel'
import { blockingClientOf, clientOf, type ConfigCall } from './config-call.ts'
import { costFor, countUsage, type CountedUsage } from './answer-usage.ts'
import { CallBudget } from './call-budget.ts'
import { settleAnswer, settlePart } from './settle.ts'
import { enterBudget } from './enter-budget.steps.ts'
import { endPermit, enterLimiter } from './enter-limiter.steps.ts'
import { streamAnswer } from './stream.steps.ts'

/** An answer that was just fetched, and its warnings, which everyone who shares the answer sends. */
export interface FetchedAnswer {
  readonly stored: StoredAnswer
  readonly notes: [topic: string, text: string][]
  /** Resolves when the answer is in the cache, where that takes its time. */
  readonly written?: PromiseLike<void> | undefined
  /** Whether it was cut short by a limit that the caller did not set: such an answer is not kept. */
  readonly cut?: boolean | undefined
}

/**
 * What a client is given beside the request. A class, since each object that is written out with a getter has a hidden
 * class of its own in V8, which lives long and keeps the object alive.
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
    { notes, budget }: { readonly notes: FetchedAnswer['notes']; readonly budget: CallBudget | null },
  ) {
    const { timeout, maxRetryAfter, sample } = prepared.extra
    this.last = last
    this.timeout = timeout
    this.maxRetryAfter = maxRetryAfter
    this.sample = sample
    this.warn = (topic, text) => void notes.push([topic, text])
    this.#budget = budget
    this.#stop = stop
  }

  /** Counts a request that is about to be sent; false when no budget holds a further one. */
  onSend(): boolean {
    if (this.sent > 0 && this.#budget && !this.#budget.addCall()) return false
    this.sent++
    return true
  }

  /** Stops the call; made when the client reads it. */
  get signal(): AbortSignal | undefined {
    return this.#stop.signal
  }
}

/** Asks the client, within the budget; `stop` has the signal that stops it, which is made when the client reads it. */
export function* fetchAnswer(
  call: ConfigCall,
  stop: Pick<Run, 'signal'>,
  notes: FetchedAnswer['notes'],
): Steps<FetchedAnswer, ModelEvent> {
  const client = clientOf(call)
  const budget = CallBudget.of(call)
  if (budget) yield* enterBudget(call, budget)
  const permit = yield* enterLimiterOrRelease(call, budget)
  const options = new CallOptions(call, stop, { notes, budget })
  const limited = budget?.limited()
  if (limited) notes.push(['max_tokens', '`max_tokens` of requests is set to what is left of a strict budget'])
  let failure: unknown
  let counted: CountedUsage | undefined
  try {
    const answer = yield* askClient(call, client, limited ?? call.prepared.params, options)
    counted = countUsage(call, answer)
    const cost = costFor(call, answer, counted)
    if (counted.estimated) notes.push(['usage', missingUsage(answer)])
    return { stored: { answer, cost }, notes, cut: limited !== undefined && isCut(answer) }
  } catch (error) {
    failure = error
    throw error
  } finally {
    if (counted) settleAnswer(call, budget, counted, options.sent)
    else settlePart(call, budget, failure, options.sent)
    endPermit(permit, { counted, failure, sent: options.sent })
  }
}

/** Waits for the permit of a call, which has its part of the budget by now; without a permit it gives that back. */
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

const missingUsage = ({ model }: ModelAnswer): string =>
  `answers of \`${model}\` come without usage: tokens and cost are estimated from their texts`

/** Tells an answer that ends where its limit is. */
const isCut = ({ choices }: ModelAnswer): boolean => choices.some(({ finish_reason: reason }) => reason === 'length')

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
