import type { StopReason } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { failed, type Job, type OutputChunk, type Outcome, type Watch } from '../run/job.ts'
import { overfull } from '../run/list-artifacts.ts'
import { OutputCap } from '../run/output-cap.ts'
import type { Backend, JobResult } from './backend.ts'

/** Milliseconds that a backend has to end a job after the signal fired. */
const GRACE = 5_000

/** How often the work directory is measured, in milliseconds. */
const PERIOD = 300

/** Measurements that code may take to make room in a directory that was full when it started. */
const PATIENCE = 7

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
    if (result === undefined) return withOutput(failed('engine', STUCK), output)
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

const STUCK = `the backend did not end the block within ${GRACE / 1000} s after it was told to`

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

/** Gives a promise that resolves when a backend had its time after the signal, and what ends the waiting. */
function graceAfter(signal: AbortSignal): { late: Promise<undefined>; end: () => void } {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(undefined), GRACE)
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
  let left = overfull(workDir, limits) ? PATIENCE : 0
  const timer = setInterval(() => {
    if (left > 0) left--
    else if (overfull(workDir, limits)) onFull()
  }, PERIOD)
  return () => clearInterval(timer)
}
