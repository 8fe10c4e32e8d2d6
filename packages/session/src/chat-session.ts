import { mkdirSync } from 'node:fs'
import { ChatJournal } from '@x/agent'
import { internalsOf, operateStream } from '@x/agent/steps'
import type {
  ApprovalDecision,
  Budget,
  ChatMessage,
  ChatResult,
  EventStream,
  JournalEntry,
  PendingApproval,
  RunTracer,
  UsageSummary,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { throwIfAborted } from '@x/kernel/abort'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { lockFolder } from './folder-lock.ts'
import { runTurn } from './run-turn.steps.ts'
import { loadAgents, saveAgents, usageOf, type SessionAgents } from './session-agents.ts'
import { SessionStore } from './session-store.ts'

/** Options of a {@link ChatSession}. */
export interface ChatSessionOptions {
  /** Folder that keeps the chat; created when it does not exist. */
  readonly folder: string
  /** Creates the agents, with the same settings each time; called when the session opens and when a turn is resumed. */
  readonly agents: () => SessionAgents
  /** Limits what all turns together may use; default: no limit. */
  readonly budget?: Budget | undefined
  /** Follows each turn, as the records of `openRecords` of `@x/records` do; default: none. */
  readonly tracer?: RunTracer | undefined
}

const CHAT_SESSION_KINDS: OptionKinds<ChatSessionOptions> = {
  folder: kind.text,
  agents: kind.call,
  budget: kind.having('a budget, such as `createBudget({ calls: 10 })` of `@x/model`', 'reserve'),
  tracer: runOptionKinds.tracer,
}

const SIGNAL_KINDS = { signal: runOptionKinds.signal }

/** Refuses unknown, wrong and missing options before the folder is created. */
function checkSession(options: ChatSessionOptions): void {
  checkOptions(options ?? null, CHAT_SESSION_KINDS, 'open a `ChatSession`')
  for (const key of ['folder', 'agents'] as const) {
    if (options[key]) continue
    throw new XError(
      'invalid-argument',
      `cannot open a \`ChatSession\`: it has no \`${key}\`; give ${CHAT_SESSION_KINDS[key].expected}`,
    )
  }
}

/**
 * Keeps a person's chat with an assistant in a folder. Each message with its answer is a turn: a chat with a journal of its
 * own, which can be resumed after an approval or after its process was killed. The states of the agents are saved between
 * turns.
 */
export class ChatSession implements Disposable {
  readonly #options: ChatSessionOptions
  readonly #store: SessionStore
  readonly #lock: Disposable
  #agents: SessionAgents
  #journal: ChatJournal
  #isRunning = false
  #isClosed = false
  /** True if an entry could not be written: `resume` then continues from the journal in the folder. */
  #hasWriteFailed = false

  /**
   * Opens the chat of a folder and locks the folder for other processes. Fails with `unknown-state-version` when another
   * version of the package wrote it, with `invalid-state` when it is damaged or open elsewhere.
   */
  constructor(options: ChatSessionOptions) {
    checkSession(options)
    this.#options = options
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    this.#lock = lockFolder(options.folder)
    try {
      this.#store = new SessionStore(options.folder)
      this.#agents = this.#loadAgents()
      this.#journal = this.#loadJournal()
    } catch (error) {
      this.#lock[Symbol.dispose]()
      throw error
    }
  }

  /** Unlocks the folder. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#lock[Symbol.dispose]()
  }

  /** All messages so far, tool calls and their results included, as the person's agent has them. */
  get messages(): readonly ChatMessage[] {
    const { user, assistant } = this.#agents
    return user.chatMessages.get(assistant) ?? []
  }

  /** The agents; `resume` creates new ones. */
  get agents(): SessionAgents {
    return this.#agents
  }

  /** Usage of the models of all agents so far, without cached answers. */
  get usage(): UsageSummary {
    return usageOf(this.#agents)
  }

  /** The person's message in a turn that has not ended, because it waits for an approval or the process was killed; else null. */
  get unfinished(): string | null {
    return this.#store.unfinished
  }

  /** Tool calls that wait for the person's approval. */
  get pending(): readonly PendingApproval[] {
    return this.unfinished === null ? [] : this.#journal.pending
  }

  /**
   * Begins a turn with a message: returns the events of the answer and a promise of the `result`. The turn runs when its
   * events are read or its `result` is awaited. A stopped or failed turn is kept as far as it came; a turn with a journal that
   * could not be written has not ended. Fails with `aborted`, and begins none, if the signal has aborted before.
   */
  say(message: string, options: { readonly signal?: AbortSignal | undefined } = {}): EventStream<ChatResult> {
    checkOptions(options, SIGNAL_KINDS, 'run `say`')
    if (typeof message !== 'string') {
      throw new XError('invalid-argument', `cannot run \`say\`: its message is no text; give what the person says`)
    }
    this.#refuseSecondTurn()
    if (this.unfinished !== null) {
      throw new XError(
        'invalid-state',
        'the session cannot send a new message, because its last turn has not ended: call `resume` first',
      )
    }
    throwIfAborted(options.signal)
    this.#store.begin(message)
    this.#journal = this.#loadJournal()
    return this.#runTurn(message, options.signal)
  }

  /** Resumes a turn that has not ended, like {@link say}; events that were sent before are not sent again. */
  resume(options: { readonly signal?: AbortSignal | undefined } = {}): EventStream<ChatResult> {
    checkOptions(options, SIGNAL_KINDS, 'run `resume`')
    this.#refuseSecondTurn()
    if (this.unfinished === null) {
      throw new XError('invalid-state', 'the session has no turn to resume, because every turn has ended: call `say`')
    }
    this.#store.takeOver()
    this.#agents = this.#loadAgents()
    this.#journal = this.#loadJournal()
    return this.#runTurn(this.unfinished, options.signal)
  }

  /** Allows or denies a tool call of {@link pending}, once; `resume` then makes the call or tells the model why it was denied. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    this.#reloadAfterFailure()
    await this.#journal.decide(id, decision)
  }

  #runTurn(message: string, signal: AbortSignal | undefined): EventStream<ChatResult> {
    const agents = this.#agents
    const { user } = agents
    const { budget, tracer } = this.#options
    const options = { message, clearHistory: false, journal: this.#journal, budget }
    const turn = runTurn(agents, options, {
      begin: () => {
        this.#refuseSecondTurn()
        if (this.#agents !== agents) {
          throw new XError('invalid-state', 'the turn cannot begin: it was resumed before it was read; read that one')
        }
        this.#isRunning = true
      },
      end: ({ suspended }) => {
        this.#isRunning = false
        if (!suspended && !this.#hasWriteFailed) this.#store.end(saveAgents(agents))
      },
    })
    return operateStream(turn, internalsOf(user), { signal, ...(tracer && { tracer }) })
  }

  #loadAgents(): SessionAgents {
    const agents = this.#options.agents()
    const saved = this.#store.agents
    if (saved) loadAgents(agents, saved)
    return agents
  }

  #loadJournal(): ChatJournal {
    this.#hasWriteFailed = false
    return ChatJournal.parse(this.#store.lines, { onEntry: (entry) => this.#append(entry) })
  }

  #append(entry: JournalEntry): void {
    try {
      this.#store.append(entry)
    } catch (error) {
      this.#hasWriteFailed = true
      throw error
    }
  }

  #reloadAfterFailure(): void {
    if (this.#hasWriteFailed) this.#journal = this.#loadJournal()
  }

  #refuseSecondTurn(): void {
    if (this.#isClosed) {
      throw new XError('invalid-state', 'the session is closed: open the chat of its folder again')
    }
    if (!this.#isRunning) return
    throw new XError(
      'invalid-state',
      'the session cannot run two turns at once: wait for the end of the first, or stop it by its `signal`',
    )
  }
}
