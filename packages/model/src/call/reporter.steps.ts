import type {
  Budget,
  CacheStore,
  EventBody,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunOptions,
  RunScope,
  XEvent,
} from '@x/interfaces'
import { type Steps, wait } from '@x/kernel'
import { eventOutside, EventScope, scopeOf } from '@x/kernel/run'
import { sendToIo, type WrapperParts } from './wrapper-parts.ts'

/** The part of a run that a call uses: the receiver of its events, its budget and its cache. */
export class Reporter {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: Reporter = new Reporter(null as unknown as WrapperParts, {})
  readonly run: Run | undefined
  /** Gives events their envelope. Undefined outside of runs without an `emit`: the `io` gets only warnings and summaries. */
  readonly scope: RunScope | undefined
  /** Id of the innermost span of the call under way; null for none. */
  spanId: string | null
  /** The place of the call, if it is one of the run's own. */
  open: OpenCall | undefined = undefined
  /** The listener of this call; undefined if it is that of the run, or the `io`. */
  readonly #emit: Listener | undefined
  readonly #parts: WrapperParts

  constructor(parts: WrapperParts, options: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>) {
    const { run, emit: given, events, tracer } = options
    // Most calls are heard by the listener of their run alone, if by anybody.
    const isHeardByRun = !events && (run || !tracer) && (!given || given === run?.emit)
    const { scope, emit }: ReturnType<typeof EventScope.listening> = isHeardByRun
      ? { scope: run && scopeOf(run) }
      : EventScope.listening(options, parts.plan.runtime)
    this.run = run
    this.scope = scope
    this.spanId = scope?.spanId ?? null
    this.#emit = emit
    this.#parts = parts
  }

  /** The budget of the run. */
  get budget(): Budget | undefined {
    return this.scope?.budget ?? undefined
  }

  /** The cache of the surrounding chat. */
  get cache(): CacheStore | null {
    return this.scope?.cache ?? null
  }

  /** Returns a named part of the call under way, if a journal keeps it. */
  part(name: string): ReturnType<OpenCall['part']> | undefined {
    const { open, run, scope } = this
    if (open) return open.recorded ? open.part(name) : undefined
    return run && scope?.part?.(run, name)
  }

  /** Tells whether somebody listens to events of a type. */
  takes(type: XEvent['type']): boolean {
    return this.scope?.takes(type) ?? false
  }

  /** Sends an event to the caller's `emit`, into the run, or to the wrapper's `io`. */
  report(event: EventBody): MaybePromise<void> {
    const { run, scope } = this
    const emit = this.#emit
    if (scope && emit) return scope.send(event, emit)
    // A trace alone takes spans; the `io` gets what it gets without a trace.
    if (!run) return scope && 'id' in event ? scope.send(event, ignoreEvent) : sendToIo(this.#parts, event)
    if (scope?.hears?.(event.type) === false) return scope.send(event, ignoreEvent)
    return run.emit(scope ? event : eventOutside(event, this.#parts.plan.runtime.now()))
  }
}

/** The listener of a call that only its trace follows. */
const ignoreEvent = (): undefined => undefined

/** Sends a warning; an equal warning is sent once per wrapper. */
export function* sendWarning(
  {
    parts,
    reporter,
    agent,
  }: { readonly parts: WrapperParts; readonly reporter: Reporter; readonly agent: string | null },
  topic: string,
  text: string,
): Steps<void, never> {
  if (!parts.memory.isNewWarning(`${topic}: ${text}`)) return
  const { spanId } = reporter
  const warning: EventBody = { type: 'warning', agent, topic, text }
  const placed = spanId === null ? warning : { ...warning, parentId: spanId }
  yield* wait(reporter.report(placed), 'the listener of a warning')
}
