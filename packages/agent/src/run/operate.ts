import type { EventBody, EventStream, RunOptions, XEvent } from '@x/interfaces'
import { runAsync, runStream, runSync, type Steps } from '@x/kernel'
import { checkRunOptions } from '@x/kernel/run'
import { scopeFor } from './join.ts'
import type { RunDefaults } from './run-defaults.ts'

type BlockingOptions = Pick<RunOptions, 'run' | 'emit'>

/** Runs the steps of an agent's operation as a promise: in the `run` it is given, or in one of its own. */
export async function operate<T>(steps: Steps<T>, defaults: RunDefaults, options: RunOptions = {}): Promise<T> {
  checkRunOptions(options)
  const { run, signal } = options
  const emit = listenerOf(defaults, options)
  return await runAsync<T, EventBody, XEvent>(steps, { run, signal, emit, scope: scopeFor(options, defaults, false) })
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
