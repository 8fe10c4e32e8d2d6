import type { MaybePromise, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { eventIdOf } from './event-id.ts'
import { MAX_TIMER_MS } from './within.ts'
import { readerOf } from './written-run.ts'

/** Options of a `RunBuffer`. */
interface RunBufferOptions {
  /** Most characters of the events of all runs, as JSON. Beyond it, the oldest runs are forgotten. Default 16,000,000. */
  readonly maxLength?: number | undefined
  /** Seconds for which a run is kept behind its end, at most 24 days. Default 60. */
  readonly retention?: number | undefined
}

/** Options of `keep`. */
interface KeepOptions {
  /** Called once when the run has ended without an error, and before any page is told so, for example to save its result. */
  readonly onEnd?: (() => MaybePromise<void>) | undefined
}

/** A run whose events are kept. */
interface KeptRun {
  readonly source: AsyncIterator<XEvent>
  readonly events: XEvent[]
  /** Number of the first event in the list: those before it were dropped. */
  first: number
  length: number
  /** False once the run was forgotten: it then waits for its readers, and ends with the last of them. */
  isKept: boolean
  hasEnded: boolean
  /** The error by which the run failed; null for none. Code may throw anything, also nothing. */
  failure: { readonly error: unknown } | null
  /** Numbers of the events that its readers read next. */
  readonly readers: Set<{ next: number }>
  change: PromiseWithResolvers<void>
}

/**
 * Keeps the runs of this process by keys. A page that vanished in the middle of an answer reads it again, from its
 * beginning or behind the last event that it has. A run goes on without its page. Memory is bounded: by `maxLength`,
 * beyond which the oldest runs are as without a buffer, and by `retention`.
 */
export class RunBuffer {
  readonly #maxLength: number
  readonly #retention: number
  /** The oldest run first. */
  readonly #runs = new Map<string, KeptRun>()
  #length = 0

  constructor(options: RunBufferOptions = {}) {
    checkOptions(options, KINDS, 'create a `RunBuffer`')
    const { maxLength = 16_000_000, retention = 60 } = options
    this.#maxLength = maxLength
    this.#retention = retention
  }

  /** Keeps the events of a run, in place of an earlier run of the key, and returns them for the page that has asked. */
  keep(key: string, run: AsyncIterable<XEvent>, options: KeepOptions = {}): AsyncIterableIterator<XEvent> {
    checkOptions(options, KEEP_KINDS, 'keep a run')
    this.#forget(key)
    const kept: KeptRun = {
      source: readerOf(run),
      events: [],
      first: 0,
      length: 0,
      isKept: true,
      hasEnded: false,
      failure: null,
      readers: new Set(),
      change: Promise.withResolvers(),
    }
    this.#runs.set(key, kept)
    const events = new BufferReader(kept, 0)
    void this.#read(key, kept, options.onEnd)
    return events
  }

  /**
   * Returns the events of a kept run, past and to come: behind the event `after` if the run has it, or else from the
   * beginning. `after` is the `Last-Event-ID` of a page that reads `toSseResponse`, or a `seq`. Null if no run is kept
   * under the key.
   */
  events(key: string, after: string | null = null): AsyncIterableIterator<XEvent> | null {
    const kept = this.#runs.get(key)
    if (!kept) return null
    const last = kept.events.findIndex((event) => eventIdOf(event) === after || String(event.seq) === after)
    return new BufferReader(kept, last + 1)
  }

  /** Stops a run that is kept; its pages read that it was stopped. Returns false if none is under way. */
  stop(key: string): boolean {
    const kept = this.#runs.get(key)
    if (!kept || kept.hasEnded) return false
    kept.failure = { error: new XError('aborted', 'the run was stopped') }
    kept.hasEnded = true
    leave(kept)
    tell(kept)
    return true
  }

  async #read(key: string, kept: KeptRun, onEnd: KeepOptions['onEnd']): Promise<void> {
    try {
      for (let isDone = false; !isDone;) {
        /* eslint-disable no-await-in-loop -- a stream */
        while (!kept.isKept && kept.events.length > 0) await kept.change.promise
        const { done, value } = await kept.source.next()
        /* eslint-enable no-await-in-loop */
        isDone = done === true || kept.failure !== null
        if (!isDone) this.#add(key, kept, value as XEvent)
      }
      if (kept.failure === null) await onEnd?.()
    } catch (error) {
      kept.failure ??= { error }
    }
    kept.hasEnded = true
    tell(kept)
    const ms = Math.min(this.#retention * 1000, MAX_TIMER_MS)
    const timer: unknown = setTimeout(() => this.#runs.get(key) === kept && this.#forget(key), ms)
    // Node would wait for it at the end of the process.
    if (typeof timer === 'object') (timer as { unref?: () => void }).unref?.()
  }

  #add(key: string, kept: KeptRun, event: XEvent): void {
    const { length } = JSON.stringify(event)
    kept.events.push(event)
    if (kept.isKept) {
      kept.length += length
      this.#length += length
      for (const [oldest] of this.#runs) {
        if (this.#length <= this.#maxLength) break
        if (oldest !== key || this.#runs.size === 1) this.#forget(oldest)
      }
    }
    tell(kept)
  }

  #forget(key: string): void {
    const kept = this.#runs.get(key)
    if (!kept) return
    this.#runs.delete(key)
    this.#length -= kept.length
    kept.isKept = false
    trim(kept)
  }
}

/** One reading of a kept run. */
class BufferReader implements AsyncIterableIterator<XEvent> {
  readonly #kept: KeptRun
  readonly #place: { next: number }

  constructor(kept: KeptRun, index: number) {
    this.#kept = kept
    this.#place = { next: kept.first + index }
    kept.readers.add(this.#place)
  }

  async next(): Promise<IteratorResult<XEvent>> {
    const { events, readers } = this.#kept
    while (readers.has(this.#place)) {
      const item = events[this.#place.next - this.#kept.first]
      if (item) {
        this.#place.next++
        trim(this.#kept)
        return { done: false, value: item }
      }
      if (this.#kept.hasEnded) {
        readers.delete(this.#place)
        if (this.#kept.failure) throw this.#kept.failure.error
      } else {
        // eslint-disable-next-line no-await-in-loop -- the next event
        await this.#kept.change.promise
      }
    }
    return { done: true, value: undefined }
  }

  return(): Promise<IteratorResult<XEvent>> {
    this.#kept.readers.delete(this.#place)
    trim(this.#kept)
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** Drops what no page reads any more of a run that was forgotten; the run itself, if no page is left. */
function trim(kept: KeptRun): void {
  const { events, readers, first } = kept
  if (kept.isKept) return
  if (readers.size === 0 && !kept.hasEnded) leave(kept)
  const next = Math.min(first + events.length, ...Array.from(readers, (reader) => reader.next))
  events.splice(0, readers.size === 0 ? events.length : next - first)
  kept.first = next
  tell(kept)
}

function tell(kept: KeptRun): void {
  const { resolve } = kept.change
  kept.change = Promise.withResolvers()
  resolve()
}

/** Stops a run. A generator answers when its `next` does: nobody waits for that. */
function leave({ source }: KeptRun): void {
  void Promise.resolve(source.return?.()).catch(() => undefined)
}

const KINDS: OptionKinds<RunBufferOptions> = { maxLength: kind.limit(1), retention: kind.timeout }
const KEEP_KINDS: OptionKinds<KeepOptions> = { onEnd: kind.call }
