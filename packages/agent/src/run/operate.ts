import type { EventBody, EventStream, Io, RunOptions, RunScope, RunTracer, XEvent } from '@x/interfaces'
import { isXError, runAsync, runStream, runSync, type Steps, type XError } from '@x/kernel'
import { checkRunOptions, EventCounter, scopeOf } from '@x/kernel/run'
import { isConsole } from '../console/console-io.ts'
import { openCall } from './external-call.steps.ts'
import { newRunId } from './platform.ts'
import { journalInside, type Participants } from './recorder.ts'
import type { RunServices } from './event-sender.ts'
import { chatBudget, newScope, type Scope } from './scope.ts'
import { startedApart, untilEnd } from './within.steps.ts'

type BlockingOptions = Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>

/**
 * Runs the steps of an operation as a promise, inside the `run` of the options or as a new run. With `streams`, models
 * inside stream their answers as events.
 */
export async function operate<T>(
  steps: Steps<T>,
  defaults: RunDefaults,
  options: RunOptions & { readonly streams?: boolean | undefined } = {},
): Promise<T> {
  checkRunOptions(options)
  const { run, signal, streams = false } = options
  const emit = listenerOf(defaults, options)
  const scope = scopeFor(options, defaults, streams)
  const own = inOperation(scope, steps)
  try {
    return await runAsync<T, EventBody, XEvent>(run ? startedApart(own) : own, { run, signal, emit, scope })
  } catch (error) {
    const program = run && scope.journal?.participants.outer
    if (program?.suspends && isXError(error, 'suspended')) await suspendInProgram(error, program, program.suspends)
    throw error
  }
}

/** Holds an operation of a program that waits for a decision until the program goes no further; then it fails with `suspended`. */
async function suspendInProgram(
  error: XError,
  program: Participants,
  untilSuspended: NonNullable<Participants['suspends']>,
): Promise<void> {
  // A program that ends meanwhile has done without it.
  program.suspended = null
  await untilSuspended()
  program.suspended ??= error
}

/** Runs the steps of an operation on this stack, and returns the result. */
export function operateSync<T>(steps: Steps<T>, defaults: RunDefaults, options: BlockingOptions = {}): T {
  checkRunOptions(options)
  const emit = listenerOf(defaults, options)
  const scope = scopeFor(options, defaults, false)
  return runSync<T, EventBody, XEvent>(inOperation(scope, steps), { run: options.run, emit, scope })
}

/** Runs the steps of an operation as a stream of events. */
export function operateStream<T>(steps: Steps<T>, defaults: RunDefaults, options: RunOptions = {}): EventStream<T> {
  checkRunOptions(options)
  const { run, signal } = options
  const scope = scopeFor(options, defaults, true)
  return runStream<T, EventBody, XEvent>(inOperation(scope, steps), { run, signal, scope })
}

const inOperation = <T>(scope: Scope, steps: Steps<T>): Steps<T> =>
  scope.operation ? untilEnd(steps, () => scope.endOperation()) : steps

/** Returns the listener: the caller's `emit`; none inside a `run`, which gets the events; otherwise the `io` of the operation. */
function listenerOf({ io }: RunDefaults, { run, emit }: BlockingOptions): RunOptions['emit'] {
  return emit ?? (run ? undefined : (event) => io.send(event))
}

/**
 * Makes the scope of an operation, inside the scope of its `run` if there is one. `streams` is true if the caller reads the
 * events as a stream.
 */
function scopeFor(
  { run, emit, events, tracer }: BlockingOptions,
  { io, now, tracer: ofAgent }: RunDefaults,
  streams: boolean,
): Scope {
  const outer = run && scopeOf(run)
  const around = outer && isAgentScope(outer) ? outer : undefined
  const foreign = around ? null : (outer ?? null)
  const outerServices = around?.services
  const types = emit || streams ? null : outerServices ? outerServices.types : run ? null : (io.takes ?? null)
  const trace = run
    ? (outerServices?.trace ?? foreign?.tracer?.begin() ?? foreign?.trace)
    : (tracer ?? ofAgent)?.begin()
  const hearsSpans = types === null || [...types].some((type) => SPAN_TYPE.test(type))
  const services: RunServices = {
    types,
    trace,
    prints: !emit && !streams && (outerServices ? outerServices.prints : !run && isConsole(io)),
    spans: hearsSpans || trace !== undefined,
    hearsSpans,
    skipsParts: !hearsSpans && (trace?.skipsParts ?? false),
    counter: outerServices?.counter ?? new EventCounter(now, newRunId),
    options: events ?? outerServices?.options,
    open: (scope, own, call) => openCall(scope as Scope, own, call),
    around: outerServices?.around ?? foreign,
  }
  if (foreign) return newScope(services, null, { streams, budget: chatBudget(null, foreign.budget) })
  if (!around) return newScope(services, null, { streams })
  // A tool may make agents with the names of agents outside.
  const journal = around.journal && journalInside(around.journal, true)
  const operation = journal ? { places: [] } : undefined
  return newScope(services, around, { journal, streams: around.streams || streams, operation })
}

/** True for a scope of agents: those of other packages have no places, and agents inside them begin at their first one. */
const isAgentScope = (scope: RunScope): scope is Scope => 'services' in scope

/** The types of the events that begin or end a span: `chatStart`, `chatEnd`, … */
const SPAN_TYPE = /(?:Start|End)$/u

/** Defaults of an operation without a `run`. */
export interface RunDefaults {
  readonly io: Io
  readonly now: () => number
  readonly tracer?: RunTracer | undefined
}
