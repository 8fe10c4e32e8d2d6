import type {
  Budget,
  CacheStore,
  EventBody,
  Listener,
  MaybePromise,
  Run,
  RunOptions,
  RunScope,
  XEvent,
} from '@x/interfaces'
import { type Steps, wait } from '@x/kernel'
import { scopeOf, type Span } from '@x/kernel/run'
import type { WrapperParts } from './wrapper-parts.ts'

/** The part of a run that a call uses: the receiver of its events, its budget and its cache. */
export class Reporter {
  readonly run: Run | undefined
  readonly scope: RunScope | undefined
  readonly #emit: Listener | undefined
  readonly #parts: WrapperParts

  constructor(parts: WrapperParts, { run, emit }: Pick<RunOptions, 'run' | 'emit'>) {
    this.run = run
    this.scope = run && scopeOf(run)
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

  /** Tells whether somebody listens to events of a type. The `io` of a wrapper gets only warnings and summaries. */
  takes(type: XEvent['type']): boolean {
    return this.scope ? this.scope.takes(type) : this.#emit !== undefined
  }

  /** The receiver and the clock of spans. */
  get listener(): Pick<Span<never>, 'now' | 'send'> {
    const { scope } = this
    const { runtime } = this.#parts.plan
    return { now: () => (scope ?? runtime).now(), send: (event) => this.report(event) }
  }

  /** Sends an event to the caller's `emit`, into the run, or to the wrapper's `io`. */
  report(event: EventBody): MaybePromise<void> {
    if (this.scope && this.#emit) return this.scope.send(event, this.#emit)
    if (this.run && !this.#emit) return this.run.emit(event)
    const agentPath = event.agent === null ? null : [event.agent]
    const placed: XEvent = { ...event, chatId: null, agentPath }
    return this.#emit ? this.#emit(placed) : this.#parts.io.send(placed)
  }
}

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
  yield* wait(reporter.report({ type: 'warning', agent, topic, text }), 'the listener of a warning')
}
