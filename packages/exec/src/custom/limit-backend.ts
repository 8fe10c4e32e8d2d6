import { resolve } from 'node:path'
import type { Artifact, Isolation, MaybePromise, StopReason } from '@x/interfaces'
import { writeConfined } from '../run/confined-file.ts'
import { failedOutcome, type Job, type LimitedBackend, type Outcome, type Watch, type OutputChunk } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { listArtifacts, isOverfull } from '../run/list-artifacts.ts'
import { isXError } from '@x/kernel'
import { OutputCap } from '../run/output-cap.ts'
import type { Backend, JobResult } from './backend.ts'

/** Seconds that a backend may take to answer `fault`. */
const FAULT_TIMEOUT_S = 120

/** Isolation and work directory of a backend, as its executor knows them. */
export interface Workplace {
  readonly isolation: Isolation
  readonly workDir: string
}

/** Wraps a custom backend in everything that does not depend on how it runs code: files, limits, errors. */
export function limitBackend(backend: Backend, { isolation, workDir }: Workplace): LimitedBackend {
  const keepsFiles = backend.artifacts !== undefined
  const faults = new Map<Runtime, Promise<string | null>>()

  const fault = async (runtime: Runtime): Promise<string | null> => {
    const cached = faults.get(runtime)
    if (cached) return await cached
    const answer = faultWithTimeout(async () => await backend.fault(runtime))
    faults.set(runtime, answer)
    let canRun = false
    try {
      const why = await answer
      canRun = why === null
      return why
    } finally {
      // The next attempt may succeed.
      if (!canRun) faults.delete(runtime)
    }
  }

  const runJob = async (job: Job, watch: Watch, savedAs: string | undefined): Promise<Outcome> => {
    const why = job.saveOnly ? null : await fault(job.runtime)
    if (why !== null) return { ...failedOutcome('unsupported-language', `cannot run ${job.runtime}: ${why}`), savedAs }
    const outcome = await runLimited(backend, job, { ...watch, workDir: keepsFiles ? undefined : workDir })
    // A limit that ended the job may have ended its machine. `fault` starts it again, outside the time of the next job.
    if (outcome.reason !== 'exit' || watch.signal?.aborted) faults.clear()
    const path = savedAs ?? outcome.savedAs
    if (job.saveOnly) return outcome.exitCode === 0 ? savedOutcome(path ?? job.file) : outcome
    return { isolation: backend.isolation ?? isolation, ...outcome, savedAs: path }
  }

  return {
    get isolation() {
      return backend.isolation ?? isolation
    },
    fault,
    async run(job, watch) {
      if (keepsFiles) return await runJob(job, watch, undefined)
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failedOutcome('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      return job.saveOnly ? savedOutcome(savedAs) : await runJob(job, watch, savedAs)
    },
    artifacts: async () => (keepsFiles ? await artifactsOf(backend) : listArtifacts(workDir)),
    async restart() {
      await backend.restart?.()
      faults.clear()
    },
    close: async () => await backend.close?.(),
  }
}

const savedOutcome = (savedAs: string): Outcome => ({
  ...failedOutcome('saved', '', 0),
  stdout: `Code saved to ${savedAs}\n`,
  savedAs,
})

/** Lists the files that a backend keeps. The code has run: a list that fails does not take its result away. */
async function artifactsOf(backend: Backend): Promise<Artifact[]> {
  try {
    return (await backend.artifacts?.()) ?? []
  } catch (error) {
    if (isXError(error)) throw error
    return []
  }
}

/** Waits for an answer of `fault`; a missing answer is a reason too. */
async function faultWithTimeout(ask: () => MaybePromise<string | null>): Promise<string | null> {
  const { promise: timedOut, resolve: giveUp } = Promise.withResolvers<string>()
  const timer = setTimeout(
    () => giveUp(`the backend was not ready within ${FAULT_TIMEOUT_S} s`),
    FAULT_TIMEOUT_S * 1000,
  )
  try {
    // A backend in JavaScript may return nothing.
    return (await Promise.race([ask(), timedOut])) ?? null
  } catch (error) {
    if (isXError(error) || !(error instanceof Error)) throw error
    return error.message
  } finally {
    clearTimeout(timer)
  }
}

/** Milliseconds that a backend has to end a job after its signal has aborted. */
const STOP_GRACE_MS = 5_000

/** Milliseconds between two measurements of the work directory. */
const POLL_INTERVAL_MS = 300

/** Measurements during which a directory that was overfull from the start may stay so. */
const FULL_START_GRACE_POLLS = 7

/** Stands for the result of a backend that did not end a job in time. */
const STUCK = Symbol('stuck')

const STUCK_MESSAGE = `the backend did not end the block within ${STOP_GRACE_MS / 1000} s after the order to stop`

/** Runs one job and ends it at its limits. Always resolves, whatever the backend does; only an `XError` of the backend rejects. */
async function runLimited(
  backend: Backend,
  job: Job,
  { signal: outer, onOutput, workDir }: Watch & { workDir: string | undefined },
): Promise<Outcome> {
  const { limits } = job
  const stopping = new AbortController()
  const signal = outer ? AbortSignal.any([outer, stopping.signal]) : stopping.signal
  if (signal.aborted) return failedOutcome('exit', '', 137)
  let reason: StopReason = 'exit'
  const stop = (why: StopReason): void => {
    if (reason === 'exit') reason = why
    stopping.abort()
  }
  const output = new OutputCap(limits.outputBytes, onOutput)
  const reportedStreams = new Set<OutputChunk['stream']>()
  let isOver = false
  const control = {
    signal,
    onOutput({ stream, text }: OutputChunk): void {
      if (isOver) return
      reportedStreams.add(stream)
      if (!output.add(stream, Buffer.from(text))) stop('output-limit')
    },
  }
  const timer = setTimeout(() => stop('timeout'), limits.timeout * 1000)
  const unwatch = workDir === undefined ? undefined : watchDirectory(workDir, limits, () => stop('disk'))
  const grace = graceAfter(signal)
  try {
    const result = await Promise.race([backend.run(job, control), grace.expired])
    isOver = true
    if (result === STUCK) return withOutput(failedOutcome('engine', STUCK_MESSAGE), output)
    if (!Number.isInteger((result as Partial<JobResult> | null | undefined)?.exitCode))
      return withOutput(failedOutcome('engine', 'the backend gave no exit code'), output)
    addUnreported(output, result, reportedStreams)
    const { stdout, stderr, truncatedBytes } = output.end()
    const { isolation, savedAs } = result
    const facts = { stdout, stderr, truncatedBytes, ...(isolation && { isolation }), savedAs }
    if (reason === 'exit') return { ...facts, exitCode: result.exitCode, reason: result.reason ?? 'exit' }
    return { ...facts, exitCode: exitCodeOf(reason), reason }
  } catch (error) {
    isOver = true
    // A stopped job may end with an error, but the reason for the stop says more.
    if (reason !== 'exit') return withOutput(failedOutcome(reason, '', exitCodeOf(reason)), output)
    if (isXError(error)) throw error
    return withOutput(failedOutcome('engine', error instanceof Error ? error.message : String(error)), output)
  } finally {
    clearTimeout(timer)
    unwatch?.()
    grace.end()
  }
}

const exitCodeOf = (reason: StopReason): number => (reason === 'timeout' ? 124 : 137)

/** Adds the output of a job to an outcome without output; the text of the outcome follows it. */
function withOutput(outcome: Outcome, output: OutputCap): Outcome {
  const { stdout, stderr, truncatedBytes } = output.end()
  return { ...outcome, stdout, stderr: stderr + outcome.stderr, truncatedBytes }
}

function addUnreported(
  output: OutputCap,
  result: JobResult,
  reportedStreams: ReadonlySet<OutputChunk['stream']>,
): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = result[stream]
    if (text !== undefined && !reportedStreams.has(stream)) output.add(stream, Buffer.from(text))
  }
}

/** Returns a promise that resolves when the grace period after an abort has expired, and a function that stops waiting. */
function graceAfter(signal: AbortSignal): { expired: Promise<typeof STUCK>; end: () => void } {
  const { promise: expired, resolve } = Promise.withResolvers<typeof STUCK>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(STUCK), STOP_GRACE_MS)
  }
  signal.addEventListener('abort', onAbort)
  return {
    expired,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** Measures a directory at intervals and calls `onFull` if it is overfull; returns a function that ends this. */
function watchDirectory(workDir: string, limits: Job['limits'], onFull: () => void): () => void {
  // Code that starts in an overfull directory gets some time to remove files.
  let pollsLeft = isOverfull(workDir, limits) ? FULL_START_GRACE_POLLS : 0
  const timer = setInterval(() => {
    if (pollsLeft > 0) pollsLeft--
    else if (isOverfull(workDir, limits)) onFull()
  }, POLL_INTERVAL_MS)
  return () => clearInterval(timer)
}
