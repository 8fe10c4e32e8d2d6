import type { Agent, MaybePromise, OpenCall, Run, RunContext, SharedVariables } from '@x/interfaces'
import { currentRun, type Steps, wait } from '@x/kernel'
import { needsAwait, partRun } from '@x/kernel/run'
import { journalInside, type Participants, recallAnswer, type RecordedCall } from './recorder.ts'
import { type Scope, scopeIn } from './scope.ts'
import { type AgentSpan, type SpanKind, withSpan } from './within.steps.ts'

/** How something outside is asked: it is given its part of the run. */
type Ask<T> = (context: RunContext & { readonly run: Run }) => MaybePromise<T>

/** A call whose start and end are events. */
interface TimedCall<K extends SpanKind> extends AgentCall {
  readonly span?: AgentSpan<K, unknown>['details'] | undefined
}

/** Asks something outside the program's own logic, or the journal if it has answered before. */
export function* externalCall<T, K extends SpanKind = SpanKind>(call: TimedCall<K>, ask: Ask<T>): Steps<T> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const open = openCall(scope, run, call)
  const { span: details } = call
  const steps = answerAndKeep(open, call.label, ask)
  return yield* details ? withSpan(scope, run, { details, ...spanOf(open) }, steps) : steps
}

/** The span of a call; one that has answered was told, unless nothing came behind it. */
export const spanOf = ({
  place,
  scope,
  known,
  begunBefore,
}: CallUnderWay): Pick<AgentSpan<never, never>, 'id' | 'inside' | 'resumed'> => ({
  id: place,
  inside: scope,
  resumed: known !== undefined || begunBefore,
})

/** The answer of a call, kept before anybody hears that there is one. */
function* answerAndKeep<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  if (open.known) return open.known.value as T
  const value = yield* answerOf(open, label, ask)
  yield* keepAnswer(open, value)
  return value
}

/**
 * The answer of a call under way. While something inside it waits for an approval it has none, whatever its code makes of
 * that.
 */
export function* answerOf<T>(open: CallUnderWay, label: string, ask: Ask<T>): Steps<T> {
  const { inside } = open
  try {
    const given = ask(open.context)
    const value = needsAwait(open.run, given) ? yield* wait(given, label) : (given as T)
    if (!inside?.suspended) return value
  } catch (error) {
    throw inside?.suspended ?? error
  } finally {
    open.end()
  }
  throw inside.suspended
}

/** Keeps the answer of a call; the chat goes on when it is kept. */
export function* keepAnswer(open: Pick<CallUnderWay, 'keep'>, value: unknown): Steps<void> {
  const kept = open.keep(value)
  if (kept) yield* wait(kept, 'the journal of a chat')
}

/** A call that an agent makes. */
export interface AgentCall extends RecordedCall {
  /** The agent in whose reply it is made. */
  readonly agent?: Agent | undefined
  /** Whether what is called keeps nothing by itself, since its answer is kept here. */
  readonly closed?: boolean | undefined
}

/**
 * Takes the next place for a call of something outside, and recalls its answer from the journal. A journal that fails, or
 * that has another call at the place, ends the run.
 */
export const openCall = (scope: Scope, run: Run, call: AgentCall): CallUnderWay => new CallUnderWay(scope, run, call)

/** A call under way; its own part of the run is made when somebody asks for it. */
export class CallUnderWay implements OpenCall {
  /** Place of the call in the run, such as `1.3`. */
  readonly place: string
  /** The answer that an earlier run kept. */
  readonly known: { readonly value: unknown } | undefined
  /** The scope of everything inside the call. */
  readonly scope: Scope
  /** The agents that take part inside it, if there is a journal. */
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
    const journal = outside.journal && journalInside(outside.journal)
    this.inside = journal && journal.participants
    const callKind = call.closed ? call.kind : undefined
    this.scope = outside.inner({ place, agent: call.agent, journal, callKind })
  }

  /** The run for the call itself: what it starts takes its places below. */
  get run(): Run {
    this.#part ??= partRun(this.#run, { scope: this.scope })
    return this.#part.run
  }

  /** The part of the run that the called function gets. */
  get context(): RunContext & { readonly run: Run } {
    return new FunctionContext(this.run)
  }

  /** Names the call in all the world: the identifier of the run and the place in it. */
  get key(): string {
    const { journal, services } = this.#outside
    return `${journal?.recorder.runId ?? services.runId()}/${this.place}`
  }

  /** True if an earlier process began it and came further inside. */
  get begunBefore(): boolean {
    return this.#outside.journal?.recorder.isPast(this.place, 0) ?? false
  }

  get recorded(): boolean {
    return this.#outside.isRecorded
  }

  keep(value: unknown): MaybePromise<void> {
    const { journal } = this.#outside
    if (!journal) return undefined
    const around = { outside: journal.participants, inside: this.inside }
    return journal.recorder.keep(this.#run, { place: this.place, call: this.#call, value, around })
  }

  part(name: string): Pick<OpenCall, 'known' | 'keep'> {
    const { journal } = this.#outside
    const run = this.#run
    const { place } = this
    const call = { kind: 'job', name, label: `the job ${name}` } as const
    return {
      known: journal ? recallAnswer(journal, run, place, call) : undefined,
      keep: (value) => journal?.recorder.keep(run, { place, call, value }),
    }
  }

  end(): void {
    this.#part?.end()
  }

  /** Opens the call again after its end: it is asked once more, in a part of the run that has not ended. */
  reopen(): void {
    this.end()
    this.#part = undefined
  }
}

/** What a function is given of a run: the run itself, and its signal and `emit`, which are made when asked for. */
class FunctionContext implements RunContext {
  readonly run: Run

  constructor(run: Run) {
    this.run = run
  }

  get signal(): AbortSignal | undefined {
    return this.run.signal
  }

  get emit(): Run['emit'] {
    return this.run.emit
  }

  get contextVariables(): SharedVariables | undefined {
    return variablesIn(this.run)
  }
}

/** The context variables of the chat that a run is in; undefined without any. */
export const variablesIn = (run: Run): SharedVariables | undefined => scopeIn(run).variables ?? undefined

/** Makes the context of a function that is not a call of its own. */
export const contextOf = (run: Run): RunContext & { readonly run: Run } => new FunctionContext(run)
