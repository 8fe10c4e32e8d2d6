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
import { scopeOf, type Span } from '@x/kernel/run'
import type { WrapperParts } from './wrapper-parts.ts'

/** The part of a run that a call sees: who hears it, what it may spend, where answers are cached. */
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

  /** What everything in the run may spend together. */
  get budget(): Budget | undefined {
    return this.scope?.budget ?? undefined
  }

  /** The cache of the chat around. */
  get cache(): CacheStore | null {
    return this.scope?.cache ?? null
  }

  /** Whether somebody listens to events of a type; an `io` of a wrapper hears warnings and summaries alone. */
  takes(type: XEvent['type']): boolean {
    return this.scope ? this.scope.takes(type) : this.#emit !== undefined
  }

  /** Where spans are told, and what time it is. */
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
