import { ChatJournal } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import type { ChatOutcome, ClaimedChat, HostBackend, HostedChat, JournalEntry, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import type { ChatRun, DefinedChat } from '../define-chat.ts'
import { ChatWriter } from './chat-writer.ts'
import { Messages } from './messages.ts'
import { endParts, Parts } from './parts.ts'
import { lastStep, type TurnStop } from './turn-stop.ts'

/** How a turn has ended. */
export interface TurnEnd {
  /** The end of its chat, or why the worker let go of it. */
  readonly how: ChatOutcome['state'] | 'suspended' | 'released' | 'lost'
  /** The chat where it is to go on, now or by another worker. */
  readonly again: HostedChat | null
}

/** One worker's work on a chat that it has claimed: from where its journal ends to its end, or until it waits or is given back. */
export class Turn {
  readonly definition: DefinedChat
  readonly #backend: HostBackend
  readonly #chat: ClaimedChat
  readonly #writer: ChatWriter
  readonly #parts: Parts
  readonly #hear: (event: XEvent) => void
  readonly #controller = new AbortController()
  #stop: TurnStop | null = null

  /** `hear` is called with every event, whether or not it is kept. */
  constructor(backend: HostBackend, definition: DefinedChat, chat: ClaimedChat, hear: (event: XEvent) => void) {
    this.#backend = backend
    this.definition = definition
    this.#chat = chat
    this.#hear = hear
    this.#parts = new Parts(backend, chat, this.#controller.signal, () => this.stop({ why: 'lost' }))
    this.#writer = new ChatWriter(backend, chat, (stop) => this.stop(stop))
  }

  /** Number of its claim on the chat. */
  get epoch(): number {
    return this.#chat.epoch
  }

  /** Whether it holds pieces of an answer that somebody who follows the chat would want. */
  get holds(): boolean {
    return this.#writer.holds
  }

  /** Is told that somebody follows the chat. */
  follow(): void {
    this.#writer.follow()
  }

  /** Stops the turn, once: the first reason holds. */
  stop(stop: TurnStop): void {
    if (this.#stop) return
    this.#stop = stop
    this.#controller.abort()
  }

  /** Runs the turn. Fails where the store does. */
  async run(): Promise<TurnEnd> {
    try {
      const outcome = await this.#outcome()
      // What is being written may still stop the turn.
      await this.#writer.settled()
      return await this.#end(outcome)
    } finally {
      this.#writer.drop()
    }
  }

  /** How the program has ended; `suspended` where it waits for a decision. Of no meaning when the turn was stopped. */
  async #outcome(): Promise<ChatOutcome | 'suspended'> {
    try {
      return { state: 'done', value: plain(await this.#value()) }
    } catch (error) {
      if (!isXError(error, 'suspended')) return failedBy(error)
      return this.#keepsAll ? 'suspended' : failedBy(this.#cannotWait('a decision'))
    }
  }

  async #value(): Promise<unknown> {
    const { id, version, input } = this.#chat
    const journal = this.#journal()
    const checked = (await this.definition.check(input)) as never
    const messages = new Messages(this.#chat, () => this.#awaitMessage())
    return await runRecorded(
      (run) => {
        const chat: ChatRun<never> = {
          id,
          input: checked,
          run,
          io: messages.io,
          receive: () => messages.receive(run),
          perform: (part, given, options) => this.#parts.perform(part, given, options),
        }
        return this.definition.run(chat)
      },
      {
        ...{ journal, runId: id, version, streams: this.#keepsAll, signal: this.#controller.signal },
        emit: (event) => this.#emit(event),
      },
    )
  }

  get #keepsAll(): boolean {
    return this.definition.keeps !== 'value'
  }

  #journal(): ChatJournal {
    const saved = { ...new ChatJournal().saveState(), entries: this.#chat.entries }
    return ChatJournal.load(saved, this.#keepsAll ? { onEntry: (entry) => this.#keep(entry) } : {})
  }

  /** Keeps an entry, behind the events that were sent before it. */
  async #keep(entry: JournalEntry): Promise<void> {
    if (await this.#writer.append(entry)) return
    throw new XError(
      'invalid-state',
      `another worker has taken over the chat \`${this.#chat.id}\`, or it was cancelled`,
    )
  }

  #emit(event: XEvent): void {
    this.#hear(event)
    if (this.#keepsAll) this.#writer.add(event)
  }

  #awaitMessage(): void {
    if (!this.#keepsAll) throw this.#cannotWait('a message')
    this.stop({ why: 'message' })
  }

  #cannotWait(what: string): XError {
    const { name } = this.definition
    return new XError(
      'invalid-state',
      `the program \`${name}\` keeps its value alone, and cannot wait for ${what}: leave \`keeps\` out of its \`defineChat\``,
    )
  }

  async #end(outcome: ChatOutcome | 'suspended'): Promise<TurnEnd> {
    const step = lastStep(outcome, this.#stop)
    switch (step.do) {
      case 'finish':
        return await this.#finish(step.outcome)
      case 'suspend':
        return await this.#suspend()
      case 'release':
        return await this.#release()
      case 'leave':
        return await this.#leave()
      case 'fail':
        throw step.error
    }
  }

  async #finish(outcome: ChatOutcome): Promise<TurnEnd> {
    if (!(await this.#writer.finish(outcome))) return await this.#leave()
    await this.#endParts()
    return { how: outcome.state, again: null }
  }

  async #suspend(): Promise<TurnEnd> {
    if (!(await this.#writer.flush())) return await this.#leave()
    const chat = await this.#backend.store.suspend(this.#chat, this.#chat.heard)
    if (!chat) return await this.#leave()
    return { how: 'suspended', again: chat.state === 'waiting' ? chat : null }
  }

  async #release(): Promise<TurnEnd> {
    // What is not written is sent again by the next worker.
    await this.#writer.flush().catch(() => {})
    const chat = await this.#backend.store.release(this.#chat)
    return chat ? { how: 'released', again: chat } : await this.#leave()
  }

  /** Leaves a chat on which the claim has ended: it was cancelled, forgotten, or another worker has it. */
  async #leave(): Promise<TurnEnd> {
    const { id, epoch } = this.#chat
    const chat = await this.#backend.store.get(id)
    if (chat && !chat.outcome) return { how: 'lost', again: null }
    // Parts may have been handed in after the chat had ended.
    await this.#endParts()
    return { how: chat?.epoch === epoch ? chat.outcome!.state : 'lost', again: null }
  }

  /** Ends the parts of a chat that has ended; one that was taken over may have parts of the worker before. */
  async #endParts(): Promise<void> {
    if (this.#parts.used || this.#chat.entries.length > 0) await endParts(this.#backend, this.#chat.id)
  }
}

function failedBy(error: unknown): ChatOutcome {
  const { code = null, message } = isXError(error) ? error : { message: messageOf(error) }
  return { state: 'failed', error: { code, message } }
}

/** A value as plain JSON; what JSON leaves out is null. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
