import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { ChatOutcome, ClaimedChat, HostBackend, HostedChat, JournalEntry, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { ChatRun, DefinedChat } from '../define-chat.ts'
import { ChatWriter } from './chat-writer.ts'
import { Messages } from './messages.ts'

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

/** How a turn has ended. */
export interface TurnEnd {
  /** The end of its chat, or why the worker let go of it. */
  readonly how: ChatOutcome['state'] | 'suspended' | 'released' | 'lost'
  /** The chat where it is to go on, now or by another worker. */
  readonly again: HostedChat | null
}

/** One worker's work on a chat that it has claimed: from where its journal ends to its end, or until it waits or is given back. */
export class Turn {
  readonly #backend: HostBackend
  readonly #definition: DefinedChat
  readonly #chat: ClaimedChat
  readonly #writer: ChatWriter
  readonly #hear: (event: XEvent) => void
  readonly #controller = new AbortController()
  readonly #appends = new Set<Promise<unknown>>()
  #stop: Stop | null = null

  /** `hear` is called with every event. */
  constructor(backend: HostBackend, definition: DefinedChat, chat: ClaimedChat, hear: (event: XEvent) => void) {
    this.#backend = backend
    this.#definition = definition
    this.#chat = chat
    this.#hear = hear
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

  /** How the chat has ended; `suspended` where it waits for a decision. Of no meaning when the turn was stopped. */
  async #outcome(): Promise<ChatOutcome | 'suspended'> {
    const { id, version, input } = this.#chat
    try {
      const journal = this.#journal()
      const checked = (await this.#definition.check(input)) as never
      const messages = new Messages(this.#chat, () => this.stop({ why: 'message' }))
      const value = await runRecorded(
        async (run) => {
          const chat: ChatRun<never> = {
            id,
            input: checked,
            run,
            io: messages.io,
            receive: () => messages.receive(run),
          }
          return plain(await this.#definition.run(chat))
        },
        {
          ...{ journal, runId: id, version, streams: true, signal: this.#controller.signal },
          emit: (event) => this.#emit(event),
        },
      )
      return { state: 'done', value }
    } catch (error) {
      if (isXError(error, 'suspended')) return 'suspended'
      const { code = null, message } = isXError(error) ? error : { message: messageOf(error) }
      return { state: 'failed', error: { code, message } }
    }
  }

  #emit(event: XEvent): void {
    this.#hear(event)
    this.#writer.add(event)
  }

  #journal(): ChatJournal {
    const saved = { ...new ChatJournal().saveState(), entries: this.#chat.entries }
    return ChatJournal.load(saved, { onEntry: (entry) => this.#append(entry) })
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

  async #end(outcome: ChatOutcome | 'suspended'): Promise<TurnEnd> {
    // What has come to its end is kept, whatever came meanwhile; a stop may be the reason of a failure.
    const stop = this.#stop
    if (outcome !== 'suspended' && (!stop || (outcome.state === 'done' && stop.why === 'release'))) {
      const ended = await this.#writer.finish(outcome)
      return { how: ended ? outcome.state : 'lost', again: null }
    }
    await this.#writer.flush()
    return await this.#leave(outcome)
  }

  /** Lets go of a chat that has not ended; the writing of its last events may have stopped it. */
  async #leave(outcome: ChatOutcome | 'suspended'): Promise<TurnEnd> {
    const stop = this.#stop
    switch (stop?.why) {
      case 'lost':
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

  async #suspend(): Promise<TurnEnd> {
    const chat = await this.#backend.store.suspend(this.#chat, this.#chat.heard)
    return { how: chat ? 'suspended' : 'lost', again: chat?.state === 'waiting' ? chat : null }
  }
}

/** A value as plain JSON; what JSON leaves out is null. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
