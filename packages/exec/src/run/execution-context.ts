import type { BlockingBackend } from '../backend/blocking.ts'
import type { Change, Choice } from '../changes/changeset.ts'
import type { LimitedBackend, Job, OutputChunk, Outcome } from './job.ts'
import type { PlanOptions } from './plan.ts'

/** Parts of an executor that the steps of a run need. */
export interface ExecutionContext {
  readonly plan: PlanOptions
  /** Opens the work directory, and the backend that runs jobs there. */
  open(): LimitedBackend
  /** Opens the backend of blocking calls for the same work directory. */
  openSync(): BlockingBackend
  /** Fails with `invalid-state` if the executor is closed. */
  refuseClosed(): void
  /**
   * Starts work as soon as the limit on running jobs allows it; `close` of the executor waits for the work. Fails with
   * `invalid-state` if the executor is closed.
   */
  schedule<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Applies the choice on a proposal of a job; `close` of the executor waits for it. */
  settle(job: Job, id: number, choice: Choice): Promise<readonly Change[]>
  /** Returns the text of a warning, the first time; then undefined. */
  takeWarning(): string | undefined
  /** Returns the time in milliseconds. */
  now(): number
}

/** Runs a job as a stream of its output that returns its outcome. A consumer that leaves the stream early stops the job. */
export async function* streamJob(
  context: ExecutionContext,
  job: Job,
  signal: AbortSignal | undefined,
): AsyncGenerator<OutputChunk, Outcome> {
  const abandonment = new AbortController()
  const chunks: OutputChunk[] = []
  let change = Promise.withResolvers<void>()
  let hasEnded = false
  const stopSignal = signal ? AbortSignal.any([signal, abandonment.signal]) : abandonment.signal
  const backend = context.open()
  const work = context.schedule(
    () =>
      backend.run(job, {
        signal: stopSignal,
        onOutput: (chunk) => {
          chunks.push(chunk)
          change.resolve()
        },
      }),
    stopSignal,
  )
  const end = (): void => {
    hasEnded = true
    change.resolve()
  }
  work.then(end, end)
  try {
    for (;;) {
      yield* chunks.splice(0)
      if (hasEnded && chunks.length === 0) return await work
      await change.promise
      change = Promise.withResolvers<void>()
      if (hasEnded) change.resolve()
    }
  } finally {
    abandonment.abort()
  }
}
