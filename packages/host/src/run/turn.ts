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
import { lastStep, type ProgramEnd, type TurnStop } from './turn-stop.ts'

/** How a turn has ended. */
export interface TurnEnd {
  /** The end of its chat, or why the worker let go of it. */
  readonly how: ChatOutcome['state'] | 'suspended' | 'released' | 'refused' | 'lost'
  /** The chat where it is to go on, now or by another worker. */
  readonly again: HostedChat | null
  /** Why the program of the worker was refused. */
  readonly reason?: string | undefined
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
    this.#writer = new ChatWriter(backend, chat, (stop) => this.stop(stop))
    this.#parts = new Parts(backend, chat, {
      stop: this.#controller.signal,
      onLost: () => this.stop({ why: 'lost' }),
      onFailure: (error) => this.#writer.fail(error),
    })
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
      const end = await this.#programEnd()
      // What is being written may still stop the turn.
      await this.#writer.settled()
      return await this.#end(end)
    } finally {
      this.#writer.drop()
    }
  }

  /** How the program has ended. Of no meaning when the turn was stopped. */
  async #programEnd(): Promise<ProgramEnd> {
    const { id, input, damage } = this.#chat
    if (damage !== null) return failedBy(damagedChat(id, damage))
    const checked = await checkedInput(this.definition, input)
    if ('refused' in checked) return { state: 'refused', reason: checked.refused }
    try {
      return { state: 'done', value: plainJson(await this.#value(checked.input), 'end the chat', 'its value') }
    } catch (error) {
      if (isXError(error, 'suspended')) return this.#keepsAll ? 'suspended' : failedBy(this.#cannotWait('a decision'))
      return isOfAnotherProgram(error) ? { state: 'refused', reason: error.message } : failedBy(error)
    }
  }

  async #value(input: unknown): Promise<unknown> {
    const { id, version } = this.#chat
    const journal = this.#journal()
    const messages = new Messages(this.#chat, () => this.#awaitMessage())
    return await runRecorded(
      (run) => {
        const chat: ChatRun<never> = {
          id,
          input: input as never,
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

  async #end(end: ProgramEnd): Promise<TurnEnd> {
    const step = lastStep(end, this.#stop)
    switch (step.do) {
      case 'finish':
        return await this.#finish(step.outcome)
      case 'suspend':
        return await this.#suspend()
      case 'release':
        return await this.#release()
      case 'putOff':
        return await this.#putOff(step.reason)
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

  async #putOff(reason: string): Promise<TurnEnd> {
    if (!(await this.#writer.flush())) return await this.#leave()
    const chat = await this.#backend.store.putOff(this.#chat, reason)
    return chat ? { how: 'refused', again: null, reason } : await this.#leave()
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
  return { state: 'failed', error: { code: isXError(error) ? error.code : null, message: messageOf(error) } }
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

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'the program has thrown what has no text'
  }
}
