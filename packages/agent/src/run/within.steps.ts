import type { Agent, EventBody, MaybePromise, Run, SpanEvent, SpanOutcome } from '@x/interfaces'
import { all, currentRun, isThenable, isXError, type Steps, wait } from '@x/kernel'
import { inSpan, type Span, UnheardSpan } from '@x/kernel/run'
import type { OpenSpan } from './event-sender.ts'
import { inScope, type Scope, scopeIn } from './scope.ts'

type StartOf<T> = T extends { type: `${string}Start` } ? T : never

/** Kinds of spans: the types of their start events without `Start`. */
export type SpanKind = StartOf<SpanEvent>['type'] extends `${infer K}Start` ? K : never

type EventOf<T extends string> = Extract<SpanEvent, { type: T }>

/** Fields of an event of a span beside those that every start or end has. */
type FieldsOf<T extends string> = Omit<
  EventOf<T>,
  'type' | 'agent' | 'id' | 'parentId' | 'time' | 'resumed' | 'ms' | 'outcome' | 'error'
>

/** Fields of both events of a span. */
type CommonFields<K extends SpanKind> = { readonly type: K; readonly agent: EventOf<`${K}Start`>['agent'] } & Pick<
  EventOf<`${K}Start`>,
  Exclude<keyof FieldsOf<`${K}Start`> & keyof FieldsOf<`${K}End`>, 'arguments'>
>

/** Description of a span of an agent. */
export interface AgentSpan<K extends SpanKind, T> {
  /** Identifier of the span in its run; the same in a resumed run. */
  readonly id: string
  /** Fields of both events. */
  readonly common: CommonFields<K>
  /** Further fields of the start event. */
  readonly atStart?: Omit<FieldsOf<`${K}Start`>, keyof CommonFields<K>> | undefined
  /** Returns further fields of the end event, from the result; undefined after an error. */
  readonly atEnd?: ((value: T | undefined) => Omit<FieldsOf<`${K}End`>, keyof CommonFields<K>>) | undefined
  /** Outcome of a span that ended without an error, if it is not `ok`, with its error. */
  readonly failure?: ((value: T) => { readonly code: string | null; readonly message: string } | undefined) | undefined
  /** True if the chat of the span waits for a decision. */
  readonly isSuspended?: ((value: T) => boolean) | undefined
  /** True if an earlier process has begun the span. */
  readonly resumed: boolean
  /**
   * True if an earlier process has ended the span, so that nothing is told of it, unless its end was untold. It may become
   * known inside the span.
   */
  readonly recall?: { readonly isRecalled: boolean; readonly isUntold: boolean } | undefined
  /** The scope of the steps inside, if they have one of their own. */
  readonly inside?: Scope | undefined
  /** Keeps the value as soon as the end was handed out; without a listener the caller keeps it. */
  readonly keep?: ((value: T, isTold: boolean) => MaybePromise<void>) | undefined
}

/**
 * Runs steps as a span, between its start and end events; for runs in which somebody listens to spans. The start of a
 * resumed span is held back until this process gets further than the earlier one; it is then sent again as `resumed`. A
 * span that an earlier process has ended is not told again, unless the listener wants what is recalled.
 */
export const withSpan = <T, K extends SpanKind>(
  scope: Scope,
  run: Run,
  span: AgentSpan<K, T>,
  steps: Steps<T>,
): Steps<T> => inSpan(run, new SpanUnderWay(scope, run, span as AgentSpan<never, T>), steps)

/** Begins a span in a run in which nobody but a trace takes spans. */
export const beginUnheard = <T, K extends SpanKind>(scope: Scope, run: Run, span: AgentSpan<K, T>): UnheardSpan<T> =>
  new UnheardSpan(new SpanUnderWay(scope, run, span as AgentSpan<never, T>))

/** A span under way. Plain fields: private ones cost more to make. */
class SpanUnderWay<T> implements Span<T>, OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  readonly parentId: string | null
  readonly common: Span<T>['common']
  readonly isHeard: boolean
  readonly atStart: object | undefined
  began?: number
  /** The start event while it is held back. */
  held: EventBody | null = null
  /** Resolves when the start is sent. */
  telling: Promise<void> | null = null
  readonly scope: Scope
  readonly run: Run
  readonly description: AgentSpan<never, T>

  constructor(scope: Scope, run: Run, span: AgentSpan<never, T>) {
    const { id, common, atStart, inside } = span
    this.id = id
    this.parent = scope.events.span
    this.scope = scope
    this.run = run
    this.description = span
    this.parentId = scope.spanId
    this.common = common
    this.isHeard = scope.services.hearsSpans
    this.atStart = atStart
    scope.events.span = this
    if (inside) inside.events.span = this
  }

  now(): number {
    return this.scope.now()
  }

  outcome(value: T): SpanOutcome {
    const { failure, isSuspended } = this.description
    return failure?.(value) ? 'error' : isSuspended?.(value) ? 'suspended' : 'ok'
  }

  atEnd(value: T | undefined): object {
    const { atEnd, failure } = this.description
    const error = value === undefined ? undefined : failure?.(value)
    return error ? { ...atEnd?.(value), error } : (atEnd?.(value) ?? {})
  }

  keep(value: T, isTold: boolean): MaybePromise<void> {
    return this.description.keep?.(value, isTold)
  }

  send(event: EventBody): MaybePromise<void> {
    if (!this.description.recall?.isRecalled) return this.emit(event)
    // An earlier process has told it.
    const tells = this.tellsRecalled || this.description.recall.isUntold
    return tells ? this.emit(Object.assign({ ...event }, { recalled: true })) : undefined
  }

  /** Sends an event into the run; one that the trace alone takes needs no listener. */
  emit(event: EventBody): MaybePromise<void> {
    return this.isHeard ? this.run.emit(event) : this.scope.events.trace(event)
  }

  sendStart(event: EventBody): MaybePromise<void> {
    if (!this.description.resumed) return this.emit(event)
    const resumed = Object.assign(event, { resumed: true })
    if (this.tellsRecalled) return this.send(resumed)
    this.held = resumed
    return undefined
  }

  get isHeld(): boolean {
    return this.held !== null || this.telling !== null
  }

  tell(): MaybePromise<void> {
    const event = this.held
    // Steps at once may be inside the span: all wait until its start is sent.
    if (!event) return this.telling ?? undefined
    this.held = null
    this.began = this.scope.now()
    const sent = this.emit(
      Object.assign(event, { time: this.began }, this.description.recall?.isRecalled && { recalled: true }),
    )
    if (!isThenable(sent)) return undefined
    const told = (): void => void (this.telling = null)
    const telling = Promise.resolve(sent).then(told)
    this.telling = telling
    return telling
  }

  leave(): void {
    this.scope.events.span = this.parent
  }

  /** True if an earlier process has told the end. */
  get endsUntold(): boolean {
    if (this.tellsRecalled) return false
    const { recall } = this.description
    return recall?.isRecalled ? !recall.isUntold : this.scope.isPast
  }

  get tellsRecalled(): boolean {
    return this.scope.services.options?.recalled === true
  }
}

/**
 * Starts steps of an operation inside a run in the next microtask, and not on the stack of that run. A run that is stopped on
 * its own stack closes at once: steps that it had started there would close, and send the ends of their spans, behind it.
 */
export function* startedApart<T>(steps: Steps<T>): Steps<T> {
  yield* wait(NEXT_MICROTASK, 'the next microtask')
  return yield* steps
}

const NEXT_MICROTASK = Promise.resolve()

/** Runs steps, and calls `end` when they have a result or an error that another process would not get further with. */
export function* untilEnd<T>(steps: Steps<T>, end: () => unknown): Steps<T> {
  let value: T
  try {
    value = yield* steps
  } catch (error) {
    if (!isXError(error, 'aborted') && !isXError(error, 'suspended')) end()
    throw error
  }
  end()
  return value
}

/**
 * Runs independent steps at once, each in a scope with its own places, which are the same in every run of the chat. If one
 * waits for an approval, the others end first.
 */
export function* sideBySide<T>(children: readonly Steps<T>[]): Steps<T[]> {
  const scope = scopeIn(yield* currentRun())
  const place = scope.places.take()
  return yield* allOrSuspended(
    children.map((child, index) => inScope(scope.inner({ place: `${place}.${index}` }), child)),
  )
}

/** Runs independent steps at once. If one waits for an approval, the others end first. */
export function* allOrSuspended<T>(children: readonly Steps<T>[]): Steps<T[]> {
  // Most messages have one call.
  if (children.length === 1) return [yield* children[0]!]
  let suspended: unknown
  function* unlessSuspended(child: Steps<T>): Steps<T | undefined> {
    try {
      return yield* child
    } catch (error) {
      if (!isXError(error, 'suspended')) throw error
      suspended ??= error
      return undefined
    }
  }
  const results = yield* all(children.map(unlessSuspended))
  if (suspended) throw suspended
  return results as T[]
}

/** Runs steps as part of a reply of an agent: their events have the agent in their path. */
export function* inReply<T>(agent: Agent, steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* inScope(scope.inner({ place: scope.places.take(), agent }), steps)
}

/** Runs steps without printing their events if they are `silent`. An `io` of the caller's own still gets the events. */
export const withSilence = <T>(silent: boolean | null | undefined, steps: Steps<T>): Steps<T> =>
  silent ? silently(steps) : steps

function* silently<T>(steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* scope.events.isSilent || !scope.services.prints ? steps : inScope(scope.inner({ silent: true }), steps)
}
