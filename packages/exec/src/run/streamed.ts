import type { Job, OutputChunk, Outcome } from './job.ts'
import type { Room } from './execute.steps.ts'

/** A job as a stream of its output that returns its outcome; leaving it stops the job. */
export async function* streamed(
  room: Room,
  job: Job,
  signal: AbortSignal | undefined,
): AsyncGenerator<OutputChunk, Outcome> {
  const left = new AbortController()
  const chunks: OutputChunk[] = []
  let news = Promise.withResolvers<void>()
  let ended = false
  const stop = signal ? AbortSignal.any([signal, left.signal]) : left.signal
  const backend = room.open()
  const work = room.keep(
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
