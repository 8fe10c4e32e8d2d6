import type { EventBody, EventStream, Io, RunOptions, XEvent } from '@x/interfaces'
import { runAsync, runStream, runSync, type Steps } from '@x/kernel'
import { checkRunOptions, scopeOf } from '@x/kernel/run'
import { isConsole } from '../console/console-io.ts'
import { openCall } from './external-call.steps.ts'
import { newRunId } from './platform.ts'
import { journalInside } from './recorder.ts'
import { type RunServices, Scope } from './scope.ts'

type BlockingOptions = Pick<RunOptions, 'run' | 'emit'>

/**
 * Runs the steps of an agent's operation as a promise: in the `run` it is given, or in one of its own. With `streams`,
 * models inside answer piece by piece, for readers of the events.
 */
export async function operate<T>(
  steps: Steps<T>,
  defaults: RunDefaults,
  options: RunOptions & { readonly streams?: boolean | undefined } = {},
): Promise<T> {
  checkRunOptions(options)
  const { run, signal, streams = false } = options
  const emit = listenerOf(defaults, options)
  return await runAsync<T, EventBody, XEvent>(steps, { run, signal, emit, scope: scopeFor(options, defaults, streams) })
}

/** The same, blocking. */
export function operateSync<T>(steps: Steps<T>, defaults: RunDefaults, options: BlockingOptions = {}): T {
  checkRunOptions(options)
  const emit = listenerOf(defaults, options)
  return runSync<T, EventBody, XEvent>(steps, { run: options.run, emit, scope: scopeFor(options, defaults, false) })
}

/** The same, as a stream of its events. */
export function operateStream<T>(steps: Steps<T>, defaults: RunDefaults, options: RunOptions = {}): EventStream<T> {
  checkRunOptions(options)
  const { run, signal } = options
  return runStream<T, EventBody, XEvent>(steps, { run, signal, scope: scopeFor(options, defaults, true) })
}

/** Events go to the caller's `emit`, into the `run`, or to the `io` of who starts the operation. */
function listenerOf({ io }: RunDefaults, { run, emit }: BlockingOptions): RunOptions['emit'] {
  return emit ?? (run ? undefined : (event) => io.send(event))
}

function makeOnce(make: () => string): () => string {
  let made: string | undefined
  return () => (made ??= make())
}

/**
 * The scope that an operation begins with: that of the run it becomes part of, or one of its own. `streams` says that
 * its events are read as a stream.
 */
function scopeFor({ run, emit }: Pick<RunOptions, 'run' | 'emit'>, { io, now }: RunDefaults, streams: boolean): Scope {
  const around = run && (scopeOf(run) as Scope | undefined)
  const known = around?.services
  const types = emit || streams ? null : known ? known.types : run ? null : (io.takes ?? null)
  const services: RunServices = {
    types,
    prints: !emit && !streams && (known ? known.prints : !run && isConsole(io)),
    spans: types === null || [...types].some((type) => SPAN_TYPE.test(type)),
    now: known?.now ?? now,
    runId: known?.runId ?? makeOnce(newRunId),
    open: (scope, own, call) => openCall(scope as Scope, own, call),
  }
  if (!around) return new Scope(services, null, { streams })
  // Agents that a tool makes for what it starts may have the names of others.
  const journal = around.journal && journalInside(around.journal)
  return new Scope(services, around, { journal, streams: around.streams || streams })
}

/** The types of the events that begin or end a span: `chatStart`, `chatEnd`, … */
const SPAN_TYPE = /(?:Start|End)$/u

/** Defaults of an operation that is not part of another run. */
export interface RunDefaults {
  readonly io: Io
  readonly now: () => number
}
