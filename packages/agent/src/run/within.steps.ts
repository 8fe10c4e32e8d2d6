import type { Agent, EventBody, MaybePromise, Run, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces'
import { all, currentRun, isXError, type Steps } from '@x/kernel'
import { inSpan, type Span } from '@x/kernel/run'
import { inScope, type OpenSpan, type Scope, scopeIn } from './scope.ts'

type StartOf<T> = T extends { type: `${string}Start` } ? T : never

/** Kinds of spans: the types of their start events without `Start`. */
export type SpanKind = StartOf<SpanEvent>['type'] extends `${infer K}Start` ? K : never

/** Fields that the start and the end of a span share. */
type Details<K extends SpanKind> = { readonly type: K } & Omit<
  Extract<SpanEvent, { type: `${K}Start` }>,
  'type' | 'id' | 'parentId' | 'time' | 'resumed'
>

/** Description of a span of an agent. */
export interface AgentSpan<K extends SpanKind, T> {
  /** Identifier of the span in its run; the same in a resumed run. */
  readonly id: string
  readonly details: Details<K>
  /** Further fields of the end event. */
  readonly atEnd?: ((value: T | undefined) => object) | undefined
  /** Outcome of a span that ended without an error. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** True if an earlier process has begun the span. */
  readonly resumed: boolean
  /** The scope of the steps inside, if they have one of their own. */
  readonly inside?: Scope | undefined
}

/**
 * Runs steps as a span, between its start and end events, if such events have a listener. The start of a resumed span is
 * held back until this process gets further than the earlier one; it is then sent again as `resumed`.
 */
export const withSpan = <T, K extends SpanKind>(
  scope: Scope,
  run: Run,
  span: AgentSpan<K, T>,
  steps: Steps<T>,
): Steps<T> => (scope.services.spans ? inSpan(run, new SpanUnderWay(scope, run, span), steps) : steps)

/** A span under way. */
class SpanUnderWay<T> implements Span<T>, OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  readonly common: Span<T>['common']
  readonly atEnd: Span<T>['atEnd']
  readonly outcome: Span<T>['outcome']
  start: XEvent | null = null
  readonly #scope: Scope
  readonly #run: Run
  readonly #resumed: boolean

  constructor(scope: Scope, run: Run, { id, details, atEnd, outcome, resumed, inside }: AgentSpan<SpanKind, T>) {
    this.id = id
    this.parent = scope.events.span
    this.#scope = scope
    this.#run = run
    this.#resumed = resumed
    this.atEnd = atEnd
    this.outcome = outcome
    const parentId = scope.spanId
    // With a journal the origin is added when the event is sent, if it is: an earlier run may have sent it.
    this.common = { ...details, id, parentId, ...scope.origin(details.agent) }
    scope.events.span = this
    if (inside) inside.events.span = this
  }

  now(): number {
    return this.#scope.now()
  }

  send(event: EventBody): MaybePromise<void> {
    return this.#run.emit(event)
  }

  sendStart(event: EventBody): MaybePromise<void> {
    if (!this.#resumed) return this.#run.emit(event)
    if (this.#scope.takes(event.type)) this.start = this.#scope.events.withOrigin(event)
    return undefined
  }

  leave(): void {
    this.#scope.events.span = this.parent
  }
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
  let suspended: unknown
  function* untilEnd(child: Steps<T>): Steps<T | undefined> {
    try {
      return yield* child
    } catch (error) {
      if (!isXError(error, 'suspended')) throw error
      suspended ??= error
      return undefined
    }
  }
  const results = yield* all(children.map(untilEnd))
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
