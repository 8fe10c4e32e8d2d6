import type { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type {
  ChatStore,
  ErrorCode,
  HostBackend,
  HostedChat,
  Journal,
  JournalEntry,
  JournalKind,
  PendingApproval,
  Run,
} from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { throwIfAborted } from '@x/kernel/abort'
import { checkpointIn, damagedChat } from '@x/kernel/hosting'
import { partRun } from '@x/kernel/run'
import type { DefinedChat } from './defined-chat.ts'
import type { CheckOptions } from './host-options.ts'
import { listChats } from './list-chats.ts'
import { plainJson } from './plain-json.ts'
import { awaitsVendor, type LeftChat } from './run/cancelling.ts'
import { type Awaited, Messages, readMessages } from './run/messages.ts'
import { readPart } from './run/parts.ts'
import { retryOf } from './run/retry.ts'
import { beginProgram, isOfAnotherProgram, loadJournal, messageOf, type ProgramInput } from './run/program-start.ts'
import { cannotWait, chatRunOf } from './run/turn.ts'

/** Whether a chat can go on with a program. */
export interface CheckedChat extends Pick<HostedChat, 'id' | 'name' | 'version' | 'state'> {
  /** True if the chat can go on; otherwise it has a `problem`, or was `skipped`. */
  readonly goesOn: boolean
  /** The next step of a chat that goes on; null if it ends without a further call. */
  readonly next: NextStep | null
  /**
   * Answers in the journal of a chat that goes on which the program has not asked for before that: 0 for the program that
   * began the chat. What has been done by them may be done again.
   */
  readonly unused: number
  /** Place of the checkpoint at which the check began, as a worker would; null if it began at the beginning of the chat. */
  readonly from: string | null
  /** Why the chat could not be checked; null if it was. */
  readonly skipped: string | null
  /** The error with which the program fails, or because of which it is put off; null for none. */
  readonly problem: { readonly code: ErrorCode | null; readonly message: string } | null
}

/** The first step of a chat that its journal does not have. */
interface NextStep {
  /** Kind of the call; `question` for a decision, `message` for a message to the chat, `timer` for a time, `part` for a part of it. */
  readonly kind: JournalKind | 'message' | 'part'
  /** Name of the tool, or of the program of a part; null for others. */
  readonly name: string | null
  /** Place in the run; null for a message or part outside of it. */
  readonly place: string | null
  /** Description for people, such as `the model of clerk`. */
  readonly label: string
}

type Verdict = Pick<CheckedChat, 'goesOn' | 'next' | 'unused' | 'from' | 'skipped' | 'problem'>

/** States of chats that a program may go on with, in the usual order: a chat that moves on is found later rather than missed. */
const CHECKED_STATES: readonly HostedChat['state'][] = ['waiting', 'running', 'waiting-to-retry', 'suspended', 'failed']
/** Kinds of calls of which a journal keeps the answer and nothing inside. */
const CLOSED_KINDS: ReadonlySet<JournalKind> = new Set(['model', 'code', 'search', 'job'])
const DEFAULT_TIMEOUT_S = 10
/** Length of such a turn while clients cancel what they have begun, in milliseconds. */
const CANCELLING_TURN_MS = 100
/** Waits of a program for a time that fail once its chat was cancelled. */
const MAX_FAILED_WAITS = 100
/** Turns of the event loop without a look into the journal after which nothing goes on beside a call that is held back. */
const QUIET_TURNS = 3

/** Checks which chats of a program's name can go on with it, one after the other. Reads the store, and changes nothing. */
export async function* checkChats(
  { store }: HostBackend,
  program: DefinedChat,
  options: CheckOptions,
): AsyncGenerator<CheckedChat> {
  throwIfAborted(options.signal)
  for await (const { id, name, version, state } of chatsToCheck(store, program.name)) {
    throwIfAborted(options.signal)
    const chat = await readChat(store, id, options)
    const verdict = 'chat' in chat ? await judge(store, program, chat, options) : chat
    yield { id, name, version, state: 'chat' in chat ? chat.chat.state : state, ...verdict }
  }
}

async function* chatsToCheck(store: ChatStore, name: string): AsyncGenerator<HostedChat> {
  const counts = (await store.counts()).filter((each) => each.name === name)
  for (const state of CHECKED_STATES) {
    const versions = new Set(counts.map(({ version }) => version))
    for (const version of versions) yield* listChats(store, { state, kind: { name, version } })
  }
}

/** A chat of a replay, with what its next turn would begin with. */
interface ReplayedChat {
  readonly chat: Pick<HostedChat, 'id' | 'version'>
  readonly entries: readonly JournalEntry[]
  readonly messages: readonly unknown[]
}

/** A chat as it was read. */
interface StoredChat extends ReplayedChat {
  readonly chat: HostedChat
}

/** Reads a chat. The chat itself comes last, so that one that has ended meanwhile is noticed. */
async function readChat(store: ChatStore, id: string, { whole = false }: CheckOptions): Promise<StoredChat | Verdict> {
  try {
    const entries = await store.entries(id)
    const texts = await store.messages(id)
    const chat = await store.get(id)
    if (!chat) return skips('it was deleted meanwhile')
    if (chat.state === 'done' || chat.state === 'cancelled') return skips(`it is ${chat.state} meanwhile`)
    if (chat.damage !== null) throw damagedChat(id, chat.damage)
    const checkpoint = whole ? null : checkpointIn(entries)
    if (!checkpoint) return { chat, entries, messages: readMessages(id, texts) }
    const { index, messages } = checkpoint
    return { chat, entries: entries.slice(index), messages: readMessages(id, texts.slice(messages)) }
  } catch (error) {
    if (isXError(error, 'invalid-state')) return cannotGoOn(error)
    throw error
  }
}

async function judge(
  store: ChatStore,
  program: DefinedChat,
  stored: StoredChat,
  options: CheckOptions,
): Promise<Verdict> {
  const from = stored.entries[0]?.kind === 'checkpoint' ? stored.entries[0].place : null
  let given: ProgramInput
  let journal: ChatJournal
  try {
    given = await beginProgram(program, stored.chat.input, stored.entries)
    journal = loadJournal(stored.entries)
  } catch (error) {
    return { ...cannotGoOn(error), from }
  }
  return { ...(await new Replay(store, program, stored, journal).run(given, options)), from }
}

const CANNOT: Verdict = { goesOn: false, next: null, unused: 0, from: null, skipped: null, problem: null }

const skips = (skipped: string): Verdict => ({ ...CANNOT, skipped })

const cannotGoOn = (error: unknown): Verdict => ({
  ...CANNOT,
  problem: { code: isXError(error) ? error.code : null, message: messageOf(error) },
})

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
  const given = await beginProgram(program, input, entries)
  await new Replay(store, program, left, loadJournal(entries)).cancel(given, signal)
}

type RecordedFunction = Parameters<typeof runRecorded<unknown>>[0]

/** How the program of a replay has ended. */
type ReplayEnd = { readonly value: unknown } | { readonly error: unknown }

/**
 * Runs a program on the journal of a chat up to the first call without an answer. That call is held back for ever: the program
 * is then stopped as by a worker that releases the chat. What it does side by side has its turn first, since it may not fit.
 */
class Replay {
  readonly #store: ChatStore
  readonly #program: DefinedChat
  readonly #stored: ReplayedChat
  readonly #journal: ChatJournal
  readonly #stop = new AbortController()
  readonly #isOver = Promise.withResolvers<undefined>()
  /** The first call without an answer. */
  #next: NextStep | null = null
  /** Places that the program has come to. */
  readonly #places = new Set<string>()
  /** Places of calls that are held back, and may have begun something inside before. */
  readonly #held = new Set<string>()
  #lookups = 0
  #failure: { readonly error: unknown } | null = null
  /** The error of waits for vendors, whose answers nobody needs any more; undefined while somebody does. */
  #givenUp: XError | undefined
  /** Number of waits that may still fail by it: a program that begins another wait each time must not do so for ever. */
  #failuresLeft = MAX_FAILED_WAITS
  /** True once a call went on to its vendor. */
  #isCancelling = false

  /** The journal stays in memory: what is kept in it, such as the beginning of a chat, is written nowhere. */
  constructor(store: ChatStore, program: DefinedChat, stored: ReplayedChat, journal: ChatJournal) {
    this.#store = store
    this.#program = program
    this.#stored = stored
    this.#journal = journal
  }

  async run(given: ProgramInput, { signal, timeout = DEFAULT_TIMEOUT_S }: CheckOptions): Promise<Verdict> {
    const stop = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
    const ended = this.#runProgram(given, stop).then(
      (value): ReplayEnd => ({ value }),
      (error: unknown): ReplayEnd => ({ error }),
    )
    const timer = setTimeout(() => this.#isOver.resolve(undefined), timeout * 1000)
    const end = await Promise.race([ended, this.#isOver.promise])
    clearTimeout(timer)
    this.#stop.abort()
    await ended
    throwIfAborted(signal)
    if (this.#failure) throw this.#failure.error
    if (end) return this.#verdictOn(end)
    return this.#next ? this.#goesOnWith(this.#next) : skips(`its program made no call within ${timeout} seconds`)
  }

  /** Lets go of everything that the program waits for at vendors. */
  async cancel(given: ProgramInput, signal: AbortSignal): Promise<void> {
    this.#givenUp = new XError('aborted', `the chat \`${this.#stored.chat.id}\` was cancelled`)
    const stop = AbortSignal.any([signal, this.#stop.signal])
    const ended = this.#runProgram(given, stop).catch(() => {})
    // Clients may still be cancelling when the program has ended.
    void ended.then(() => this.#endWhenQuiet())
    const timer = setTimeout(() => this.#isOver.resolve(undefined), DEFAULT_TIMEOUT_S * 1000)
    await this.#isOver.promise
    clearTimeout(timer)
    this.#stop.abort()
    await ended
    throwIfAborted(signal)
    if (this.#failure) throw this.#failure.error
  }

  #verdictOn(end: ReplayEnd): Verdict {
    if ('value' in end) return this.#goesOnWith(null)
    const { error } = end
    // Blocking code is stopped by an error at the call that is held back.
    if (this.#next && isXError(error, 'aborted')) return this.#goesOnWith(this.#next)
    if (isXError(error, 'suspended')) {
      return this.#keepsAll
        ? this.#goesOnWith(decisionStep(error))
        : cannotGoOn(cannotWait(this.#program, 'a decision'))
    }
    if (!isOfAnotherProgram(error) && this.#waitsOut(error)) {
      return skips(`its program fails in a way that passes: ${messageOf(error)}`)
    }
    return cannotGoOn(error)
  }

  #goesOnWith(next: NextStep | null): Verdict {
    return {
      ...CANNOT,
      goesOn: true,
      next,
      unused: this.#stored.entries.filter((entry) => this.#isUnused(entry)).length,
    }
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

  #waitsOut(error: unknown): boolean {
    const { retry: policy } = this.#program
    return retryOf(error, { policy, before: null, ranMs: 0, random: 0, reason: '' }) !== null
  }

  async #runProgram(given: ProgramInput, signal: AbortSignal): Promise<unknown> {
    const { id, version } = this.#stored.chat
    const call: RecordedFunction = async (run, recorded) => await this.#callProgram(run, recorded, given)
    const value = await runRecorded(call, {
      ...{ journal: this.#holdingJournal(), runId: id, version, signal },
      ...(this.#givenUp && { leaves: () => throwing(this.#givenUp!) }),
    })
    return plainJson(value, 'end the chat', 'its value')
  }

  async #callProgram(run: Run, recorded: Parameters<RecordedFunction>[1], given: ProgramInput): Promise<unknown> {
    const part = partRun(run, {})
    const stored = { ...this.#stored, id: this.#stored.chat.id, heard: 0 }
    const messages = new Messages(stored, { onWait: (awaited) => this.#waitFor(awaited) })
    const chat = chatRunOf(part.run, recorded, {
      ...{ ...given, messages, id: this.#stored.chat.id, definition: this.#program },
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
    return CLOSED_KINDS.has(kind) && awaitsVendor(this.#journal.recall(place))
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
        this.#isOver.resolve(undefined)
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
    this.#isOver.resolve(undefined)
  }
}

function throwing(error: Error): never {
  throw error
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

/** Describes the decision that a suspended program waits for. */
function decisionStep({ message, details }: XError): NextStep {
  const pending = details?.['pending'] as PendingApproval | undefined
  const name = pending?.action.type === 'toolCall' ? pending.action.name : null
  return { kind: 'question', name, place: pending?.id ?? null, label: message.replace(/^the chat waits for /u, '') }
}
