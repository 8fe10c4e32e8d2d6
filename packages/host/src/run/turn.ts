import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { ChatOutcome, ClaimedChat, HostBackend, HostedChat, JournalEntry, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { damagedChat } from '@x/kernel/hosting'
import type { ChatRun, DefinedChat } from '../define-chat.ts'
import { plainJson } from '../plain-json.ts'
import { ChatWriter } from './chat-writer.ts'
import { Messages } from './messages.ts'
import { endParts, Parts } from './parts.ts'

/** Why a turn is stopped before its chat has ended. */
type Stop =
  /** The worker gives the chat back. */
  | { readonly why: 'release' }
  /** The chat waits for a message. */
  | { readonly why: 'message' }
  /** Another worker has the chat, or it was cancelled. */
  | { readonly why: 'lost' }
  /** The store or the log does not answer: what is true is not known. */
  | { readonly why: 'failure'; readonly error: unknown }

/** What comes of the program: an end of the chat, a decision that it waits for, or why it cannot go on with the chat. */
type Outcome = ChatOutcome | 'suspended' | { readonly state: 'refused'; readonly reason: string }

/** How a turn has ended. */
export interface TurnEnd {
  /** The end of its chat, or why the worker let go of it. */
  readonly how: ChatOutcome['state'] | 'suspended' | 'released' | 'refused' | 'lost'
  /** The chat where it is to go on, now or by another worker. */
  readonly again: HostedChat | null
  /** Why it was refused. */
  readonly reason?: string | undefined
}

/** One worker's work on a chat that it has claimed: from where its journal ends to its end, or until it waits or is given back. */
export class Turn {
  readonly #backend: HostBackend
  readonly #definition: DefinedChat
  readonly #chat: ClaimedChat
  readonly #writer: ChatWriter
  readonly #hear: (event: XEvent) => void
  readonly #controller = new AbortController()
  readonly #parts: Parts
  readonly #appends = new Set<Promise<unknown>>()
  #stop: Stop | null = null

  /** `hear` is called with every event. */
  constructor(backend: HostBackend, definition: DefinedChat, chat: ClaimedChat, hear: (event: XEvent) => void) {
    this.#backend = backend
    this.#definition = definition
    this.#chat = chat
    this.#hear = hear
    this.#parts = new Parts(backend, chat, this.#controller.signal, () => this.stop({ why: 'lost' }))
    this.#writer = new ChatWriter(backend, chat, (error) => {
      this.stop(error === undefined ? { why: 'lost' } : { why: 'failure', error })
    })
  }

  /** Whether it holds pieces of an answer that somebody who follows the chat would want. */
  get holds(): boolean {
    return this.#writer.holds
  }

  /** Is told that somebody follows the chat. */
  follow(): void {
    this.#writer.follow()
  }

  get epoch(): number {
    return this.#chat.epoch
  }

  get #keepsAll(): boolean {
    return this.#definition.keeps !== 'value'
  }

  /** Stops the turn, once: the first reason holds. */
  stop(stop: Stop): void {
    if (this.#stop) return
    this.#stop = stop
    this.#controller.abort()
  }

  /** Runs the turn. Fails where the store does. */
  async run(): Promise<TurnEnd> {
    try {
      const outcome = await this.#outcome()
      await Promise.allSettled(this.#appends)
      return await this.#end(outcome)
    } finally {
      this.#writer.drop()
    }
  }

  /** Of no meaning when the turn was stopped. */
  async #outcome(): Promise<Outcome> {
    const { id, version, input, damage } = this.#chat
    if (damage !== null) return failed(damagedChat(id, damage))
    const checked = await checkedInput(this.#definition, input)
    if ('refused' in checked) return { state: 'refused', reason: checked.refused }
    try {
      const journal = this.#journal()
      const messages = new Messages(this.#chat, () => this.stop({ why: 'message' }))
      const value = await runRecorded(
        async (run) => {
          const chat: ChatRun<never> = {
            id,
            input: checked.input as never,
            run,
            io: messages.io,
            receive: () => messages.receive(run),
            perform: (part, given, options) => this.#parts.perform(part, given, options),
          }
          return plainJson(await this.#definition.run(chat), 'end the chat', 'its value')
        },
        {
          ...{ journal, runId: id, version, streams: this.#keepsAll, signal: this.#controller.signal },
          emit: (event) => this.#emit(event),
        },
      )
      return { state: 'done', value }
    } catch (error) {
      if (isXError(error, 'suspended')) return this.#keepsAll ? 'suspended' : failed(cannotWait(id))
      if (isOfAnotherProgram(error)) return { state: 'refused', reason: error.message }
      return failed(error)
    }
  }

  #emit(event: XEvent): void {
    this.#hear(event)
    if (this.#keepsAll) this.#writer.add(event)
  }

  #journal(): ChatJournal {
    const saved = { ...new ChatJournal().saveState(), entries: this.#chat.entries }
    return ChatJournal.load(saved, this.#keepsAll ? { onEntry: (entry) => this.#append(entry) } : {})
  }

  /** Keeps an entry, behind the events that were sent before it. */
  async #append(entry: JournalEntry): Promise<void> {
    const append = this.#write(entry)
    this.#appends.add(append)
    try {
      await append
    } finally {
      this.#appends.delete(append)
    }
  }

  async #write(entry: JournalEntry): Promise<void> {
    try {
      if (await this.#writer.append(entry)) return
      this.stop({ why: 'lost' })
    } catch (error) {
      this.stop({ why: 'failure', error })
      throw error
    }
    throw new XError(
      'invalid-state',
      `another worker has taken over the chat \`${this.#chat.id}\`, or it was cancelled`,
    )
  }

  async #end(outcome: Outcome): Promise<TurnEnd> {
    // What has come to its end is kept, whatever came meanwhile; a stop may be the reason of a failure.
    const stop = this.#stop
    if (stop?.why === 'message' && !this.#keepsAll) return await this.#finish(failed(cannotWait(this.#chat.id)))
    if (outcome !== 'suspended' && (!stop || (outcome.state === 'done' && stop.why === 'release'))) {
      return outcome.state === 'refused' ? await this.#putOff(outcome.reason) : await this.#finish(outcome)
    }
    await this.#writer.flush()
    return await this.#leave(outcome)
  }

  async #finish(outcome: ChatOutcome): Promise<TurnEnd> {
    const ended = await this.#writer.finish(outcome)
    // One that was taken over may have parts of the worker before.
    if (this.#parts.used || this.#chat.entries.length > 0) await endParts(this.#backend, this.#chat.id)
    return { how: ended ? outcome.state : 'lost', again: null }
  }

  /** Leaves the chat to a worker that can go on with it. It is taken up again in its time, and not at once. */
  async #putOff(reason: string): Promise<TurnEnd> {
    const chat = await this.#backend.store.putOff(this.#chat, reason)
    return { how: chat ? 'refused' : 'lost', again: null, reason }
  }

  /** Lets go of a chat that has not ended; the writing of its last events may have stopped it. */
  async #leave(outcome: Outcome): Promise<TurnEnd> {
    const stop = this.#stop
    switch (stop?.why) {
      case 'lost':
        if (this.#parts.used) await this.#endLateParts()
        return { how: 'lost', again: null }
      case 'failure':
        throw stop.error
      case 'release':
        if (outcome === 'suspended') return await this.#suspend()
        return { how: 'released', again: await this.#backend.store.release(this.#chat) }
      default:
        return await this.#suspend()
    }
  }

  /** Ends parts that were handed in after their chat had ended. */
  async #endLateParts(): Promise<void> {
    const { id } = this.#chat
    const chat = await this.#backend.store.get(id)
    if (!chat || chat.outcome) await endParts(this.#backend, id)
  }

  async #suspend(): Promise<TurnEnd> {
    const chat = await this.#backend.store.suspend(this.#chat, this.#chat.heard)
    return { how: chat ? 'suspended' : 'lost', again: chat?.state === 'waiting' ? chat : null }
  }
}

/** The input as the program gets it; one that was submitted to another program of this name and version does not fit. */
async function checkedInput(
  { check }: DefinedChat,
  input: unknown,
): Promise<{ readonly input: unknown } | { readonly refused: string }> {
  try {
    return { input: await check(input) }
  } catch (error) {
    return { refused: messageOf(error) }
  }
}

/** Whether a journal has refused the program: another one goes on with it. */
const isOfAnotherProgram = (error: unknown): error is XError =>
  isXError(error, 'invalid-state') &&
  typeof error.details?.['place'] === 'string' &&
  error.details['place'] !== BEGINNING &&
  Object.hasOwn(error.details, 'saved')

/** The place at which a journal names its run and version. */
const BEGINNING = '0'

const cannotWait = (id: string): XError =>
  new XError(
    'invalid-argument',
    `the chat \`${id}\` cannot wait for a decision or message: its program keeps its value alone; take \`keeps: 'value'\` out of its \`defineChat\``,
  )

function failed(error: unknown): ChatOutcome {
  return { state: 'failed', error: { code: isXError(error) ? error.code : null, message: messageOf(error) } }
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'the program has thrown what has no text'
  }
}
