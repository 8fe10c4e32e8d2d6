import type { Agent, EventBody, MaybePromise, Run, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces'
import { all, currentRun, isXError, type Steps } from '@x/kernel'
import { inSpan, type Span } from '@x/kernel/run'
import { inScope, type OpenSpan, type Scope, scopeIn } from './scope.ts'

type StartOf<T> = T extends { type: `${string}Start` } ? T : never

/** The kinds of spans, as their start events begin. */
export type SpanKind = StartOf<SpanEvent>['type'] extends `${infer K}Start` ? K : never

/** What the start and end of something say of it. */
type Details<K extends SpanKind> = { readonly type: K } & Omit<
  Extract<SpanEvent, { type: `${K}Start` }>,
  'type' | 'id' | 'parentId' | 'time' | 'resumed'
>

/** A span of an agent. */
export interface AgentSpan<K extends SpanKind, T> {
  /** Names it in its run; the same in a resumed one. */
  readonly id: string
  readonly details: Details<K>
  /** What the end says beside what the start said. */
  readonly atEnd?: ((value: T | undefined) => object) | undefined
  /** How it ended, where it ended without an error. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** Whether an earlier process had begun it. */
  readonly resumed: boolean
  /** The scope of what happens inside, where that is another. */
  readonly inside?: Scope | undefined
}

/**
 * Runs steps between their start and end, if somebody listens to such events. The start of something that an earlier
 * process had begun is held back until this one has come further: it is sent again then, as `resumed`.
 */
export const withSpan = <T, K extends SpanKind>(
  scope: Scope,
  run: Run,
  its: AgentSpan<K, T>,
  steps: Steps<T>,
): Steps<T> => (scope.services.spans ? inSpan(run, new SpanUnderWay(scope, run, its), steps) : steps)

/** Something of an agent that is under way. */
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
    // What a journal knows gets its origin when it is sent, since an earlier run may have sent it.
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
 * Runs independent steps at once, each with places of its own, so that each has the same ones in every run of the chat.
 * When one waits for an approval, the others end first.
 */
export function* sideBySide<T>(children: readonly Steps<T>[]): Steps<T[]> {
  const scope = scopeIn(yield* currentRun())
  const place = scope.places.take()
  return yield* allOrSuspended(
    children.map((child, index) => inScope(scope.inner({ place: `${place}.${index}` }), child)),
  )
}

/** Runs independent steps at once; when one waits for an approval, the others end first. */
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

/** Runs what happens in a reply of an agent in a scope of its own, so that its events say whose reply it is. */
export function* inReply<T>(agent: Agent, steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* inScope(scope.inner({ place: scope.places.take(), agent }), steps)
}

/** Runs steps of which nothing is printed, if they are `silent`; an `io` of the caller's gets their events all the same. */
export const withSilence = <T>(silent: boolean | null | undefined, steps: Steps<T>): Steps<T> =>
  silent ? silently(steps) : steps

function* silently<T>(steps: Steps<T>): Steps<T> {
  const scope = scopeIn(yield* currentRun())
  return yield* scope.events.isSilent || !scope.services.prints ? steps : inScope(scope.inner({ silent: true }), steps)
}
