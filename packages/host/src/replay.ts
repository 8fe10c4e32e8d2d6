import type { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { ChatStore, HostedChat, Journal, JournalEntry, JournalKind, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import { throwIfAborted } from '@x/kernel/abort'
import { partRun } from '@x/kernel/run'
import type { DefinedChat } from './defined-chat.ts'
import type { NextStep } from './host-options.ts'
import { plainJson } from './plain-json.ts'
import { fewTurns } from './run/activity.ts'
import { awaitsVendor, type LeftChat } from './run/cancelling.ts'
import { type Awaited, Messages } from './run/messages.ts'
import { readPart } from './run/parts.ts'
import { beginProgram, loadJournal, type ProgramInput } from './run/program-start.ts'
import { cannotWait, chatRunOf } from './run/chat-run.ts'

/** Kinds of calls of which a journal keeps the answer and nothing inside. */
const CLOSED_KINDS: ReadonlySet<JournalKind> = new Set(['model', 'code', 'search', 'job'])
/** Seconds in which clients may cancel what a chat waits for. */
const CANCEL_TIMEOUT_S = 10
/** Turns of the event loop without a look into the journal after which nothing goes on beside a call that is held back. */
const QUIET_TURNS = 3
/** Length of such a turn while clients cancel what they have begun, in milliseconds. */
const CANCELLING_TURN_MS = 100
/** Waits of a program for a time that fail once its chat was cancelled. */
const MAX_FAILED_WAITS = 100

/** A chat of a replay, with what its next turn would begin with. */
export interface ReplayedChat {
  readonly chat: Pick<HostedChat, 'id' | 'version'>
  readonly entries: readonly JournalEntry[]
  readonly messages: readonly unknown[]
}

/** Options of a replay. */
interface ReplayOptions {
  readonly signal?: AbortSignal | undefined
  /** Seconds after which a program that makes no call is stopped. */
  readonly timeout: number
}

type RecordedFunction = Parameters<typeof runRecorded<unknown>>[0]

/** How the program of a replay has ended. */
export type ReplayEnd = { readonly value: unknown } | { readonly error: unknown }

/**
 * Runs a program on the journal of a chat up to the first call without an answer. That call is held back for ever: the program
 * is then stopped as by a worker that releases the chat. What it does side by side has its turn first, since it may not fit.
 */
export class Replay {
  readonly #store: ChatStore
  readonly #program: DefinedChat
  readonly #stored: ReplayedChat
  readonly #journal: ChatJournal
  readonly #stop = new AbortController()
  readonly #isOver = Promise.withResolvers<void>()
  /** The first call without an answer. */
  #next: NextStep | null = null
  /** Places that the program has come to. */
  readonly #places = new Set<string>()
  /** Places of calls that are held back, and may have begun something inside before. */
  readonly #held = new Set<string>()
  #lookups = 0
  #failure: { readonly error: unknown } | null = null
  /** The error of waits for vendors, whose answers nobody needs any more; undefined while somebody does. */
  readonly #givenUp: XError | undefined
  /** Number of waits that may still fail by it: a program that begins another wait each time must not do so for ever. */
  #failuresLeft = MAX_FAILED_WAITS
  /** True once a call went on to its vendor. */
  #isCancelling = false
  /** True once a call was given up: what a search begins behind it is new. */
  #hasGivenUp = false

  /**
   * The journal stays in memory: what is kept in it, such as the beginning of a chat, is written nowhere. `givenUp` is the error
   * of the waits for vendors of a chat that was cancelled.
   */
  constructor(store: ChatStore, program: DefinedChat, chat: ReplayedChat, givenUp?: XError) {
    this.#store = store
    this.#program = program
    this.#stored = chat
    this.#journal = loadJournal(chat.entries)
    this.#givenUp = givenUp
  }

  /** The first call without an answer; null for none. */
  get next(): NextStep | null {
    return this.#next
  }

  /** Number of answers in the journal that the program has not asked for. */
  get unused(): number {
    return this.#stored.entries.filter((entry) => this.#isUnused(entry)).length
  }

  /** Runs the program; returns how it has ended, or null if it has not, because a call is held back or it takes too long. */
  async run(given: ProgramInput, { signal, timeout }: ReplayOptions): Promise<ReplayEnd | null> {
    const stop = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
    let end: ReplayEnd | null = null
    const ended = this.#runProgram(given, stop).then(
      (value) => (end = { value }),
      (error: unknown) => (end = { error }),
    )
    // Clients may still be cancelling when the program has ended.
    void ended.then(() => (this.#isCancelling ? this.#endWhenQuiet() : this.#isOver.resolve()))
    const timer = setTimeout(this.#isOver.resolve, timeout * 1000)
    await this.#isOver.promise
    clearTimeout(timer)
    const result = end
    this.#stop.abort()
    await ended
    throwIfAborted(signal)
    if (this.#failure) throw this.#failure.error
    return result
  }

  /** True for an answer at a place that the program has not come to, and that is not inside a call that it has come to. */
  #isUnused({ place, kind }: JournalEntry): boolean {
    if (kind === 'wait' || kind === 'checkpoint' || this.#places.has(place)) return false
    for (let end = place.lastIndexOf('.'); end > 0; end = place.lastIndexOf('.', end - 1)) {
      const outer = place.slice(0, end)
      if (this.#held.has(outer) || (this.#places.has(outer) && this.#journal.recall(outer).length > 0)) return false
    }
    return true
  }

  get #keepsAll(): boolean {
    return this.#program.keeps !== 'value'
  }

  async #runProgram(given: ProgramInput, signal: AbortSignal): Promise<unknown> {
    const { id, version } = this.#stored.chat
    const call: RecordedFunction = async (run, recorded) => await this.#callProgram(run, recorded, given)
    const value = await runRecorded(call, {
      journal: this.#holdingJournal(),
      runId: id,
      version,
      signal,
      ...(this.#givenUp && { leaves: () => this.#giveUp() }),
      suspends: fewTurns,
    })
    return plainJson(value, 'end the chat', 'its value')
  }

  async #callProgram(run: Run, recorded: Parameters<RecordedFunction>[1], given: ProgramInput): Promise<unknown> {
    const part = partRun(run, {})
    const stored = { ...this.#stored, id: this.#stored.chat.id, heard: 0 }
    const messages = new Messages(stored, { onWait: (awaited) => this.#waitFor(awaited) })
    const chat = chatRunOf(part.run, recorded, {
      ...given,
      messages,
      id: this.#stored.chat.id,
      definition: this.#program,
      perform: (program, value, options) => this.#perform(program, { value, options }),
      submit: async ({ name }) =>
        await this.#hold({ kind: 'begin', name, place: null, label: `the chat \`${name}\`, which it submits` }),
    })
    try {
      return await this.#program.run(chat)
    } finally {
      part.end()
    }
  }

  #holdingJournal(): Journal {
    const journal = this.#journal
    return {
      length: journal.length,
      checkpoint: this.#stored.entries[0]?.kind === 'checkpoint' ? journal.checkpoint : undefined,
      enter: () => journal.enter(),
      recall: (place) => {
        this.#lookups++
        this.#places.add(place)
        return journal.recall(place)
      },
      recallJob: (place, name) => {
        this.#lookups++
        this.#places.add(place)
        return journal.recallJob(place, name)
      },
      lastPlace: (place) => journal.lastPlace(place),
      end: (place) => journal.end(place),
      hasEnded: (place) => journal.hasEnded(place),
      keep: (entry) => (this.#givenUp && isNewBatch(entry) ? this.#hold(stepOf(entry)) : journal.keep(entry)),
      beforeCall: ({ kind, name = null, place, label }) => {
        if (this.#givenUp && kind === 'tool' && name === 'batch state') return { failure: this.#givenUp }
        if (this.#givenUp && this.#isAtVendor({ kind, name: name ?? undefined, place }))
          return void (this.#isCancelling = true)
        if (!CLOSED_KINDS.has(kind)) this.#held.add(place)
        return this.#hold({ kind, name, place, label })
      },
    }
  }

  /** True for a call whose answer a vendor works on, and for what a batch asks there. */
  #isAtVendor({ kind, name, place }: Pick<JournalEntry, 'kind' | 'name' | 'place'>): boolean {
    if (kind === 'tool') return name === 'batch id' || name === 'batch cancel'
    if (kind === 'job' && this.#hasGivenUp) return false
    return CLOSED_KINDS.has(kind) && awaitsVendor(this.#journal.recall(place))
  }

  #giveUp(): never {
    this.#hasGivenUp = true
    throw this.#givenUp!
  }

  #waitFor(awaited: Awaited): void {
    if (!this.#keepsAll) throw cannotWait(this.#program, `a ${awaited.for}`)
    if (this.#givenUp && awaited.for === 'time' && this.#failuresLeft-- > 0) throw this.#givenUp
    const step =
      awaited.for === 'message'
        ? { kind: 'message' as const, label: 'a message' }
        : { kind: 'timer' as const, label: `the time ${new Date(awaited.at).toISOString()}` }
    void this.#hold({ ...step, name: null, place: null })
  }

  async #perform(program: DefinedChat, given: Parameters<typeof readPart>[3]): Promise<unknown> {
    const ask = async (id: string): Promise<HostedChat | null> => {
      try {
        return await this.#store.get(id)
      } catch (error) {
        // The program must not go on: what it would do is not known.
        this.#failure ??= { error }
        this.#isOver.resolve()
        return await new Promise<never>(() => {})
      }
    }
    const part = await readPart(ask, this.#stored.chat.id, program, given)
    const { name } = program
    return part ? part.value : await this.#hold({ kind: 'part', name, place: null, label: `the part \`${name}\`` })
  }

  /** Holds a call back, and ends the replay once nothing else goes on. */
  async #hold(next: NextStep): Promise<never> {
    if (!this.#next) {
      this.#next = next
      void this.#endWhenQuiet()
    }
    return await new Promise<never>(() => {})
  }

  async #endWhenQuiet(): Promise<void> {
    for (let quiet = 0, seen = this.#lookups; quiet < QUIET_TURNS; quiet++) {
      // A client that cancels takes its time.
      await new Promise(this.#isCancelling ? (resolve) => setTimeout(resolve, CANCELLING_TURN_MS) : setImmediate)
      if (seen === this.#lookups) continue
      seen = this.#lookups
      quiet = 0
    }
    this.#isOver.resolve()
  }
}

/** Describes a call by what is kept of it. */
const stepOf = ({ kind, name, place }: JournalEntry): NextStep => ({
  kind,
  name: name ?? null,
  place,
  label: 'a batch',
})

/** True for the entry of a call that is about to be handed in with others. */
const isNewBatch = ({ kind, name }: JournalEntry): boolean =>
  kind === 'job' && name?.startsWith('batch place ') === true

/**
 * Cancels at vendors what they do for a chat that was cancelled: runs its program up to the answers that it waits for. There
 * the waits fail with `aborted`, whereupon the clients cancel, and nothing else is begun.
 */
export async function cancelAtVendors(
  store: ChatStore,
  program: DefinedChat,
  { id, input, entries, messages }: LeftChat,
  signal: AbortSignal,
): Promise<void> {
  const left: ReplayedChat = { chat: { id, version: program.version }, entries, messages }
  const givenUp = new XError('aborted', `the chat \`${id}\` was cancelled`)
  const replay = new Replay(store, program, left, givenUp)
  await replay.run(await beginProgram(program, input, entries), { signal, timeout: CANCEL_TIMEOUT_S })
}
