import type { EventBody, MaybePromise, Run, SpanEvent, SpanOutcome } from '@x/interfaces'
import { needsAwait } from './run-part.ts'
import { wait, type Steps } from './steps.ts'
import { isXError } from './x-error.ts'

type StartType<T> = T extends { type: `${infer K}Start` } ? K : never

/** What takes time: `chat`, `reply`, `modelCall`, … */
type SpanKind = StartType<SpanEvent>

/** Something that takes time, whose start and end are events. */
export interface Span<T> {
  /** What the start and the end say; `type` names what takes time. */
  readonly common: {
    readonly type: SpanKind
    readonly agent: string | null
    readonly id: string
    readonly parentId: string | null
  }
  /** What the start says beside that, as descriptors: what costs much is made when it is read. */
  readonly atStart?: PropertyDescriptorMap | undefined
  /** What the end says beside that; it gets the result, if there is one, or what was thrown. */
  readonly atEnd?: ((value: T | undefined, error: unknown) => object) | undefined
  /** How it ended, where it ended without an error; default `ok`. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
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
  const time = span.now()
  let over = false
  try {
    const began = sendStart(span, time)
    if (needsAwait(run, began)) yield* wait(began, LISTENER_LABEL)
    const value = yield* steps
    over = true
    const ended = sendEnd(span, time, span.outcome?.(value) ?? 'ok', { value })
    if (needsAwait(run, ended)) yield* wait(ended, LISTENER_LABEL)
    return value
  } catch (error) {
    if (!over) {
      over = true
      yield* wait(sendEnd(span, time, outcomeOf(error), { error }), LISTENER_LABEL)
    }
    throw error
  } finally {
    if (!over) void sendEnd(span, time, 'aborted', {})
    span.leave?.()
  }
}

const LISTENER_LABEL = 'a listener'

function sendStart<T>(span: Span<T>, time: number): MaybePromise<void> {
  const { common, atStart } = span
  const event = { ...common, type: `${common.type}Start`, time }
  if (atStart) Object.defineProperties(event, atStart)
  return span.sendStart ? span.sendStart(event as unknown as EventBody) : span.send(event as unknown as EventBody)
}

function sendEnd<T>(
  span: Span<T>,
  start: number,
  outcome: SpanOutcome,
  { value, error }: { readonly value?: T; readonly error?: unknown },
): MaybePromise<void> {
  const { common } = span
  const time = span.now()
  const told = outcome === 'error' ? describeError(error) : null
  const event = { ...common, type: `${common.type}End`, time, ms: time - start, outcome, error: told }
  if (span.atEnd) Object.assign(event, span.atEnd(value, error))
  return span.send(event as unknown as EventBody)
}

function outcomeOf(error: unknown): SpanOutcome {
  if (!isXError(error)) return 'error'
  return error.code === 'suspended' || error.code === 'aborted' ? error.code : 'error'
}

const describeError = (error: unknown): { code: string | null; message: string } => ({
  code: isXError(error) ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
})
