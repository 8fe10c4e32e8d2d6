import type {
  Budget,
  EventUsage,
  ModelAnswer,
  ModelAttempt,
  ModelClient,
  ModelEvent,
  Run,
  RunScope,
  StoredAnswer,
  Usage,
} from '@x/interfaces'
import type { Reporter } from './reporter.steps.ts'
import type { UsageSum } from '../usage/ledger.ts'
import type { ReceivedContent } from '../usage/token-estimate.ts'
import type { WrapperParts } from './wrapper-parts.ts'
import { callInThread } from '../clients/blocking.ts'
import type { Slot } from '../config/slot.ts'
import type { PreparedRequest } from '../request/prepare-request.ts'

/** The state of a streamed answer: events that were not sent yet, and the content so far. */
export interface StreamBuffer {
  /** True to hold all events until the filter has accepted the answer. */
  readonly hold: boolean
  /** Held events: those before the first content, or all. */
  held: ModelEvent[]
  /** True after content was sent; a failure is then final. */
  open: boolean
  /** The content that has arrived; null before the first. */
  received: ReceivedContent | null
  /** The clock that notes the time of the first content; null if nobody reads it. */
  clock: Pick<RunScope, 'now'> | null
  /** Time of the first content, in milliseconds since 1970. */
  firstTokenAt: number | null
}

/** The attempt of one config in a call. */
export interface ConfigCall {
  readonly parts: WrapperParts
  readonly slot: Slot
  readonly prepared: PreparedRequest
  readonly run: Run
  /** True for the last config. */
  readonly last: boolean
  /** The state of a streamed answer. */
  readonly buffer: StreamBuffer
  /** The budget of the run, which has to admit the call beside the budget of the config. */
  readonly budget: Budget | undefined
  /** Sends warnings and attempts. */
  readonly reporter: Reporter
  /** Name of the agent that asks. */
  readonly agent: string | null
  /** Id of the whole call in the log; empty without a log. */
  readonly invocationId: string
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** The attempts of this call without an accepted answer. */
  readonly attempts: ModelAttempt[]
  /** The client after its first use: see {@link clientOf}. */
  client?: ModelClient | undefined
  /** Set for a token count, which uses no tokens and costs nothing, and for vectors, which have no output. */
  readonly operation?: 'countTokens' | 'embed' | undefined
  /** Facts about the requests to all configs of the call. */
  readonly sent: SentRequests
  /** Requests that were sent to this config. */
  sendings: number
  /** The usage of requests to this config that may be paid for, although they gave no answer. */
  readonly unanswered: SentUsage[]
  /** Milliseconds that it waited for the permit of its limiter; absent if it did not wait. */
  waitedMs?: number | undefined
  /** The `traceparent` of the span of the attempt, for the log; absent if nobody follows the run. */
  traceparent?: string | undefined
  /** The usage of the answer that came last. */
  counted: { readonly of: ModelAnswer; readonly usage: CountedUsage } | undefined
}

/** Usage of an answer, reported by the provider or estimated. */
export interface CountedUsage {
  /** The answer with its usage, to compute the cost. */
  readonly answer: ModelAnswer
  readonly usage: Usage
  readonly estimated: boolean
}

/** Usage of a request, and its cost in US dollars; null if the price is not known. */
export interface SentUsage {
  readonly usage: Usage
  /** Input tokens that the provider wrote to its cache. */
  readonly cacheWriteTokens: EventUsage['cacheWriteTokens']
  readonly cost: number | null
}

/** Begins the attempt of one config. */
export function newConfigCall(
  init: Omit<
    ConfigCall,
    'buffer' | 'budget' | 'startTime' | 'sendings' | 'unanswered' | 'client' | 'waitedMs' | 'traceparent' | 'counted'
  >,
): ConfigCall {
  const { prepared, reporter, parts } = init
  // Written out: every call has the same shape, and a copy of `init` would cost more.
  return {
    parts,
    slot: init.slot,
    prepared,
    run: init.run,
    last: init.last,
    buffer: {
      hold: Boolean(prepared.extra.filterFunc),
      held: NO_EVENTS,
      open: false,
      received: null,
      clock: null,
      firstTokenAt: null,
    },
    budget: reporter.budget,
    reporter,
    agent: init.agent,
    invocationId: init.invocationId,
    startTime: parts.plan.runtime.now(),
    attempts: init.attempts,
    client: undefined,
    operation: init.operation,
    sent: init.sent,
    sendings: 0,
    unanswered: [],
    waitedMs: undefined,
    traceparent: undefined,
    counted: undefined,
  }
}

/**
 * Makes a call without content, to be kept: V8 drops the layout of objects of which none is left, and with it the code that
 * was compiled for it. Its parts are empty, so that their places are known to hold objects of any layout.
 */
export function keptCall(): ConfigCall {
  const prepared = { params: {}, format: undefined, fixed: false, store: null, cacheName: null, extra: {}, price: null }
  const parts = { plan: { runtime: { now: () => 0 } } }
  const nothing = { slot: {}, run: {}, reporter: {}, attempts: [], sent: {} }
  const init = { ...nothing, parts, prepared, last: true, agent: null, invocationId: '' } as unknown
  return newConfigCall(init as Parameters<typeof newConfigCall>[0])
}

/** Stands for no events: a streamed answer makes a list of its own. */
const NO_EVENTS: ModelEvent[] = Object.freeze([]) as unknown as ModelEvent[]

/** The requests of one call. */
export interface SentRequests {
  /** True after a request that had not left was repeated. */
  hasRepeatedUnsent: boolean
  /** The usage of those that gave no answer and may be paid for; null if there were none. */
  unanswered: UsageSum | null
  /** Number of those for an answer in the background. */
  backgrounds: number
}

/** Begins to count the requests of a call. */
export const newSentRequests = (): SentRequests => ({ hasRepeatedUnsent: false, unanswered: null, backgrounds: 0 })

/** An answer, its cost, and whether it came from a cache. */
export interface ConfigAnswer extends StoredAnswer {
  readonly cached: boolean
}

/** Returns the client of an attempt. It exists, since `checkRequest` refuses client classes that are not registered. */
export function clientOf(call: Pick<ConfigCall, 'parts' | 'slot' | 'client'>): ModelClient {
  const { parts, slot } = call
  return (call.client ??= parts.own?.[slot.index] ?? parts.plan.shared.clientFor(slot.provider!, slot.client))
}

/**
 * Calls a method of the client of an attempt. In a blocking call, a provider with a `module` is called in another thread; any
 * other client in this thread, where a promise is refused.
 */
export function callClient<M extends 'create' | 'countTokens' | 'embed'>(
  call: ConfigCall,
  method: M,
  ...[params, options]: Parameters<ClientMethod<M>>
): ReturnType<ClientMethod<M>> {
  const { run, parts, slot } = call
  const module = run.face === 'sync' && !parts.own?.[slot.index] ? slot.provider?.module : undefined
  const client = clientOf(call) as ModelClient & Record<M, (...args: unknown[]) => ReturnType<ClientMethod<M>>>
  return module
    ? (callInThread({ module, config: slot.client, params, method }, options) as ReturnType<ClientMethod<M>>)
    : client[method](params, options)
}

type ClientMethod<M extends 'create' | 'countTokens' | 'embed'> = NonNullable<ModelClient[M]>
