import { resolve } from 'node:path'
import type { Isolation, MaybePromise, StopReason } from '@x/interfaces'
import { writeConfined } from '../run/confined-file.ts'
import { failed, type Job, type LimitedBackend, type Outcome, type Watch, type OutputChunk } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { listArtifacts, isOverfull } from '../run/list-artifacts.ts'
import { isXError } from '@x/kernel'
import { OutputCap } from '../run/output-cap.ts'
import type { Backend, JobResult } from './backend.ts'

/** Seconds that a backend may take to say whether it can run a language. */
const FAULT_TIMEOUT_S = 120

/** The place that a backend works in, as its executor knows it. */
export interface Workplace {
  readonly isolation: Isolation
  readonly workDir: string
}

/** Does around a backend of somebody else's all that does not depend on how it runs code: files, limits, errors. */
export function limitBackend(backend: Backend, { isolation, workDir }: Workplace): LimitedBackend {
  const keepsFiles = backend.artifacts !== undefined
  const faults = new Map<Runtime, Promise<string | null>>()

  const fault = async (runtime: Runtime): Promise<string | null> => {
    const known = faults.get(runtime)
    if (known) return await known
    const asked = withinStart(async () => await backend.fault(runtime))
    faults.set(runtime, asked)
    let able = false
    try {
      const why = await asked
      able = why === null
      return why
    } finally {
      // The machine may offer more the next time.
      if (!able) faults.delete(runtime)
    }
  }

  const runJob = async (job: Job, watch: Watch, savedAs: string | undefined): Promise<Outcome> => {
    const why = job.saveOnly ? null : await fault(job.runtime)
    if (why !== null) return { ...failed('unsupported-language', `cannot run ${job.runtime}: ${why}`), savedAs }
    const outcome = await runLimited(backend, job, { ...watch, workDir: keepsFiles ? undefined : workDir })
    // What ended the job may have ended the machine, which is started again outside the time of the next job.
    if (outcome.reason !== 'exit' || watch.signal?.aborted) faults.clear()
    const saved = savedAs ?? outcome.savedAs
    if (job.saveOnly) return outcome.exitCode === 0 ? savedOutcome(saved ?? job.file) : outcome
    return { isolation: backend.isolation ?? isolation, ...outcome, savedAs: saved }
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
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      return job.saveOnly ? savedOutcome(savedAs) : await runJob(job, watch, savedAs)
    },
    artifacts: async () => (backend.artifacts ? await backend.artifacts() : listArtifacts(workDir)),
    async restart() {
      await backend.restart?.()
      faults.clear()
    },
    close: async () => await backend.close?.(),
  }
}

const savedOutcome = (savedAs: string): Outcome => ({
  ...failed('saved', '', 0),
  stdout: `Code saved to ${savedAs}\n`,
  savedAs,
})

/** Waits for an answer, and gives a reason of its own when none comes in time. */
async function withinStart(ask: () => MaybePromise<string | null>): Promise<string | null> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<string>()
  const timer = setTimeout(
    () => giveUp(`the backend did not get ready within ${FAULT_TIMEOUT_S} s`),
    FAULT_TIMEOUT_S * 1000,
  )
  try {
    return await Promise.race([ask(), late])
  } catch (error) {
    if (isXError(error) || !(error instanceof Error)) throw error
    return error.message
  } finally {
    clearTimeout(timer)
  }
}

/** Milliseconds that a backend has to end a job after the signal fired. */
const STOP_GRACE_MS = 5_000

/** How often the work directory is measured, in milliseconds. */
const POLL_INTERVAL_MS = 300

/** Measurements that code may take to make room in a directory that was full when it started. */
const FULL_START_GRACE_POLLS = 7

/** Runs one job and ends it at its limits; always resolves, whatever the backend does, except to an `XError` of it. */
export async function runLimited(
  backend: Backend,
  job: Job,
  { signal: outer, onOutput, workDir }: Watch & { workDir: string | undefined },
): Promise<Outcome> {
  const { limits } = job
  const stopping = new AbortController()
  const signal = outer ? AbortSignal.any([outer, stopping.signal]) : stopping.signal
  if (signal.aborted) return failed('exit', '', 137)
  let reason: StopReason = 'exit'
  const stop = (why: StopReason): void => {
    if (reason === 'exit') reason = why
    stopping.abort()
  }
  const output = new OutputCap(limits.outputBytes, onOutput)
  const reported = new Set<OutputChunk['stream']>()
  let over = false
  const control = {
    signal,
    onOutput({ stream, text }: OutputChunk): void {
      if (over) return
      reported.add(stream)
      if (!output.add(stream, Buffer.from(text))) stop('output-limit')
    },
  }
  const timer = setTimeout(() => stop('timeout'), limits.timeout * 1000)
  const unwatch = workDir === undefined ? undefined : watchDirectory(workDir, limits, () => stop('disk'))
  const patience = graceAfter(signal)
  try {
    const result = await Promise.race([backend.run(job, control), patience.late])
    over = true
    if (result === undefined) return withOutput(failed('engine', STUCK_MESSAGE), output)
    if (!Number.isInteger(result.exitCode)) return withOutput(failed('engine', 'the backend gave no exit code'), output)
    addWhole(output, result, reported)
    const { stdout, stderr, truncatedBytes } = output.end()
    const { isolation, savedAs } = result
    const facts = { stdout, stderr, truncatedBytes, ...(isolation && { isolation }), savedAs }
    if (reason === 'exit') return { ...facts, exitCode: result.exitCode, reason: result.reason ?? 'exit' }
    return { ...facts, exitCode: exitCodeOf(reason), reason }
  } catch (error) {
    over = true
    // A job that was stopped may end by an error; what stopped it says more.
    if (reason !== 'exit') return withOutput(failed(reason, '', exitCodeOf(reason)), output)
    if (isXError(error)) throw error
    return withOutput(failed('engine', error instanceof Error ? error.message : String(error)), output)
  } finally {
    clearTimeout(timer)
    unwatch?.()
    patience.end()
  }
}

const STUCK_MESSAGE = `the backend did not end the block within ${STOP_GRACE_MS / 1000} s after it was told to`

const exitCodeOf = (reason: StopReason): number => (reason === 'timeout' ? 124 : 137)

/** Adds what was printed to an outcome that has none; its own words come after it. */
function withOutput(outcome: Outcome, output: OutputCap): Outcome {
  const { stdout, stderr, truncatedBytes } = output.end()
  return { ...outcome, stdout, stderr: stderr + outcome.stderr, truncatedBytes }
}

function addWhole(output: OutputCap, result: JobResult, reported: ReadonlySet<OutputChunk['stream']>): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = result[stream]
    if (text !== undefined && !reported.has(stream)) output.add(stream, Buffer.from(text))
  }
}

/** Returns a promise that resolves when a backend had its time after the signal, and what ends the waiting. */
function graceAfter(signal: AbortSignal): { late: Promise<undefined>; end: () => void } {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(undefined), STOP_GRACE_MS)
  }
  signal.addEventListener('abort', onAbort)
  return {
    late,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** Measures a directory every now and then and tells when it holds too much; returns what ends the watching. */
function watchDirectory(workDir: string, limits: Job['limits'], onFull: () => void): () => void {
  // Code that finds the directory too full gets some time to make room.
  let left = isOverfull(workDir, limits) ? FULL_START_GRACE_POLLS : 0
  const timer = setInterval(() => {
    if (left > 0) left--
    else if (isOverfull(workDir, limits)) onFull()
  }, POLL_INTERVAL_MS)
  return () => clearInterval(timer)
}
