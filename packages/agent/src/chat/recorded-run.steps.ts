import type { Journal, MaybePromise, Run, RunOptions } from '@x/interfaces'
import { currentRun, type Steps, wait } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { JOURNAL_KIND } from '../options/kinds.ts'
import { operate } from '../run/operate.ts'
import { platformNow } from '../run/platform.ts'
import { scopeIn } from '../run/scope.ts'
import { shareMeans, SILENT_IO } from './open.steps.ts'

/** Options of {@link runRecorded}. */
interface RecordedRunOptions extends Pick<RunOptions, 'signal' | 'emit' | 'events' | 'tracer'> {
  /** Keeps the answers of the run; with the journal of an earlier run, that run continues. */
  readonly journal: Journal
  /** Globally unique identifier of the run. */
  readonly runId: string
  /** Version of the program; refuses to continue a run of another version. */
  readonly version?: string | undefined
  /** Streams the answers of models as events; default false. */
  readonly streams?: boolean | undefined
  /**
   * Tells whether the caller waits an error out and runs the function again with the journal. A tool that fails by such an
   * error fails the run, which has no answer then; by default the model reads the error as the result of the tool.
   */
  readonly waitsOut?: ((error: unknown) => boolean) | undefined
  /** Number of the first event; default: 0, and for a run that continues a number from the clock. */
  readonly firstSeq?: number | undefined
}

const RECORDED_RUN_KINDS: OptionKinds<RecordedRunOptions> = {
  journal: JOURNAL_KIND,
  runId: kind.text,
  version: kind.text,
  streams: kind.flag,
  waitsOut: kind.call,
  firstSeq: kind.whole(0),
  signal: runOptionKinds.signal,
  emit: runOptionKinds.emit,
  events: runOptionKinds.events,
  tracer: runOptionKinds.tracer,
}

/**
 * Runs a function as one run with a journal: the journal keeps everything that the function starts with its `run`
 * argument, each chat at its own place. If something inside waits for a decision, the run fails with `suspended`, even if
 * the function catches that error.
 */
export async function runRecorded<T>(use: (run: Run) => MaybePromise<T>, options: RecordedRunOptions): Promise<T> {
  checkOptions(options, RECORDED_RUN_KINDS, 'run `runRecorded`')
  const { journal, runId, version, firstSeq, signal, emit, events, tracer, streams = false, waitsOut } = options
  const steps = shareMeans({ journal, runId, version }, callOnce(use, waitsOut))
  return await operate(
    firstSeq === undefined ? steps : numbered(runId, firstSeq, steps),
    { io: SILENT_IO, now: platformNow },
    { signal, emit, events, tracer, streams },
  )
}

function* numbered<T>(runId: string, firstSeq: number, steps: Steps<T>): Steps<T> {
  scopeIn(yield* currentRun()).services.counter.begin(runId, firstSeq)
  return yield* steps
}

function* callOnce<T>(use: (run: Run) => MaybePromise<T>, waitsOut: RecordedRunOptions['waitsOut']): Steps<T> {
  const run = yield* currentRun()
  const participants = scopeIn(run).journal?.participants
  if (participants && waitsOut) participants.waitsOut = waitsOut
  try {
    const value = yield* wait(use(run), 'the function of a run')
    if (!participants?.suspended) return value
  } catch (error) {
    throw participants?.suspended ?? error
  }
  throw participants.suspended
}
