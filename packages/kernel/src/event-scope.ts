import type { EventBody, EventOptions, Listener, MaybePromise, RunOptions, RunScope, XEvent } from '@x/interfaces'
import { scopeOf } from './run-part.ts'
import { shapeEvent } from './shape-event.ts'

/** Where an event happened. */
export interface EventPlace {
  readonly chatId: string | null
  readonly agentPath: readonly string[] | null
  readonly parentId: string | null
}

/** Numbers the events of a run, and gives them their times, which never go back. */
export class EventCounter {
  #runId: string | null = null
  #seq = 0
  readonly #now: () => number
  readonly #newId: () => string
  #time = 0

  /** `now` gives milliseconds since 1970, `newId` a globally unique id. */
  constructor(now: () => number, newId: () => string) {
    this.#now = now
    this.#newId = newId
  }

  /** Globally unique id of the run; made when it is first needed. */
  get runId(): string {
    return (this.#runId ??= this.#newId())
  }

  /** Takes the id of a journal's run and the number of its first event in this process, unless the run has an id. */
  begin(runId: string, firstSeq: number): void {
    if (this.#runId !== null) return
    this.#runId = runId
    this.#seq = firstSeq
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return (this.#time = Math.max(this.#time, this.#now()))
  }

  /** Adds the envelope to an event. Fields of the event win: a span has a parent and times of its own. */
  place(event: EventBody, { chatId, agentPath, parentId }: EventPlace): XEvent {
    const { runId } = this
    const seq = this.#seq++
    // An event with a time was made for this by `inSpan`, and nobody else has it: a copy costs ten times as much.
    if ('time' in event) {
      const own = event as object as Writable
      own.runId = runId
      own.seq = seq
      own.chatId = chatId
      own.agentPath = agentPath
      return own as XEvent
    }
    const envelope = { type: event.type, runId, seq, time: this.now(), chatId, agentPath, parentId }
    return Object.assign(envelope, event) as XEvent
  }
}

type Writable = { -readonly [K in keyof XEvent]: XEvent[K] }

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
