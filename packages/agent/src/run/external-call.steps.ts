import type { Agent, CallInput, MaybePromise, OpenCall, Run, RunContext, SharedVariables } from '@x/interfaces'
import { currentRun, isThenable, type Steps, wait } from '@x/kernel'
import { SIGNAL_OF_RUN } from '@x/kernel/options'
import { EventCounter, needsAwait, partRun } from '@x/kernel/run'
import {
  journalInside,
  nobodyInside,
  partOf,
  type Participants,
  recallAnswer,
  type RecalledAnswer,
  type RecordedCall,
} from './recorder.ts'
import { type RunServices, tellStarts } from './event-sender.ts'
import { newScope, type Scope, scopeIn } from './scope.ts'
import { type AgentSpan, type SpanKind, withSpan } from './within.steps.ts'

/** Asks something outside the program's own logic, with a part of the run for this one call. */
type Ask<T> = (context: RunContext & { readonly run: Run }) => MaybePromise<T>

/** A call whose start and end are events. */
interface TimedCall<K extends SpanKind, T> extends AgentCall {
  /** Returns what the call asks; read if somebody takes it. */
  readonly asks?: (() => CallInput) | undefined
  readonly span?: Pick<AgentSpan<K, T>, 'common' | 'atStart' | 'atEnd'> | undefined
}

/** Asks something outside the program's own logic, or recalls the answer from the journal. */
export function* externalCall<T, K extends SpanKind = SpanKind>(call: TimedCall<K, T>, ask: Ask<T>): Steps<T> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const open = openCall(scope, run, call)
  const { asks, span } = call
  if (asks) open.noteInput?.(asks())
  const steps = answerOrRecall(open, call.label, ask)
  const keep = (value: T, isTold: boolean): MaybePromise<void> => (open.known ? undefined : open.keep(value, isTold))
  if (span && scope.services.spans) return yield* withSpan(scope, run, { ...span, ...spanOf(open), keep }, steps)
  const value = yield* steps
  if (!open.known) yield* keepAnswer(open, value)
  return value
}

/**
 * Describes the span of a call: `resumed` if an earlier process has begun it, recalled if it has ended it.
 */
export const spanOf = (open: CallUnderWay): Pick<AgentSpan<never, never>, 'id' | 'inside' | 'resumed' | 'recall'> => ({
  id: open.spanId,
  inside: open.scope,
  resumed: open.isRecalled || open.begunBefore,
  recall: open,
})

function* answerOrRecall<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  return open.known ? (open.known.value as T) : yield* answerOf(open, label, ask)
}

/**
 * Gets the answer of a call under way. If something inside the call waits for an approval, the call fails with `suspended`,
 * even if its code catches that error.
 */
export function* answerOf<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  const { inside } = open
  const begun = open.begin()
  if (begun) yield* wait(begun, label)
  try {
    const answer = ask(open.context)
    const value = needsAwait(open.run, answer) ? yield* wait(answer, label) : (answer as T)
    if (!inside?.suspended) return value
  } catch (error) {
    throw inside?.suspended ?? error
  } finally {
    open.end()
  }
  throw inside.suspended
}

/** Keeps the answer of a call, and waits until the journal has it. */
export function* keepAnswer<T>(open: { keep(value: T): MaybePromise<void> }, value: T): Steps<void> {
  const kept = open.keep(value)
  if (kept) yield* wait(kept, 'the journal of a chat')
}

/** A call that an agent makes. */
export interface AgentCall extends RecordedCall {
  /** The agent whose reply makes the call. */
  readonly agent?: Agent | undefined
  /** True if the journal keeps the answer of the call and nothing inside it. */
  readonly closed?: boolean | undefined
}

/**
 * Opens a call of something outside: takes the next place, and recalls the answer from the journal. A journal that fails or
 * has another call at this place ends the run.
 */
export const openCall = (scope: Scope, run: Run, call: AgentCall): CallUnderWay => new CallUnderWay(scope, run, call)

const NO_RUN = null as unknown as Run

/** Services of no run, in the order in which an operation makes its own: literals of one order have one layout. */
const NO_SERVICES: RunServices = {
  types: null,
  trace: undefined,
  prints: false,
  spans: false,
  hearsSpans: false,
  skipsParts: false,
  counter: keptCounter(),
  options: undefined,
  open: () => CallUnderWay.kept,
  around: null,
}

function keptCounter(): EventCounter {
  // A fraction, since real times are no small integers: those would be another layout.
  const counter = new EventCounter(
    () => 0.5,
    () => '',
  )
  counter.now()
  counter.begin('', 0)
  return counter
}

/** A call under way. Its part of the run is made at the first use of `run` or `context`. */
export class CallUnderWay implements OpenCall {
  /** Lives as long as the program, with scopes, so that V8 keeps their layouts and the code compiled for them. */
  static readonly kept: CallUnderWay = new CallUnderWay(newScope(NO_SERVICES, null, {}), NO_RUN, {
    kind: 'job',
    label: '',
  })
  /** Place of the call in the run, such as `1.3`. */
  readonly place: string
  /** The answer from an earlier run; undefined if the journal has none. */
  readonly known: RecalledAnswer | undefined
  /** The scope of everything inside the call. */
  readonly scope: Scope
  /** The participants inside the call; null without a journal. */
  readonly inside: Participants | null
  readonly #outside: Scope
  readonly #run: Run
  readonly #call: AgentCall
  #part: { readonly run: Run; end(): void } | undefined

  constructor(outside: Scope, run: Run, call: AgentCall) {
    this.#outside = outside
    this.#run = run
    this.#call = call
    const place = outside.places.take()
    this.place = place
    this.known = outside.journal ? recallAnswer(outside.journal, run, place, call) : undefined
    for (const { actual } of this.known?.used ?? []) outside.tally?.add(actual)
    const { journal: around } = outside
    const callKind = call.closed ? call.kind : undefined
    const journal = callKind || !around ? null : journalInside(around)
    this.inside = journal?.participants ?? (around && nobodyInside(around.participants))
    this.scope = outside.ofCall(place, { agent: call.agent, journal, callKind })
  }

  /** The run for the called function: places inside it are below the place of the call. */
  get run(): Run {
    this.#part ??= partRun(this.#run, { scope: this.scope })
    return this.#part.run
  }

  /** The context for the called function. */
  get context(): RunContext & { readonly run: Run } {
    return new FunctionContext(this.run)
  }

  /** Globally unique key of the call: the identifier of the run, and the place. */
  get key(): string {
    const { journal, services } = this.#outside
    return `${journal?.recorder.runId ?? services.counter.runId}/${this.place}`
  }

  /** Identifier of the span of the call. */
  get spanId(): string {
    return this.#outside.places.spanPrefix + this.place
  }

  /** True if the journal has the answer. */
  get isRecalled(): boolean {
    return this.known !== undefined
  }

  /** True if the listener of the earlier process may not have heard of the answer, because the process ended first. */
  get isUntold(): boolean {
    return this.known?.isTold === false && !this.#outside.isPast
  }

  /** True if an earlier process began the call and kept something inside it. */
  get begunBefore(): boolean {
    return this.#outside.journal?.recorder.isPast(this.place, 0) ?? false
  }

  get recorded(): boolean {
    return this.#outside.isRecorded
  }

  get noteInput(): ((input: CallInput) => void) | undefined {
    const recorder = this.#outside.journal?.recorder
    return recorder?.noteInput && ((input) => recorder.noteInput!(this.place, this.#call, input))
  }

  keep(value: unknown, isTold = true): MaybePromise<void> {
    const { journal } = this.#outside
    if (!journal) return undefined
    const around = { outside: journal.participants, inside: this.inside }
    return journal.recorder.keep(this.#run, { place: this.place, call: this.#call, value, around, isTold })
  }

  part(name: string): ReturnType<OpenCall['part']> {
    return partOf(this.#outside.journal, this.#run, this.place, name)
  }

  end(): void {
    this.#part?.end()
  }

  beforeCall(): MaybePromise<void> {
    return this.#outside.journal?.recorder.beforeCall?.(this.#run, this.place, this.#call)
  }

  /**
   * Asks the journal, and sends the starts that are held back: the call is made, so that all spans around it go on in this
   * process.
   */
  begin(): MaybePromise<void> {
    if (!this.#outside.journal) return undefined
    const held = this.beforeCall()
    const tell = (): MaybePromise<void> => tellStarts(this.scope.events.span)
    return isThenable(held) ? held.then(tell) : tell()
  }

  /** Opens the call for another attempt, with a new part of the run. */
  reopen(): void {
    this.end()
    this.#part = undefined
  }
}

/** The context of a function of the program. `signal` and `emit` are made at their first use. */
class FunctionContext implements RunContext {
  static readonly kept: FunctionContext = new FunctionContext(NO_RUN)
  readonly run: Run

  constructor(run: Run) {
    this.run = run
  }

  get signal(): AbortSignal | undefined {
    return this.run.signal
  }

  get [SIGNAL_OF_RUN](): true {
    return true
  }

  get emit(): Run['emit'] {
    return this.run.emit
  }

  get contextVariables(): SharedVariables | undefined {
    return variablesIn(this.run)
  }
}

/** Returns the context variables of the scope of a run; undefined without any. */
export const variablesIn = (run: Run): SharedVariables | undefined => scopeIn(run).variables ?? undefined

/** Makes the context of a function that is not a recorded call. */
export const contextOf = (run: Run): RunContext & { readonly run: Run } => new FunctionContext(run)
