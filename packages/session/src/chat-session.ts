import { mkdirSync } from 'node:fs'
import { ChatJournal } from '@x/agent'
import type { ApprovalDecision, Budget, ChatMessage, ChatResult, PendingApproval, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { Cast } from './cast.ts'
import { ChatStore } from './chat-store.ts'
import { lockFolder } from './folder-lock.ts'

/** What a session is opened with. */
export interface ChatSessionOptions {
  /** Folder of the chat; made when there is none. */
  readonly folder: string
  /** Builds the agents, equal ones each time: every turn has new ones and gives them what the earlier ones kept. */
  readonly cast: () => Cast
  /** What all turns together may use up; default: no limit. */
  readonly budget?: Budget | undefined
}

/** What a turn can be stopped by. */
interface TurnOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * A person's chat with an assistant, kept in a folder. Each message and its answer is a turn: a chat with a journal of its
 * own, so that it goes on where it stood after a kill or an approval. Between turns the agents' states are kept.
 */
export class ChatSession implements Disposable {
  readonly #options: ChatSessionOptions
  readonly #store: ChatStore
  readonly #lock: Disposable
  #cast: Cast
  #journal: ChatJournal
  #running = false

  /**
   * Opens a chat, for one process at a time. Saved state of an unknown version is refused with `unknown-state-version`, a broken one with
   * `invalid-state`.
   */
  constructor(options: ChatSessionOptions) {
    this.#options = options
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    this.#lock = lockFolder(options.folder)
    try {
      this.#store = new ChatStore(options.folder)
      this.#cast = this.#loadedCast()
      this.#journal = this.#loadedJournal()
    } catch (error) {
      this.#lock[Symbol.dispose]()
      throw error
    }
  }

  /** Lets other processes open the chat. */
  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]()
  }

  /** Everything said so far, tool calls and their results included, as the person's side has it. */
  get messages(): readonly ChatMessage[] {
    const { user, assistant } = this.#cast
    return user.chatMessages.get(assistant) ?? []
  }

  /** What the person said in a turn that has not ended: it waits for a decision, or its process was killed. */
  get unfinished(): string | null {
    return this.#store.unfinished
  }

  /** What waits for the person's decision. */
  get pending(): readonly PendingApproval[] {
    return this.unfinished === null ? [] : this.#journal.pending
  }

  /** Says something and gives the events of the answer; a turn that was stopped or failed is kept as far as it came. */
  say(message: string, { signal }: TurnOptions = {}): AsyncGenerator<XEvent, ChatResult, void> {
    this.#refuseSecond()
    if (this.unfinished !== null) {
      throw new XError('invalid-state', 'the last turn has not ended: call `goOn` before something new is said')
    }
    this.#store.begin(message)
    this.#journal = this.#loadedJournal()
    return this.#turn(message, signal)
  }

  /** Goes on with a turn that has not ended, and gives the events that were not sent before. */
  goOn({ signal }: TurnOptions = {}): AsyncGenerator<XEvent, ChatResult, void> {
    this.#refuseSecond()
    if (this.unfinished === null) throw new XError('invalid-state', 'every turn has ended: say something')
    this.#cast = this.#loadedCast()
    return this.#turn(this.unfinished, signal)
  }

  /** Decides on what waits; `goOn` then does it or tells the model why not. A second decision is refused. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    await this.#journal.decide(id, decision)
  }

  async *#turn(message: string, signal: AbortSignal | undefined): AsyncGenerator<XEvent, ChatResult, void> {
    this.#running = true
    const { user, assistant } = this.#cast
    const { budget } = this.#options
    let suspended = false
    try {
      const options = { message, clearHistory: false, journal: this.#journal, signal, budget }
      const result = yield* user.initiateChatStream(assistant, options)
      suspended = result.terminationReason === 'suspended'
      return result
    } finally {
      this.#running = false
      if (!suspended) this.#store.end({ user: user.saveState(), assistant: assistant.saveState() })
    }
  }

  #loadedCast(): Cast {
    const cast = this.#options.cast()
    const { agents } = this.#store
    const { user, assistant } = cast
    if (agents) {
      user.loadState(agents.user, { agents: [assistant] })
      assistant.loadState(agents.assistant, { agents: [user] })
    }
    return cast
  }

  #loadedJournal(): ChatJournal {
    return ChatJournal.parse(this.#store.lines, { onEntry: (entry) => this.#store.append(entry) })
  }

  #refuseSecond(): void {
    if (this.#running)
      throw new XError('invalid-state', 'a turn is running: wait for its end, or stop it by its signal')
  }
}
