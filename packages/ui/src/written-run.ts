import type { MaybePromise, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import type { RunPlaces } from './run-places.ts'
import { type Sign, signerOf, signingKinds, type UiSigning } from './signature.ts'
import type { UiError } from './ui-message-chunk.ts'
import { within } from './within.ts'

/** The events of a run: a stream of an agent, or what `host.events` gives. */
export type RunEvents = AsyncIterable<XEvent | Logged>

/** Begins to read the events of a run; refuses what is not a stream, such as the promise of a result. */
export function readerOf<T>(events: AsyncIterable<T>): AsyncIterator<T> {
  if (typeof (events as Partial<AsyncIterable<T>> | null | undefined)?.[Symbol.asyncIterator] === 'function')
    return events[Symbol.asyncIterator]()
  const isPromise = typeof (events as { readonly then?: unknown } | null | undefined)?.then === 'function'
  throw new XError(
    'invalid-argument',
    `cannot write a run for a page: its events are ${isPromise ? 'a promise' : 'not a stream'}; give \`agent.runStream(question)\`, or what \`host.events(id)\` returns`,
  )
}

/** An event in the log of a hosted chat. */
export interface Logged {
  readonly cursor: string
  readonly event: XEvent
}

/** Writes the events of a run in a protocol of pages. */
export interface RunWriter<T> {
  /** Where the run stands. */
  readonly run: RunPlaces
  /** Returns what an event becomes; of a log with its cursor. A question without a signature is not asked. */
  add(event: XEvent, cursor: string | null, signature: string | null): T[]
  /** Returns what ends the run; after an error also what says so. */
  end(error: UiError | null): T[]
}

/** Options of every way to write a run. */
export interface RunWriting extends UiSigning {
  /** False to leave out the reasoning of models. Default true. */
  readonly reasoning?: boolean | undefined
  /** False to leave out agents inside tools and chats. Default true. */
  readonly agents?: boolean | undefined
  /** The text that a page may read of an error of the run or of a tool; default, also if it throws: the same words for all. */
  readonly errorText?: ((error: UiError) => string) | undefined
  /** Called before the end of a message of a run that has not failed, for example to save its result. */
  readonly onEnd?: (() => MaybePromise<void>) | undefined
}

/** The kinds of these options. */
export const writingKinds: OptionKinds<RunWriting> = {
  ...signingKinds,
  reasoning: kind.flag,
  agents: kind.flag,
  errorText: kind.call,
  onEnd: kind.call,
}

/** The name under which a page shows code that runs. */
export const CODE_TOOL = 'run_code'

/** Returns the text that a page may read of an error; the same words for all if the program has none. */
export function errorTextOf({ errorText }: RunWriting, error: UiError): string {
  try {
    const text: unknown = errorText?.(error)
    if (typeof text === 'string') return text
  } catch {
    // The page is to read how its run ends.
  }
  return 'Something went wrong.'
}

/** Identifies a question in all runs. Places in a run have no slash. */
export const approvalIdOf = ({ runId, id }: { readonly runId: string | null; readonly id: string }): string =>
  `${runId}/${id}`

/** Milliseconds within which a log goes on that waits for no decision any more: where it was made, its next event is there. */
const LOG_DELAY_MS = 250

/** A run as its writer writes it. It waits for its reader, and leaving the loop stops it; it never fails its reader. */
export class WrittenRun<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<XEvent | Logged>
  readonly #sign: Sign | null
  readonly #writer: RunWriter<T>
  readonly #onEnd: RunWriting['onEnd']
  #ready: T[] = []
  /** Events that were read and not written yet. */
  #held: (XEvent | Logged)[] = []
  /** True if the last event that was written is in a log. */
  #isLogged = false
  #hasEnded = false
  /** The answer to the reader before: one that asks for several items gets them in their order. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(events: RunEvents, writer: RunWriter<T>, options: RunWriting) {
    this.#sign = signerOf(options)
    this.#source = readerOf(events)
    this.#writer = writer
    this.#onEnd = options.onEnd
  }

  async next(): Promise<IteratorResult<T>> {
    const asked = this.#last.then(async () => await this.#next())
    this.#last = asked.catch(ignore)
    return await asked
  }

  return(): Promise<IteratorResult<T>> {
    this.#ready = []
    this.#leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #next(): Promise<IteratorResult<T>> {
    // eslint-disable-next-line no-await-in-loop -- the next item may be several events away
    while (this.#ready.length === 0 && !this.#hasEnded) this.#ready = await this.#read()
    return { done: this.#ready.length === 0, value: this.#ready.shift()! }
  }

  async #read(): Promise<T[]> {
    let failure: UiError | null = null
    try {
      const item = await this.#nextEvent()
      if (item) {
        const [event, cursor] = 'type' in item ? [item, null] : [item.event, item.cursor]
        this.#isLogged = cursor !== null
        const signature =
          event.type === 'approvalRequested' ? ((await this.#sign?.(approvalIdOf(event), event.action)) ?? null) : null
        return this.#writer.add(event, cursor, signature)
      }
      this.#hasEnded = true
      if (this.#writer.run.isSound) await this.#onEnd?.()
    } catch (error) {
      failure = errorOf(error)
      this.#leave()
    }
    return this.#writer.end(failure)
  }

  /** Returns the next event; null at the end, and where a log waits for a decision. */
  async #nextEvent(): Promise<XEvent | Logged | null> {
    if (this.#held.length === 0 && this.#isLogged && this.#writer.run.isWaiting) await this.#readOn()
    const held = this.#held.shift()
    if (held || this.#hasEnded) return held ?? null
    const { done, value } = await this.#source.next()
    return done ? null : value
  }

  /** Reads the log behind a place where it waited, until the chat goes on; leaves it where it still waits. */
  async #readOn(): Promise<void> {
    const events: (XEvent | Logged)[] = []
    for (;;) {
      const asked = this.#source.next().catch(ignore)
      // eslint-disable-next-line no-await-in-loop -- the next event
      const item = await within(asked, LOG_DELAY_MS)
      if (!item || item.done) return this.#leave()
      events.push(item.value)
      const event = 'type' in item.value ? item.value : item.value.event
      if (event.parentId !== null || !event.type.endsWith('Start')) continue
      this.#held = events
      return
    }
  }

  #leave(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    // A generator answers when its `next` does: nobody waits for that.
    void Promise.resolve(this.#source.return?.()).catch(ignore)
  }
}

const ignore = (): undefined => undefined

/** Tells an error, whatever was thrown. */
function errorOf(error: unknown): UiError {
  const { code, name, message = error } = Object(error) as { code?: unknown; name?: unknown; message?: unknown }
  const text = typeof message === 'object' && message !== null ? 'the run has failed' : String(message)
  return { code: name === 'AbortError' ? 'aborted' : typeof code === 'string' ? code : null, message: text }
}
