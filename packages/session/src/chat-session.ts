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
  UsageSummary,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { lockFolder } from './folder-lock.ts'
import { runTurn } from './run-turn.steps.ts'
import { loadSaved, savedAgents } from './saved-agents.ts'
import type { SessionAgents } from './session-agents.ts'
import { SessionStore } from './session-store.ts'
import { usageOf } from './usage-of.ts'

/** Options of a `ChatSession`. */
export interface ChatSessionOptions {
  /** Folder that keeps the chat; created when it does not exist. */
  readonly folder: string
  /** Creates the agents, with the same settings each time; called when the session opens and when a turn is resumed. */
  readonly agents: () => SessionAgents
  /** Limits what all turns together may use; default: no limit. */
  readonly budget?: Budget | undefined
}

const KINDS: OptionKinds<ChatSessionOptions> = {
  folder: kind.text,
  agents: kind.call,
  budget: kind.having('a budget, such as `createBudget({ calls: 10 })` of `@x/model`', 'reserve'),
}

const SIGNAL = { signal: runOptionKinds.signal }

/** Refuses unknown, wrong and missing options, before the folder is made. */
function checkSession(options: ChatSessionOptions): void {
  checkOptions(options ?? null, KINDS, 'open a `ChatSession`')
  for (const key of ['folder', 'agents'] as const) {
    if (options[key]) continue
    throw new XError(
      'invalid-argument',
      `cannot open a \`ChatSession\`: it has no \`${key}\`; give ${KINDS[key].expected}`,
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
  #running = false
  /** Whether an entry of the journal could not be written: the turn goes on with what is in the folder. */
  #failed = false

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
    this.#lock[Symbol.dispose]()
  }

  /** All messages so far, tool calls and their results included, as the person's agent has them. */
  get messages(): readonly ChatMessage[] {
    const { user, assistant } = this.#agents
    return user.chatMessages.get(assistant) ?? []
  }

  /** The agents, which are created anew when a turn is resumed. */
  get agents(): SessionAgents {
    return this.#agents
  }

  /** What the models of all agents have used so far, answers out of caches left out. */
  get usage(): UsageSummary {
    return usageOf(this.#agents)
  }

  /** The person's message in a turn that has not ended, because it waits for an approval or its process was killed; else null. */
  get unfinished(): string | null {
    return this.#store.unfinished
  }

  /** Tool calls that wait for the person's approval. */
  get pending(): readonly PendingApproval[] {
    return this.unfinished === null ? [] : this.#journal.pending
  }

  /**
   * Begins a turn with a message: gives the events of the answer and a promise of the `result`. The turn runs when its
   * events are read or its `result` is waited for. A stopped or failed turn is kept as far as it came; one whose journal
   * could not be written has not ended.
   */
  say(message: string, options: { readonly signal?: AbortSignal | undefined } = {}): EventStream<ChatResult> {
    checkOptions(options, SIGNAL, 'run `say`')
    this.#refuseSecondTurn()
    if (this.unfinished !== null) {
      throw new XError(
        'invalid-state',
        'the session cannot send a new message, because its last turn has not ended: call `resume` first',
      )
    }
    this.#store.begin(message)
    this.#journal = this.#loadJournal()
    return this.#runTurn(message, options.signal)
  }

  /** Resumes a turn that has not ended, like {@link say}; events that were sent before are not sent again. */
  resume(options: { readonly signal?: AbortSignal | undefined } = {}): EventStream<ChatResult> {
    checkOptions(options, SIGNAL, 'run `resume`')
    this.#refuseSecondTurn()
    if (this.unfinished === null) {
      throw new XError('invalid-state', 'the session has no turn to resume, because every turn has ended: call `say`')
    }
    this.#agents = this.#loadAgents()
    this.#reloadFailed()
    return this.#runTurn(this.unfinished, options.signal)
  }

  /** Allows or denies a tool call of `pending`, once; `resume` then makes the call or tells the model why it was denied. */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    this.#reloadFailed()
    await this.#journal.decide(id, decision)
  }

  #runTurn(message: string, signal: AbortSignal | undefined): EventStream<ChatResult> {
    const agents = this.#agents
    const { user } = agents
    const options = { message, clearHistory: false, journal: this.#journal, budget: this.#options.budget }
    const turn = runTurn(agents, options, {
      begin: () => {
        this.#running = true
      },
      end: ({ suspended }) => {
        this.#running = false
        if (!suspended && !this.#failed) this.#store.end(savedAgents(agents))
      },
    })
    return operateStream(turn, internalsOf(user), { signal })
  }

  #loadAgents(): SessionAgents {
    const agents = this.#options.agents()
    const saved = this.#store.agents
    if (saved) loadSaved(agents, saved)
    return agents
  }

  #loadJournal(): ChatJournal {
    this.#failed = false
    return ChatJournal.parse(this.#store.lines, { onEntry: (entry) => this.#append(entry) })
  }

  #append(entry: JournalEntry): void {
    try {
      this.#store.append(entry)
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  #reloadFailed(): void {
    if (this.#failed) this.#journal = this.#loadJournal()
  }

  #refuseSecondTurn(): void {
    if (!this.#running) return
    throw new XError(
      'invalid-state',
      'the session cannot run two turns at once: wait for the end of the first, or stop it by its `signal`',
    )
  }
}
