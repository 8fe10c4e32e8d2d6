import type { EventBody, MaybePromise, SpanEvent, SpanOutcome } from '@x/interfaces'
import { wait, type Steps } from './steps.ts'
import { isXError } from './x-error.ts'

type StartType<T> = T extends { type: `${infer K}Start` } ? K : never

/** What takes time: `chat`, `reply`, `modelCall`, … */
type SpanKind = StartType<SpanEvent>

/** Something that takes time, whose start and end are events. */
export interface Span<T> {
  readonly kind: SpanKind
  /** What the start and the end say. */
  readonly common: Readonly<Record<string, unknown>> & {
    readonly agent: string | null
    readonly id: string
    readonly parentId: string | null
  }
  /** What the start says beside that. */
  readonly atStart?: object | undefined
  /** What the end says beside that; it gets the result, if there is one. */
  readonly atEnd?: ((value: T | undefined) => object) | undefined
  /** How it ended, where it ended without an error; default `ok`. */
  readonly outcome?: ((value: T) => SpanOutcome) | undefined
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  readonly send: (event: EventBody) => MaybePromise<void>
  /** Takes the start; default: `send`. */
  readonly sendStart?: ((event: EventBody) => MaybePromise<void>) | undefined
}

/** Runs steps between their start and end. Every start has an end, on errors and aborts too; nobody is waited for at an abort. */
export function* inSpan<T, E extends { readonly type: string }>(span: Span<T>, steps: Steps<T, E>): Steps<T, E> {
  const { kind, common, atStart, atEnd, outcome, now, send, sendStart = send } = span
  const time = now()
  let over = false
  const end = (how: SpanOutcome, error: unknown, value?: T): MaybePromise<void> => {
    over = true
    const at = now()
    const told = how === 'error' ? describeError(error) : null
    const body = {
      type: `${kind}End`,
      ...common,
      time: at,
      ms: at - time,
      outcome: how,
      error: told,
      ...atEnd?.(value),
    }
    return send(body as unknown as EventBody)
  }
  try {
    const began = sendStart({ type: `${kind}Start`, ...common, ...atStart, time } as unknown as EventBody)
    yield* wait(began, LISTENER)
    const value = yield* steps
    const ended = end(outcome ? outcome(value) : 'ok', null, value)
    yield* wait(ended, LISTENER)
    return value
  } catch (error) {
    if (!over) yield* wait(end(outcomeOf(error), error), LISTENER)
    throw error
  } finally {
    if (!over) void end('aborted', null)
  }
}

const LISTENER = 'a listener'

function outcomeOf(error: unknown): SpanOutcome {
  if (!isXError(error)) return 'error'
  return error.code === 'suspended' || error.code === 'aborted' ? error.code : 'error'
}

const describeError = (error: unknown): { code: string | null; message: string } => ({
  code: isXError(error) ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
})
