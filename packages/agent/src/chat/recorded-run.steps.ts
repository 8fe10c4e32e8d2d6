import type { Budget, Journal, MaybePromise, Run, RunOptions, SteeringSource, UsageSummary } from '@x/interfaces'
import { currentRun, type Steps, wait } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { checkpointOf, keepCheckpoint, RunAgents } from '../durability/checkpoint.ts'
import { JOURNAL_KIND } from '../options/kinds.ts'
import { operate } from '../run/operate.ts'
import { platformNow } from '../run/platform.ts'
import { inScope, scopeIn, UsageTally } from '../run/scope.ts'
import { CHAT_MEANS_KINDS } from './chat-options.ts'
import { shareMeans, SILENT_IO } from './open.steps.ts'

/** The usage and checkpoints of the run of {@link runRecorded}. */
interface RecordedRun {
  /** Usage of all requests of the run so far, in all processes. */
  readonly usage: UsageSummary
  /**
   * Keeps the agents and the usage of the run in its journal, with plain JSON of the caller's: another start begins from there,
   * and everything before is needed no more. Await first what the function has started: what still runs is not part of it.
   */
  checkpoint(added: Readonly<Record<string, unknown>>): Promise<void>
}

type RecordedFunction<T> = (run: Run, recorded: RecordedRun) => MaybePromise<T>

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
  /**
   * Leaves the run at a place for some seconds, while something goes on elsewhere, such as an answer in the background: the
   * caller stops the run, and runs the function again with the journal when the time has come. Undefined for a time so short
   * that the run waits in its process, as it does by default.
   */
  readonly leaves?: ((place: string, seconds: number) => Promise<never> | undefined) | undefined
  /**
   * Holds an operation of the function that waits for a decision until the function goes on no further, and then stops the run:
   * if the function ends before, its value counts. By default such an operation fails at once, and so does the run.
   */
  readonly suspends?: (() => Promise<void>) | undefined
  /** Begins from the beginning, also if the journal has a checkpoint; default false. */
  readonly whole?: boolean | undefined
  /** Limits what the run may spend; default: no limit. */
  readonly budget?: Budget | undefined
  /** Messages for the run under way; default: nobody steers it. */
  readonly steering?: SteeringSource | undefined
  /** Number of the first event; default: 0, and for a run that continues a number from the clock. */
  readonly firstSeq?: number | undefined
}

const RECORDED_RUN_KINDS: OptionKinds<RecordedRunOptions> = {
  journal: JOURNAL_KIND,
  runId: kind.text,
  version: kind.text,
  streams: kind.flag,
  waitsOut: kind.call,
  leaves: kind.call,
  suspends: kind.call,
  whole: kind.flag,
  firstSeq: kind.whole(0),
  budget: CHAT_MEANS_KINDS.budget,
  steering: CHAT_MEANS_KINDS.steering,
  signal: runOptionKinds.signal,
  emit: runOptionKinds.emit,
  events: runOptionKinds.events,
  tracer: runOptionKinds.tracer,
}

/**
 * Runs a function as one run with a journal: the journal keeps everything that the function starts with its `run`
 * argument, each chat at its own place. If something inside waits for a decision, the run fails with `suspended`, even if
 * the function catches that error; with `suspends`, it has until then to end. A journal with a checkpoint goes on from the last one.
 */
export async function runRecorded<T>(use: RecordedFunction<T>, options: RecordedRunOptions): Promise<T> {
  checkOptions(options, RECORDED_RUN_KINDS, 'run `runRecorded`')
  const { journal, runId, version, firstSeq, budget, steering, signal, emit, events, tracer, streams = false } = options
  const steps = shareMeans({ journal, runId, version, budget, steering }, beginAtCheckpoint(use, options))
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

/** Puts the run where its last checkpoint has left it: the next place, the agents, the usage. */
function* beginAtCheckpoint<T>(use: RecordedFunction<T>, options: RecordedRunOptions): Steps<T> {
  const { journal, whole = false } = options
  const outer = scopeIn(yield* currentRun())
  const tally = new UsageTally(null)
  const scope = outer.inner({ tally })
  const begins = whole ? null : checkpointOf(journal)
  const agents = new RunAgents(begins?.agents ?? [])
  if (scope.journal) scope.journal.participants.agents = agents
  if (begins) {
    scope.places.next = Number(begins.place) + 1
    scope.places.spans = begins.spans
    tally.add(begins.used)
  }
  return yield* inScope(scope, callOnce(use, agents, options))
}

function* callOnce<T>(use: RecordedFunction<T>, agents: RunAgents, options: RecordedRunOptions): Steps<T> {
  const { waitsOut, leaves, suspends } = options
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const participants = scope.journal?.participants
  if (participants && waitsOut) participants.waitsOut = waitsOut
  if (participants && leaves) participants.leaves = leaves
  if (participants && suspends) participants.suspends = suspends
  const recorded: RecordedRun = {
    get usage() {
      return scope.tally!.sum
    },
    checkpoint: async (added) => await keepCheckpoint(run, agents, { ...options, added }),
  }
  try {
    const value = yield* wait(use(run, recorded), 'the function of a run')
    if (!participants?.suspended) return value
  } catch (error) {
    throw participants?.suspended ?? error
  }
  throw participants.suspended
}
