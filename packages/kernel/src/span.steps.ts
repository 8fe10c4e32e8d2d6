import type { EventBody, MaybePromise, Run, SpanEvent, SpanOutcome } from '@x/interfaces'
import { needsAwait } from './run-part.ts'
import { wait, type Steps } from './steps.ts'
import { isXError } from './x-error.ts'

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
    if (needsAwait(run, ended)) yield* wait(ended, LISTENER_LABEL)
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
