import type { EventBody, Face, MaybePromise, Run, RunScope, XEvent } from '@x/interfaces'
import { isThenable } from './steps.ts'
import { isXError, XError } from './x-error.ts'

/** How long steps may keep the event loop, in milliseconds. */
const MAX_BUSY_MS = 10

/** Steps that are taken before the clock is read: most operations are over by then. */
const UNCLOCKED_STEPS = 12

// Both are taken when the module is loaded: fake timers of a test would stop a run for good.
const readClock = performance.now.bind(performance)
const onNextTurn: (go: (value: undefined) => void) => unknown =
  globalThis.setImmediate ??
  (globalThis.MessageChannel
    ? (go) => {
        const channel = new MessageChannel()
        Object.assign(channel.port1, { onmessage: go })
        channel.port2.postMessage(0)
      }
    : setTimeout)

/** The clock of a run and all that is in it. Plain fields: private ones cost more to make than all else that a short run does. */
export class Clock {
  steps = 0
  since = 0
  turn: Promise<void> | undefined

  /** Asked after each step, gives a promise of the event loop's next turn when the run has kept the loop for too long. */
  pause(): Promise<void> | undefined {
    if (this.turn || this.steps++ < UNCLOCKED_STEPS) return this.turn
    const time = readClock()
    this.since ||= time
    if (time - this.since < MAX_BUSY_MS) return undefined
    return (this.turn = new Promise<undefined>(onNextTurn).then(() => {
      this.turn = undefined
      this.since = 0
    }))
  }
}

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

/** True for an event that has its envelope; one of a span has room for it from the beginning. */
export const isPlaced = (event: EventBody | XEvent): event is XEvent => (event as Partial<XEvent>).runId !== undefined

type Writable = { -readonly [K in keyof XEvent]: XEvent[K] }

/** Key of the hidden part of a run, shared by all installed copies of this package with compatible runs. */
const RUN_KEY = Symbol.for('@x/kernel/run/1')

/** The properties that all parts of one driven operation share. */
export interface Root {
  readonly face: Face
  /** Sends an event that has its origin. */
  readonly send: (event: unknown) => MaybePromise<void>
  /** Ends this run and those around it, whoever catches. */
  readonly fail: (cause: unknown) => void
  /** Halts for a promise in the blocking face; the promise is abandoned, not left unhandled. */
  readonly refuse: (promise: PromiseLike<unknown>, what: string) => void
  /** True once the steps have ended. */
  done: boolean
  /** Tells when the event loop is to have its turn; absent in the blocking face. */
  readonly clock: Clock | undefined
  /** Why they are being closed. */
  halted: { readonly cause: unknown } | undefined
}

/** Hears why something stops. */
type OnStop = (cause: unknown) => void

/** Changes of an inner part of a run. */
interface PartChange {
  readonly scope?: RunScope | undefined
  /** Replaces the signal that the part shows. */
  readonly signal?: AbortSignal | undefined
}

/** A part of a run: what the steps in it, and those who are handed its `run`, see of it. It stops once. */
export class Part {
  readonly root: Root
  readonly scope: RunScope | undefined
  readonly #outer: Part | undefined
  readonly #given: AbortSignal | undefined
  #controller: AbortController | undefined
  /** No set: the tables that a set leaves behind as it changes keep what was in them alive for long. */
  #listeners: OnStop[] | undefined
  #stopped: { readonly cause: unknown } | undefined
  #run: Run | undefined
  #emit: Run['emit'] | undefined

  constructor(root: Root, { scope, signal }: PartChange, outer?: Part) {
    this.root = root
    this.scope = scope
    this.#given = signal && mark(signal, root)
    this.#outer = outer
  }

  /** A part inside this one, which may stop before it. */
  inner(change: PartChange): Part {
    return new Part(this.root, { scope: this.scope, ...change }, this)
  }

  /** Stops what was started in this part; without a cause because the part has ended. */
  stop(cause?: unknown): void {
    this.#stopped ??= { cause }
    // An error is made only when somebody hears it: most parts end with nothing left in them.
    for (const listener of [...(this.#listeners ?? [])]) listener(cause ?? ended())
  }

  get ended(): boolean {
    return this.root.done || Boolean(this.#outer && (this.#stopped ?? this.#outer.ended))
  }

  /** Fires when the part stops; made when somebody asks for it. A part inside another shows the signal of that. */
  get signal(): AbortSignal | undefined {
    if (this.root.face === 'sync') return undefined
    return this.#given ?? this.#outer?.signal ?? this.#own
  }

  get #own(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      this.onStop((cause) => this.#controller!.abort(cause))
    }
    return mark(this.#controller.signal, this.root)
  }

  /** Tells a listener when what was started in this part has to stop, in every face; gives what takes it off. */
  onStop(listener: OnStop): () => void {
    // A list of one: an empty list that grows has room for many.
    if (!this.#listeners?.push(listener)) this.#listeners = [listener]
    if (this.#stopped) listener(this.#stopped.cause)
    const outer = this.#outer?.onStop(listener)
    const given = onAbort(this.#given, listener)
    return () => {
      const listeners = this.#listeners!
      listeners.splice(listeners.lastIndexOf(listener), 1)
      outer?.()
      given?.()
    }
  }

  send(event: unknown): MaybePromise<void> {
    const { send, fail } = this.root
    return this.scope ? this.scope.send(event as XEvent, send, fail) : send(event)
  }

  get emit(): Run['emit'] {
    return (this.#emit ??= mark((event: EventBody | XEvent) => this.send(event), this.root))
  }

  get run(): Run {
    return (this.#run ??= new RunHandle(this))
  }
}

/** A run as others hold it: what it hides is seen by no `inspect`, no JSON and no copy. */
class RunHandle implements Run {
  readonly #part: Part

  constructor(part: Part) {
    this.#part = part
  }

  get face(): Face {
    return this.#part.root.face
  }

  get signal(): AbortSignal | undefined {
    return this.#part.signal
  }

  get emit(): Run['emit'] {
    return this.#part.emit
  }

  /** A copy with the prototype of a run has no private field, and hides nothing. */
  get [RUN_KEY](): Part | undefined {
    return #part in this ? this.#part : undefined
  }
}

const ended = (): XError => new XError('invalid-state', '`run` has ended: await what it starts')

/** Returns the part behind a run; refuses a copy of a run and any other value. */
function partOf(run: Run): Part {
  const part = (run as { [RUN_KEY]?: Part } | null)?.[RUN_KEY]
  if (part) return part
  throw new XError('invalid-argument', '`run` is not a run: pass it, not a copy')
}

/** The part that something new becomes part of; one that has ended is refused. */
export function openPartOf(run: Run): Part {
  const part = partOf(run)
  if (part.ended) throw ended()
  return part
}

/** Marks the signal or `emit` of a run as its own. */
function mark<T extends AbortSignal | Run['emit']>(handle: T, root: Root): T {
  ;(handle as { [RUN_KEY]?: Root })[RUN_KEY] = root
  return handle
}

/**
 * Refuses the options of an operation that has the `signal` or `emit` of a run without its `run`. The run itself ends,
 * whoever catches, since what is started would not be part of it. Every operation that takes `{ run }` begins with it.
 */
export function checkRunOptions(options: {
  readonly run?: unknown
  readonly signal?: unknown
  readonly emit?: unknown
}): void {
  if (options.run) return
  const { signal, emit } = options as Record<string, { [RUN_KEY]?: Root } | undefined>
  const root = signal?.[RUN_KEY] ?? emit?.[RUN_KEY]
  if (!root) return
  const error = new XError('invalid-argument', 'the `signal` or `emit` of a run came without its `run`: pass `{ run }`')
  root.fail(error)
  throw error
}

/** Returns the scope of a run; undefined outside of agents. */
export const scopeOf = (run: Run): RunScope | undefined => partOf(run).scope

/** Ends a run and every run around it with an error that no `catch` inside can stop, and throws the error. */
export function failRun(run: Run, cause: unknown): never {
  partOf(run).root.fail(cause)
  throw cause
}

/**
 * Tells a listener why what was started in a run has to stop, at once if it has; gives what takes the listener off. It costs
 * a fraction of the run's signal, which is made when it is read.
 */
export const onStop = (run: Run, listener: (cause: unknown) => void): (() => void) => partOf(run).onStop(listener)

/**
 * True if steps have to wait for a value: for a promise, and for any value while their run is being closed or the event loop
 * is to have its turn. Steps that ask need not visit the driver for a plain value.
 */
export function needsAwait(run: Run, value: unknown): boolean {
  const { root } = partOf(run)
  return isThenable(value) || !!(root.halted ?? root.clock?.pause())
}

/**
 * Makes a run for one call of something outside: with a `scope` or `signal` of its own. `end` ends it, and what was
 * started with it and goes on is stopped. An event that is sent with it later is lost: what tells of the call has ended.
 */
export function partRun(run: Run, change: PartChange): { readonly run: Run; end(): void } {
  const part = partOf(run).inner(change)
  const end = (): void => {
    part.send = AFTER_END.send
    part.stop()
  }
  return { run: part.run, end }
}

/**
 * The `send` of parts that have ended, and one of them. It lives as long as the program: V8 drops the layout of a class of
 * which no object is left, and with it the code that was compiled for it.
 */
const AFTER_END: { readonly send: () => undefined; readonly part: Part; readonly emit: Run['emit'] } =
  /* @__PURE__ */ afterEnd()

function afterEnd(): typeof AFTER_END {
  const send = (): undefined => undefined
  const clock = new Clock()
  // A fraction, as real times are: an integer would be another layout.
  clock.since = 0.5
  // The order is that of the driver: literals of one order have one layout.
  const root: Root = { face: 'async', send, done: true, halted: undefined, clock, fail: send, refuse: send }
  const part = partOf(new Part(root, {}).run)
  part.send = send
  // A marked function has a layout, too.
  return { send, part, emit: part.emit }
}

/** The `aborted` error for a signal; its reason becomes the cause. */
export const abortError = (signal: AbortSignal): XError => stopError(signal.reason)

/** Throws `aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal)
}

/** A promise of the same value that rejects with `aborted` as soon as the signal fires; it leaves no listener behind. */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const onAbort = (): void => stopped.reject(abortError(signal!))
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([stopped.promise, promise])
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** The `aborted` error for what made something stop, with the reason. */
export const stopError = (cause: unknown): XError =>
  isXError(cause) ? cause : new XError('aborted', `stopped by the caller: ${String(cause)}`, { cause })

/** Tells a listener when a signal fires, at once if it has; gives what takes the listener off. */
export function onAbort(signal: AbortSignal | undefined, listener: (cause: unknown) => void): (() => void) | undefined {
  if (!signal) return undefined
  const hear = (): void => listener(signal.reason)
  if (signal.aborted) hear()
  signal.addEventListener('abort', hear)
  return () => signal.removeEventListener('abort', hear)
}
