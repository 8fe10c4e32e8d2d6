import type {
  EventBody,
  EventOptions,
  Listener,
  MaybePromise,
  Run,
  RunOptions,
  RunScope,
  SpanEvent,
  SpanOutcome,
  XEvent,
} from '@x/interfaces'
import { EventCounter, needsAwait, scopeOf } from './run-part.ts'
import { shapeEvent } from './shape-event.ts'
import { ignore, isThenable, wait, type Steps } from './steps.ts'
import { isXError } from './x-error.ts'

/** An operation that nobody listens to. */
const NOBODY = {}

/** The scope of an operation outside of agents: it gives events their envelope, and spans their ids. */
export class EventScope implements RunScope {
  readonly chatId = null
  readonly agentPath = null
  readonly budget = null
  readonly cache = null
  readonly callKind = null
  readonly spanId: string | null
  readonly #counter: EventCounter
  readonly #options: EventOptions | undefined
  readonly #ids: { next: number }

  constructor(
    counter: EventCounter,
    options: EventOptions | undefined,
    spanId: string | null = null,
    ids: { next: number } = { next: 0 },
  ) {
    this.#counter = counter
    this.#options = options
    this.spanId = spanId
    this.#ids = ids
  }

  /**
   * Returns the listener of an operation of a package beside the agents, and the scope that gives its events their
   * envelope. Both are undefined if nobody listens, the listener also if it is that of the run.
   */
  static listening(
    { run, emit, events }: Pick<RunOptions, 'run' | 'emit' | 'events'>,
    { now, newId }: { readonly now: () => number; readonly newId: () => string },
  ): { readonly scope?: RunScope | undefined; readonly emit?: Listener | undefined } {
    if (!run && !emit) return NOBODY
    const around = run && scopeOf(run)
    // The context of a function has the listener of its run.
    if (emit && emit !== run?.emit)
      return { scope: around?.heard(events) ?? new EventScope(new EventCounter(now, newId), events), emit }
    if (!around || !events) return { scope: around }
    // The listener of the run wants fewer types, but this operation may want less of their content.
    return { scope: around, emit: (event) => sendShaped(event, events, run.emit) }
  }

  newSpanId(): string {
    return `span${this.#ids.next++}`
  }

  inside(spanId: string): RunScope {
    return new EventScope(this.#counter, this.#options, spanId, this.#ids)
  }

  heard(options: EventOptions | undefined): RunScope {
    return new EventScope(this.#counter, options ?? this.#options, this.spanId, this.#ids)
  }

  takes(): boolean {
    return true
  }

  now(): number {
    return this.#counter.now()
  }

  send(event: EventBody | XEvent, next: Listener): MaybePromise<void> {
    if ('runId' in event) return next(event)
    const { agent = null } = event
    const place = { chatId: null, agentPath: agent === null ? null : [agent], parentId: this.spanId }
    return sendShaped(this.#counter.place(event, place), this.#options, next)
  }
}

function sendShaped(event: XEvent, options: EventOptions | undefined, next: Listener): MaybePromise<void> {
  const shaped = shapeEvent(event, options)
  return shaped ? next(shaped) : undefined
}

/** Adds an envelope to an event outside of runs, such as a warning of an operation that never waits. */
export function eventOutside(event: EventBody, time: number): XEvent {
  const { agent = null, type } = event
  const agentPath = agent === null ? null : [agent]
  const envelope = { type, runId: null, seq: 0, time, chatId: null, agentPath, parentId: null }
  return Object.assign(envelope, event) as XEvent
}

type StartType<T> = T extends { type: `${infer K}Start` } ? K : never

/** Kinds of spans: `chat`, `reply`, `modelCall`, … */
type SpanKind = StartType<SpanEvent>

/** A span: work with a start event and an end event. */
export interface Span<T> {
  /** Fields of both events; `type` is the kind of the span. */
  readonly common: {
    readonly type: SpanKind
    readonly agent: string | null
    readonly id: string
    readonly parentId: string | null
  }
  /** Further fields of the start event. */
  readonly atStart?: object | undefined
  /** Returns further fields of the end event, from the result or the error. */
  readonly atEnd?: ((value: T | undefined, error: unknown) => object) | undefined
  /** Outcome of a span that ended without an error; default `ok`. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** Time of the start that was sent, in milliseconds since 1970; set when the span begins. */
  began?: number
  /** The time, in milliseconds since 1970. */
  now(): number
  send(event: EventBody): MaybePromise<void>
  /** Takes the start; default: `send`. */
  sendStart?(event: EventBody): MaybePromise<void>
  /** Keeps the value as soon as the end was handed out. `isTold` is false while the listener still has to take the end. */
  keep?(value: T, isTold: boolean): MaybePromise<void>
  /** Is told when it is over, after its end was sent. */
  leave?(): void
}

/**
 * Runs steps of a run between their start and end. Every start has an end, on errors and aborts too; nobody is waited for
 * at an abort.
 */
export function* inSpan<T, E extends { readonly type: string }>(
  run: Run,
  span: Span<T>,
  steps: Steps<T, E>,
): Steps<T, E> {
  let over = false
  try {
    const began = sendStart(span)
    if (needsAwait(run, began)) yield* wait(began, LISTENER_LABEL)
    const value = yield* steps
    over = true
    const ended = sendEnd(span, span.outcome?.(value) ?? 'ok', { value })
    // A reader that leaves at the end, or dies with its process, must not have the work done again.
    const kept = span.keep?.(value, !isThenable(ended))
    if (isThenable(kept)) kept.then(undefined, ignore)
    if (needsAwait(run, ended)) yield* wait(ended, LISTENER_LABEL)
    if (needsAwait(run, kept)) yield* wait(kept, 'the journal of a chat')
    return value
  } catch (error) {
    if (!over) {
      over = true
      yield* wait(sendEnd(span, outcomeOf(error), { error }), LISTENER_LABEL)
    }
    throw error
  } finally {
    if (!over) void sendEnd(span, 'aborted', {})
    span.leave?.()
  }
}

const LISTENER_LABEL = 'a listener'

function sendStart<T>(span: Span<T>): MaybePromise<void> {
  const { common, atStart } = span
  const time = (span.began = span.now())
  const event = { ...common, type: `${common.type}Start`, time, ...atStart } as unknown as EventBody
  return span.sendStart ? span.sendStart(event) : span.send(event)
}

function sendEnd<T>(
  span: Span<T>,
  outcome: SpanOutcome,
  { value, error }: { readonly value?: T; readonly error?: unknown },
): MaybePromise<void> {
  const { common, began } = span
  const time = span.now()
  const told = outcome === 'error' ? describeError(error) : null
  const facts = { time, ms: time - began!, outcome, error: told }
  return span.send({
    ...common,
    type: `${common.type}End`,
    ...facts,
    ...span.atEnd?.(value, error),
  } as unknown as EventBody)
}

function outcomeOf(error: unknown): SpanOutcome {
  if (!isXError(error)) return 'error'
  return error.code === 'suspended' || error.code === 'aborted' ? error.code : 'error'
}

const describeError = (error: unknown): { code: string | null; message: string } => ({
  code: isXError(error) ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
})
