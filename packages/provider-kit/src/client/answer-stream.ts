import type { ModelCallOptions, ModelEvent } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import type { AnswerBuilder } from '../answer/answer-builder.ts'
import { modelFailure } from '../failure/model-failure.ts'
import type { AnswerReader } from './dialect.ts'
import { RequestClock } from './request-clock.ts'
import type { AnswerExtras } from './request-extras.ts'

/** A streamed answer while it is read. */
export interface OpenStream {
  readonly frames: AsyncIterator<readonly unknown[]>
  readonly reader: AnswerReader
  readonly answer: AnswerBuilder
  readonly extras: AnswerExtras
  readonly clock: RequestClock
  /** Number of requested choices. */
  readonly count: number
  /** Hears the counts of the answer. */
  readonly onUsage: ModelCallOptions['onUsage']
  progress: Progress
  /** The failure of a frame, which follows the events of the frames before it. */
  failure: unknown
}

/** The events that arrived together, of which some may be taken at once. */
export class ReadyEvents {
  #events: readonly ModelEvent[] = []
  #taken = 0

  /** Holds further events; those before have been taken. */
  hold(events: readonly ModelEvent[]): void {
    this.#events = events
    this.#taken = 0
  }

  /** Takes one event. */
  next(): ModelEvent | undefined {
    return this.#events[this.#taken++]
  }

  /** Takes all events that are left. */
  takeRest(): readonly ModelEvent[] {
    const rest = this.#events.slice(this.#taken)
    this.#taken = this.#events.length
    return rest
  }
}

/** How far a stream was read: there is more, it has ended, or its answer is whole and the connection is left. */
type Progress = 'more' | 'ended' | 'left'

/** Reads the frames that arrive next; not an async function, since a stream calls it for every piece. */
export function readNext(stream: OpenStream): Promise<Progress> {
  const { frames, answer, clock, count, failure } = stream
  if (failure !== undefined) return Promise.reject(failure)
  if (answer.isFinished(count)) return readTrailer(stream)
  return clock.until(frames.next(), (next) => pushFrames(stream, next))
}

function pushFrames(stream: OpenStream, next: IteratorResult<readonly unknown[]>): Progress {
  const { reader, answer, clock, onUsage } = stream
  if (next.done) return 'ended'
  // The transport tells of every byte; of another wire, each frame is a sign of life.
  if (!clock.isWatched) clock.onBytes()
  const { counts } = answer
  try {
    for (const frame of next.value) if (reader.push(frame, answer)) return 'ended'
  } catch (error) {
    const failure = unexpectedForm(error)
    // Before any content, another request may be sent.
    if (!answer.hasContent) throw failure
    stream.failure = failure
  } finally {
    if (answer.counts && answer.counts !== counts) onUsage?.(answer.counts)
  }
  return 'more'
}

/** Time that counts may take to come after the last word of an answer. */
const TRAILER_TIMEOUT_S = 5

/** Reads the frames behind a whole answer, which stands even if the connection fails or goes silent: then it is left. */
async function readTrailer(stream: OpenStream): Promise<Progress> {
  const { frames, clock } = stream
  const trailerClock = new RequestClock({ signal: clock.signal }, { call: TRAILER_TIMEOUT_S })
  let next: IteratorResult<readonly unknown[]>
  try {
    next = await trailerClock.until(frames.next(), (value) => value)
  } catch (error) {
    if (clock.isAborted && !clock.expired) throw error
    return 'left'
  } finally {
    trailerClock.stop()
  }
  return pushFrames(stream, next)
}

/** Closes the source of frames. Not awaited; its errors are ignored. */
export function closeFrames(frames: AsyncIterator<readonly unknown[]>): void {
  frames.return?.().then(undefined, () => {})
}

/** Makes the failure of a stream without content, which can be retried: nobody has seen anything of it. */
export const emptyStream = (): XError =>
  modelFailure('truncated', 'the stream ended before any content', { details: { shouldRetry: true } })

/** Makes a failure of the provider of an error of the reader: the next config may do better. */
export function unexpectedForm(error: unknown): unknown {
  if (isXError(error)) return error
  return modelFailure('server', 'the answer has an unexpected form', { cause: error })
}
