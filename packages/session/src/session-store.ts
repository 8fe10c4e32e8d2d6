import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentState } from '@x/agent'
import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Version of the format of `chat.json`. */
const FORMAT_VERSION = 1

/** Content of `chat.json`. */
export interface SavedChat {
  readonly version: typeof FORMAT_VERSION
  /** Number of turns begun. */
  readonly turns: number
  /** The person's message in a turn that has not ended. */
  readonly message: string | null
  /** States of the agents when the last turn began or ended; null before the first. `loadState` validates them. */
  readonly agents: SavedAgents | null
}

/** Saved states of the agents of a session. */
export interface SavedAgents {
  readonly user: AgentState
  readonly assistant: AgentState
  /** Absent if there are no other agents. */
  readonly members?: readonly AgentState[] | undefined
}

/**
 * Reads and writes the folder of a chat. `chat.json` has the states of the agents and is replaced as a whole;
 * `turn-<n>.jsonl` has the journal of the current turn, one entry per line. Both stay readable when the process is killed at
 * any moment.
 */
export class SessionStore {
  readonly #folder: string
  #chat: Pick<SavedChat, 'turns' | 'message'>
  /** JSON of the states of the agents: a turn that begins writes again what the last one has left. */
  #agents: string
  /** Tells the file as it was last read or written from any other; null for none. */
  #version: string | null

  /** Reads the folder; an empty one is a new chat. */
  constructor(folder: string) {
    this.#folder = folder
    this.#version = versionOf(this.#chatFile)
    const { turns, message, agents } = this.#read()
    this.#chat = { turns, message }
    this.#agents = JSON.stringify(agents)
  }

  /** Refuses to go on from a chat that somebody else has written since: what they wrote would be lost. */
  requireUnchanged(): void {
    if (versionOf(this.#chatFile) === this.#version) return
    throw new XError(
      'invalid-state',
      `cannot go on with the chat in \`${this.#folder}\`: another session has written it since this one opened it; open it again, and keep one session for each folder`,
    )
  }

  /** The person's message in a turn that has not ended; null between turns. */
  get unfinished(): string | null {
    return this.#chat.message
  }

  /** States of the agents when the last turn began or ended; null before the first. */
  get agents(): SavedAgents | null {
    return JSON.parse(this.#agents) as SavedAgents | null
  }

  /** Records that a turn begins. */
  begin(message: string): void {
    this.requireUnchanged()
    this.#write({ turns: this.#chat.turns + 1, message }, this.#agents)
  }

  /** Takes the turn that has not ended over from any other session, which is refused its next entry. */
  takeOver(): void {
    this.requireUnchanged()
    this.#write(this.#chat, this.#agents)
  }

  /** Adds an entry to the journal of the current turn. */
  append(entry: JournalEntry): void {
    this.requireUnchanged()
    appendFileSync(this.#journalFile, `\n${JSON.stringify(entry)}`, { mode: 0o600 })
  }

  /** Journal of the turn that has not ended, in the format of `ChatJournal.parse`. */
  get lines(): string {
    return this.unfinished !== null && existsSync(this.#journalFile) ? readFileSync(this.#journalFile, 'utf8') : ''
  }

  /** Records that the turn has ended, with the states of the agents after it. */
  end(agents: SavedAgents): void {
    const journal = this.#journalFile
    this.requireUnchanged()
    this.#write({ turns: this.#chat.turns, message: null }, JSON.stringify(agents))
    rmSync(journal, { force: true })
  }

  get #chatFile(): string {
    return join(this.#folder, 'chat.json')
  }

  get #journalFile(): string {
    return join(this.#folder, `turn-${this.#chat.turns}.jsonl`)
  }

  #write(chat: Pick<SavedChat, 'turns' | 'message'>, agents: string): void {
    const head = JSON.stringify({ version: FORMAT_VERSION, ...chat }).slice(0, -1)
    const checksum = checksumOf(`${head},"agents":${agents}}`)
    replace(this.#chatFile, `${head},"agents":${agents},"checksum":"${checksum}"}\n`)
    this.#version = versionOf(this.#chatFile)
    this.#chat = chat
    this.#agents = agents
  }

  #read(): SavedChat {
    if (!existsSync(this.#chatFile)) return { version: FORMAT_VERSION, turns: 0, message: null, agents: null }
    let saved: unknown
    try {
      saved = JSON.parse(readFileSync(this.#chatFile, 'utf8'))
    } catch (cause) {
      throw new XError(
        'invalid-state',
        `could not read \`${this.#chatFile}\`: it is not valid JSON; restore the file, or use another folder`,
        { cause },
      )
    }
    const { version } = (saved ?? {}) as { version?: unknown }
    if (version !== undefined && version !== FORMAT_VERSION) {
      const isNewer = typeof version === 'number' && version > FORMAT_VERSION
      throw new XError(
        'unknown-state-version',
        `could not read \`${this.#chatFile}\`: its version is ${JSON.stringify(version)} and this package reads ${FORMAT_VERSION}; ${isNewer ? 'update `@x/session`' : `go on with a release that reads version ${JSON.stringify(version)}`}`,
        { details: { version, known: [FORMAT_VERSION] } },
      )
    }
    const { checksum, ...chat } = (saved ?? {}) as SavedChat & { readonly checksum?: string }
    const damaged =
      damagedField({ ...chat }) ??
      (checksum === undefined || checksum === checksumOf(JSON.stringify(chat)) ? null : 'checksum')
    if (damaged === null) return chat
    throw new XError(
      'invalid-state',
      `could not read \`${this.#chatFile}\`: \`${damaged}\` is damaged; restore the file, or use another folder`,
    )
  }
}

/** Sixteen hexadecimal digits over the JSON of a chat; earlier releases wrote none. */
const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex').slice(0, 16)

/** Returns what changes whenever a file is replaced; null for none. */
function versionOf(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.size}` : null
}

/** Replaces a file atomically. */
function replace(file: string, text: string): void {
  const next = `${file}.next`
  writeFileSync(next, text, { mode: 0o600 })
  renameSync(next, file)
}

/** Returns the name of the first field that does not fit {@link SavedChat}, or null. */
function damagedField({ version, turns, message, agents }: Readonly<Record<string, unknown>>): keyof SavedChat | null {
  if (version !== FORMAT_VERSION) return 'version'
  if (!Number.isSafeInteger(turns) || (turns as number) < 0) return 'turns'
  if (typeof message !== 'string' && message !== null) return 'message'
  const saves = agents as Partial<SavedAgents> | null
  const isWhole = saves === null || (saves?.user && saves.assistant && Array.isArray(saves.members ?? []))
  return isWhole ? null : 'agents'
}
