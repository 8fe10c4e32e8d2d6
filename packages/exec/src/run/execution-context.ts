import type { BlockingBackend } from '../backend/blocking.ts'
import type { LimitedBackend, Job, OutputChunk, Outcome } from './job.ts'
import type { PlanOptions } from './plan.ts'

/** The parts of an executor that the steps need to run blocks. */
export interface ExecutionContext {
  readonly plan: PlanOptions
  /** Opens the work directory, and the backend that runs jobs there. */
  open(): LimitedBackend
  /** Opens the backend of blocking calls for the same work directory. */
  openSync(): BlockingBackend
  /** Starts work when fewer jobs run than may run at once; `close` of the executor waits for its end. */
  schedule<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Returns what is to be warned of, once. */
  takeWarning(): string | undefined
  /** Tells the time in milliseconds. */
  now(): number
}

/** Runs a job as a stream of its output and returns its outcome at the end; a consumer that leaves the stream stops the job. */
export async function* streamJob(
  context: ExecutionContext,
  job: Job,
  signal: AbortSignal | undefined,
): AsyncGenerator<OutputChunk, Outcome> {
  const left = new AbortController()
  const chunks: OutputChunk[] = []
  let news = Promise.withResolvers<void>()
  let ended = false
  const stop = signal ? AbortSignal.any([signal, left.signal]) : left.signal
  const backend = context.open()
  const work = context.schedule(
    () =>
      backend.run(job, {
        signal: stop,
        onOutput: (chunk) => {
          chunks.push(chunk)
          news.resolve()
        },
      }),
    stop,
  )
  const end = (): void => {
    ended = true
    news.resolve()
  }
  work.then(end, end)
  try {
    for (;;) {
      yield* chunks.splice(0)
      if (ended && chunks.length === 0) return await work
      await news.promise
      news = Promise.withResolvers<void>()
      if (ended) news.resolve()
    }
  } finally {
    left.abort()
  }
}
