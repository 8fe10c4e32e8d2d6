import type { Journal, MaybePromise, Run, RunOptions } from '@x/interfaces'
import { currentRun, type Steps, wait } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { JOURNAL_KIND } from '../options/kinds.ts'
import { operate } from '../run/operate.ts'
import { platformNow } from '../run/platform.ts'
import { scopeIn } from '../run/scope.ts'
import { shareMeans, SILENT_IO } from './open.steps.ts'

/** Options of {@link runRecorded}. */
interface RecordedRunOptions extends Pick<RunOptions, 'signal' | 'emit'> {
  /** Keeps the answers given in the run; with a journal of an earlier run, that run goes on. */
  readonly journal: Journal
  /** Names the run in all the world. */
  readonly runId: string
  /** Version of the program; a run of another version is refused. */
  readonly version?: string | undefined
  /** Lets models answer piece by piece, for readers of the events; default false. */
  readonly streams?: boolean | undefined
}

const RECORDED_RUN_KINDS: OptionKinds<RecordedRunOptions> = {
  journal: JOURNAL_KIND,
  runId: kind.text,
  version: kind.text,
  streams: kind.flag,
  signal: runOptionKinds.signal,
  emit: runOptionKinds.emit,
}

/**
 * Runs a function as one run with a journal: everything that it starts with the `run` it is given is kept there, each chat
 * at a place of its own. When something inside waits for a decision, the run fails with `suspended`, whatever the function
 * makes of that.
 */
export async function runRecorded<T>(use: (run: Run) => MaybePromise<T>, options: RecordedRunOptions): Promise<T> {
  checkOptions(options, RECORDED_RUN_KINDS, 'run `runRecorded`')
  const { journal, runId, version, signal, emit, streams = false } = options
  const steps = shareMeans({ journal, runId, version }, callOnce(use))
  return await operate(steps, { io: SILENT_IO, now: platformNow }, { signal, emit, streams })
}

function* callOnce<T>(use: (run: Run) => MaybePromise<T>): Steps<T> {
  const run = yield* currentRun()
  const participants = scopeIn(run).journal?.participants
  try {
    const value = yield* wait(use(run), 'the function of a run')
    if (!participants?.suspended) return value
  } catch (error) {
    throw participants?.suspended ?? error
  }
  throw participants.suspended
}
