import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentState } from '@x/agent'
import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Version of `chat.json`. */
const VERSION = 1

/** Content of `chat.json`. */
export interface SavedChat {
  readonly version: typeof VERSION
  /** Number of turns begun. */
  readonly turns: number
  /** The person's message in a turn that has not ended. */
  readonly message: string | null
  /** States of the agents when the last turn began or ended; null before the first. `loadState` validates them. */
  readonly agents: SavedAgents | null
}

/** States of the agents. */
export interface SavedAgents {
  readonly user: AgentState
  readonly assistant: AgentState
  /** Absent where there are none but the two. */
  readonly members?: readonly AgentState[] | undefined
}

/**
 * Reads and writes the folder of a chat. `chat.json` has the states of the agents and is replaced as a whole;
 * `turn-<n>.jsonl` has the journal of the current turn, an entry a line. Both stay readable when the process is killed at
 * any moment.
 */
export class SessionStore {
  readonly #folder: string
  #chat: SavedChat

  /** Reads the folder; an empty one is a new chat. */
  constructor(folder: string) {
    this.#folder = folder
    this.#chat = this.#read()
  }

  /** The person's message in a turn that has not ended; null between turns. */
  get unfinished(): string | null {
    return this.#chat.message
  }

  /** States of the agents when the last turn began or ended; null before the first. */
  get agents(): SavedAgents | null {
    return this.#chat.agents
  }

  /** Records that a turn begins. */
  begin(message: string): void {
    const { turns, agents } = this.#chat
    this.#write({ version: VERSION, turns: turns + 1, message, agents })
  }

  /** Adds an entry to the journal of the current turn. */
  append(entry: JournalEntry): void {
    appendFileSync(this.#turn, `\n${JSON.stringify(entry)}`, { mode: 0o600 })
  }

  /** Journal of the turn that has not ended, in the format of `ChatJournal.parse`. */
  get lines(): string {
    return existsSync(this.#turn) ? readFileSync(this.#turn, 'utf8') : ''
  }

  /** Records that the turn has ended, with the states of the agents after it. */
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

  #write(chat: SavedChat): void {
    replace(this.#file, `${JSON.stringify(chat)}\n`)
    this.#chat = chat
  }

  #read(): SavedChat {
    if (!existsSync(this.#file)) return { version: VERSION, turns: 0, message: null, agents: null }
    const what = `\`${this.#file}\``
    let saved: unknown
    try {
      saved = JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch (cause) {
      throw new XError(
        'invalid-state',
        `could not read ${what}: it is not valid JSON; restore the file, or use another folder`,
        { cause },
      )
    }
    const { version } = (saved ?? {}) as { version?: unknown }
    if (version !== undefined && version !== VERSION) {
      throw new XError(
        'unknown-state-version',
        `could not read ${what}: its version is ${JSON.stringify(version)} and this package reads ${VERSION}; use the version of @x/session that wrote it`,
      )
    }
    const damaged = damagedField(saved)
    if (damaged === undefined) return saved as SavedChat
    throw new XError(
      'invalid-state',
      `could not read ${what}: \`${damaged}\` is damaged; restore the file, or use another folder`,
    )
  }
}

/** Replaces a file atomically. */
function replace(file: string, text: string): void {
  const next = `${file}.next`
  writeFileSync(next, text, { mode: 0o600 })
  renameSync(next, file)
}

/** Returns the name of the first field that is not as `SavedChat` says, or undefined. */
function damagedField(saved: unknown): keyof SavedChat | undefined {
  const { version, turns, message, agents } = (saved ?? {}) as Readonly<Record<string, unknown>>
  if (version !== VERSION) return 'version'
  if (!Number.isSafeInteger(turns) || (turns as number) < 0) return 'turns'
  if (typeof message !== 'string' && message !== null) return 'message'
  const sides = agents as Partial<SavedAgents> | null
  const whole = sides === null || (sides?.user && sides.assistant && Array.isArray(sides.members ?? []))
  return whole ? undefined : 'agents'
}
