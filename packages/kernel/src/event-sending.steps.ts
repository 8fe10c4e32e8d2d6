import type {
  EventBody,
  EventOptions,
  Listener,
  MaybePromise,
  Run,
  RunOptions,
  RunScope,
  RunTrace,
  SpanEvent,
  SpanOutcome,
  XEvent,
} from '@x/interfaces'
import { EventCounter, isPlaced, needsAwait, scopeOf } from './run-part.ts'
import { shapeEvent } from './shape-event.ts'
import { ignore, isThenable, wait, type Steps } from './steps.ts'
import { redact } from './redact.ts'
import { isXError } from './x-error.ts'

/** An operation that nobody listens to. */
const NOBODY = {}

/** The scope of an operation outside agents: it gives events their envelope, and spans their ids. */
export class EventScope implements RunScope {
  readonly chatId = null
  readonly agentPath = null
  readonly budget = null
  readonly cache = null
  readonly callKind = null
  readonly spanId: string | null
  readonly trace: RunTrace | undefined
  readonly #counter: EventCounter
  readonly #options: EventOptions | undefined
  /** False if the trace alone takes the events. */
  readonly #isHeard: boolean
  readonly #ids: { next: number }

  constructor(
    counter: EventCounter,
    options: EventOptions | undefined,
    { trace, isHeard = true, spanId = null, ids = { next: 0 } }: InnerScope = NOBODY,
  ) {
    this.#counter = counter
    this.#options = options
    this.trace = trace
    this.#isHeard = isHeard
    this.spanId = spanId
    this.#ids = ids
  }

  /**
   * Returns the listener of an operation of a package beside the agents, and the scope that gives its events their
   * envelope. Both are undefined if nobody listens, the listener also if it is that of the run, or if there is a tracer alone.
   */
  static listening(
    { run, emit, events, tracer }: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>,
    { now, newId }: { readonly now: () => number; readonly newId: () => string },
  ): { readonly scope?: RunScope | undefined; readonly emit?: Listener | undefined } {
    if (!run && !emit && !tracer) return NOBODY
    const around = run && scopeOf(run)
    // The context of a function has the listener of its run.
    const isHeard = Boolean(emit && emit !== run?.emit)
    if (isHeard || !run) {
      const trace = run ? undefined : tracer?.begin()
      const scope = around?.heard(events) ?? new EventScope(new EventCounter(now, newId), events, { trace, isHeard })
      return { scope, emit }
    }
    if (!around || !events) return { scope: around }
    // The listener of the run wants fewer types, but this operation may want less of their content.
    return { scope: around, emit: (event) => sendShaped(event, events, run.emit) }
  }

  get tracesRequests(): boolean {
    return takesRequests(this.trace, this.#options)
  }

  newSpanId(): string {
    return `span${this.#ids.next++}`
  }

  inside(spanId: string): RunScope {
    return this.#inner(this.#options, { spanId })
  }

  heard(options: EventOptions | undefined): RunScope {
    return this.#inner(options ?? this.#options, { isHeard: true })
  }

  #inner(options: EventOptions | undefined, change: Pick<InnerScope, 'spanId' | 'isHeard'>): EventScope {
    const { trace, spanId } = this
    return new EventScope(this.#counter, options, {
      trace,
      spanId,
      isHeard: this.#isHeard,
      ids: this.#ids,
      ...change,
    })
  }

  takes(type: XEvent['type']): boolean {
    return this.#isHeard || (this.trace?.takes.has(type) ?? false)
  }

  hears(): boolean {
    return this.#isHeard
  }

  now(): number {
    return this.#counter.now()
  }

  send(event: EventBody | XEvent, next: Listener): MaybePromise<void> {
    if (isPlaced(event)) return next(event)
    const { agent = null } = event
    const place = { chatId: null, agentPath: agent === null ? null : [agent], parentId: this.spanId }
    const shaped = shapeEvent(this.#counter.place(event, place), this.#options)
    if (!shaped) return undefined
    if (this.trace) tellTrace(this.trace, shaped)
    return this.#isHeard ? next(shaped) : undefined
  }
}

/** Changes of an inner scope, and what it shares with the outer one. */
interface InnerScope {
  readonly trace?: RunTrace | undefined
  readonly isHeard?: boolean | undefined
  readonly spanId?: string | null | undefined
  readonly ids?: { next: number } | undefined
}

/** Tells the trace of a run of an event. An earlier process has traced those that are recalled, unless the trace wants them again. */
function tellTrace(trace: RunTrace, event: XEvent): void {
  if (trace.takes.has(event.type) && (!event.recalled || trace.takesRecalled)) trace.take(event)
}

/** True if a trace takes the messages of requests as they are. */
const takesRequests = (trace: RunTrace | undefined, options: EventOptions | undefined): boolean =>
  trace?.takeRequest !== undefined && tellsAll(options)

/** True if the options of events leave out, change and cut nothing. */
export const tellsAll = (options: EventOptions | undefined): boolean =>
  !options || (options.content !== false && !options.redact && options.maxTextLength === undefined)

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
  readonly id: string
  /** Id of the span around it; null for none. */
  readonly parentId: string | null
  /** Fields of both events; `type` is the kind of the span. */
  readonly common: { readonly type: SpanKind; readonly agent: string | null }
  /** Further fields of the start event. */
  readonly atStart?: object | undefined
  /** Returns further fields of the end event, from the result or the error. */
  readonly atEnd?: ((value: T | undefined, error: unknown) => object | undefined) | undefined
  /**
   * Makes the start event with all of its fields, those of the envelope undefined: what is told often is made at once and not
   * put together.
   */
  makeStart?(time: number): EventBody
  /** Makes the end event in the same way. */
  makeEnd?(facts: EndFacts & { readonly time: number }, value: T | undefined, error: unknown): EventBody
  /** Outcome of a span that ended without an error; default `ok`. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** Time of the start that was sent, in milliseconds since 1970; set when the span begins. */
  began?: number
  /** The time, in milliseconds since 1970. */
  now(): number
  send(event: EventBody): MaybePromise<void>
  /** True if nobody is told the end, so that no event is made for it; default false. */
  readonly endsUntold?: boolean
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
    const ended = sendEnd(span, span.outcome?.(value) ?? 'ok', value)
    // A reader that leaves at the end, or dies with its process, must not have the work done again.
    const kept = span.keep?.(value, !isThenable(ended))
    if (isThenable(kept)) kept.then(undefined, ignore)
    if (needsAwait(run, ended)) yield* wait(ended, LISTENER_LABEL)
    if (needsAwait(run, kept)) yield* wait(kept, 'the journal of a chat')
    return value
  } catch (error) {
    if (!over) {
      over = true
      yield* wait(sendEnd(span, outcomeOf(error), undefined, error), LISTENER_LABEL)
    }
    throw error
  } finally {
    if (!over) void sendEnd(span, 'aborted')
    span.leave?.()
  }
}

const LISTENER_LABEL = 'a listener'

/**
 * A span of which a trace alone is told: nobody is waited for, so that the generator that does the work needs no other one
 * around it. `try { return span.end(yield* steps) } catch (error) { throw span.fail(error) } finally { span.close() }`
 */
export class UnheardSpan<T> {
  readonly span: Span<T>
  over = false

  /** Tells the start. */
  constructor(span: Span<T>) {
    this.span = span
    void sendStart(span)
  }

  /** Tells the end with a value, and returns the value. */
  end(value: T): T {
    this.over = true
    void sendEnd(this.span, this.span.outcome?.(value) ?? 'ok', value)
    return value
  }

  /** Tells the end by an error, and returns the error. */
  fail(error: unknown): unknown {
    if (!this.over) void sendEnd(this.span, outcomeOf(error), undefined, error)
    this.over = true
    return error
  }

  /** Tells the end of what was stopped. */
  close(): void {
    if (!this.over) void sendEnd(this.span, 'aborted')
    this.span.leave?.()
  }
}

/** The types of the events of a span, written out: a text that is put together is slow to compare and to look up. */
const SPAN_TYPES: { readonly [K in SpanKind]: readonly [start: `${K}Start`, end: `${K}End`] } = {
  chat: ['chatStart', 'chatEnd'],
  reply: ['replyStart', 'replyEnd'],
  modelCall: ['modelCallStart', 'modelCallEnd'],
  modelAttempt: ['modelAttemptStart', 'modelAttemptEnd'],
  tool: ['toolStart', 'toolEnd'],
  code: ['codeStart', 'codeEnd'],
  humanInput: ['humanInputStart', 'humanInputEnd'],
  search: ['searchStart', 'searchEnd'],
  searchJob: ['searchJobStart', 'searchJobEnd'],
}

function sendStart<T>(span: Span<T>): MaybePromise<void> {
  const time = (span.began = span.now())
  const event = span.makeStart?.(time) ?? (Object.assign(eventOf(span, 0, time), span.atStart) as unknown as EventBody)
  return span.sendStart ? span.sendStart(event) : span.send(event)
}

/** Makes an event with the common fields of a span and with room for the envelope: an object that grows by parts is slow. */
function eventOf<T>({ id, parentId, common }: Span<T>, at: 0 | 1, time: number): object {
  const { type, agent } = common
  const event = { type: '', runId: undefined, seq: 0, time, chatId: null, agentPath: null, parentId, id, agent }
  Object.assign(event, common)
  event.type = SPAN_TYPES[type][at]
  return event
}

function sendEnd<T>(span: Span<T>, outcome: SpanOutcome, value?: T, error?: unknown): MaybePromise<void> {
  if (span.endsUntold) return undefined
  const time = span.now()
  const ms = time - span.began!
  const failure = outcome === 'error' ? describeError(error) : null
  if (span.makeEnd) return span.send(span.makeEnd({ time, ms, outcome, error: failure }, value, error))
  const event = eventOf(span, 1, time) as { -readonly [K in keyof EndFacts]: EndFacts[K] }
  event.ms = ms
  event.outcome = outcome
  event.error = failure
  return span.send(Object.assign(event, span.atEnd?.(value, error)) as unknown as EventBody)
}

type EndFacts = Pick<Extract<SpanEvent, { readonly ms: number }>, 'ms' | 'outcome' | 'error'>

function outcomeOf(error: unknown): SpanOutcome {
  if (!isXError(error)) return 'error'
  return error.code === 'suspended' || error.code === 'aborted' ? error.code : 'error'
}

/** Describes an error without what looks like a key: servers and programs repeat those that they were sent. */
const describeError = (error: unknown): { code: string | null; message: string } => ({
  code: isXError(error) ? error.code : null,
  message: redact(error instanceof Error ? error.message : String(error), []),
})
