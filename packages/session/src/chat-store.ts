import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentState } from '@x/agent'
import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { z } from 'zod'

/** Version of `chat.json`; one that is not known is refused. */
const VERSION = 1

const CHAT = z.object({
  version: z.literal(VERSION),
  /** Turns that were begun. */
  turns: z.int().nonnegative(),
  /** What the person said in a turn that has not ended. */
  message: z.string().nullable(),
  /** What the agents kept when the last turn began or ended; null before the first. Their package checks it. */
  agents: z.object({ user: z.unknown(), assistant: z.unknown() }).nullable(),
})

type Chat = z.infer<typeof CHAT>

/** What agents keep between turns. */
export interface SavedAgents {
  readonly user: AgentState
  readonly assistant: AgentState
}

/**
 * A chat in a folder. `chat.json` has the agents as they are between two turns and is replaced as a whole;
 * `turn-<n>.jsonl` has what was answered in the turn that runs, a line each. A process killed at any moment leaves both
 * readable.
 */
export class ChatStore {
  readonly #folder: string
  #chat: Chat

  /** Reads what is in the folder; nothing is a chat that has not begun. */
  constructor(folder: string) {
    this.#folder = folder
    this.#chat = this.#read()
  }

  /** What the person said in a turn that has not ended; null between turns. */
  get unfinished(): string | null {
    return this.#chat.message
  }

  /** What the agents kept when the last turn began or ended; null before the first. */
  get agents(): SavedAgents | null {
    return this.#chat.agents as SavedAgents | null
  }

  /** Notes that a turn begins. */
  begin(message: string): void {
    const { turns, agents } = this.#chat
    this.#write({ version: VERSION, turns: turns + 1, message, agents })
  }

  /** Keeps what was answered in the turn that runs. */
  append(entry: JournalEntry): void {
    appendFileSync(this.#turn, `\n${JSON.stringify(entry)}`, { mode: 0o600 })
  }

  /** What was answered in the turn that has not ended, as `ChatJournal.parse` reads it. */
  get lines(): string {
    return existsSync(this.#turn) ? readFileSync(this.#turn, 'utf8') : ''
  }

  /** Notes that the turn has ended, with the agents as it left them. */
  end(agents: SavedAgents): void {
    const turn = this.#turn
    this.#write({ version: VERSION, turns: this.#chat.turns, message: null, agents })
    rmSync(turn, { force: true })
  }

  get #file(): string {
    return join(this.#folder, 'chat.json')
  }

  get #turn(): string {
    return join(this.#folder, `turn-${this.#chat.turns}.jsonl`)
  }

  #write(chat: Chat): void {
    replace(this.#file, `${JSON.stringify(chat)}\n`)
    this.#chat = chat
  }

  #read(): Chat {
    if (!existsSync(this.#file)) return { version: VERSION, turns: 0, message: null, agents: null }
    const what = `the chat in \`${this.#folder}\``
    let saved: unknown
    try {
      saved = JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch (cause) {
      throw new XError('invalid-state', `${what} is no JSON: give another folder`, { cause })
    }
    const { version } = (saved ?? {}) as { version?: unknown }
    if (version !== undefined && version !== VERSION) {
      throw new XError(
        'unknown-state-version',
        `${what} has the version ${JSON.stringify(version)} and this program knows ${VERSION}: open it with the program that wrote it`,
      )
    }
    const { data, error } = CHAT.safeParse(saved)
    if (data) return data
    const [issue] = error.issues
    throw new XError(
      'invalid-state',
      `${what} is broken at \`${issue?.path.join('.') ?? ''}\`: ${issue?.message ?? 'it does not fit'}`,
    )
  }
}

/** Puts a file in place of another, so that a reader sees the one or the other. */
function replace(file: string, text: string): void {
  const next = `${file}.next`
  writeFileSync(next, text, { mode: 0o600 })
  renameSync(next, file)
}
