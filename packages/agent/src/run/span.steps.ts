import type { EventBody, MaybePromise, Run, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { inSpan, type Span } from '@x/kernel/run'
import type { OpenSpan, Scope } from './scope.ts'

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
): Steps<T> => (scope.means.spans ? inSpan(run, new SpanUnderWay(scope, run, its), steps) : steps)

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
    this.parent = scope.span
    this.#scope = scope
    this.#run = run
    this.#resumed = resumed
    this.atEnd = atEnd
    this.outcome = outcome
    const parentId = scope.spanId
    // What a journal knows gets its origin when it is sent, since an earlier run may have sent it.
    this.common = { ...details, id, parentId, ...scope.origin(details.agent) }
    scope.span = this
    if (inside) inside.span = this
  }

  now(): number {
    return this.#scope.now()
  }

  send(event: EventBody): MaybePromise<void> {
    return this.#run.emit(event)
  }

  sendStart(event: EventBody): MaybePromise<void> {
    if (!this.#resumed) return this.#run.emit(event)
    if (this.#scope.takes(event.type)) this.start = this.#scope.stamped(event)
    return undefined
  }

  leave(): void {
    this.#scope.span = this.parent
  }
}
