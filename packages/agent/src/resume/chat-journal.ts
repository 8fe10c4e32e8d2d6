import type { ApprovalDecision, Journal, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { PENDING, STATE_VERSION } from './saved-shapes.ts'
import { checkedShape, checkedState } from './saved-state.ts'

/** A chat as it stands, as plain JSON. */
export interface ChatState {
  readonly version: typeof STATE_VERSION
  readonly kind: 'chat'
  /** What every leaf of the chat has answered so far. */
  readonly entries: readonly JournalEntry[]
}

/** Options of a journal. */
export interface ChatJournalOptions {
  /** Writes an entry where it survives the process; the chat goes on when it is written. */
  readonly onEntry?: ((entry: JournalEntry) => MaybePromise<void>) | undefined
}

/** Ends the keys of questions for a decision; the decision has the key itself. */
const ASKED = '?'

/** Whose answer a decision is. */
export const DECIDED = 'the decision'

/**
 * Keeps what models, tools, humans and code answered in a chat, in everything nested in it and in what its tools start
 * with the `emit` they were given. A chat started again with the same journal, message, options and agents of the same
 * names goes on where it stood: what has answered is not asked again, and its events are not sent again.
 */
export class ChatJournal implements Journal {
  readonly #entries: JournalEntry[] = []
  readonly #byKey = new Map<string, JournalEntry>()
  readonly #lastPlaces = new Map<string, number>()
  readonly #onEntry: ChatJournalOptions['onEntry']
  #running = false

  constructor({ onEntry }: ChatJournalOptions = {}) {
    this.#onEntry = onEntry
  }

  /**
   * The journal of a saved chat. A version that is not known is refused with `unknown-state-version`, a broken shape with
   * `invalid-state` and its path.
   */
  static load(saved: unknown, options: ChatJournalOptions = {}): ChatJournal {
    const journal = new ChatJournal(options)
    for (const [index, entry] of checkedState(saved, 'chat').entries.entries()) {
      if (entry.key.endsWith(ASKED)) checkedShape(entry.value, PENDING, `entry ${index} of the saved state of a chat`)
      journal.#add(entry)
    }
    return journal
  }

  /**
   * The journal of a chat whose entries were written as text, each as JSON on a line of its own with the line break before
   * it (`\n${JSON.stringify(entry)}`). A line that the end of a process tore was not kept, and is left out.
   */
  static parse(lines: string, options: ChatJournalOptions = {}): ChatJournal {
    const entries = lines.split('\n').flatMap(entryIn)
    return ChatJournal.load({ version: STATE_VERSION, kind: 'chat', entries }, options)
  }

  /** The chat as it stands, as plain JSON. */
  saveState(): ChatState {
    return { version: STATE_VERSION, kind: 'chat', entries: [...this.#entries] }
  }

  /** What waits for a decision, in the order in which it was asked. */
  get pending(): readonly PendingApproval[] {
    return this.#entries
      .filter(({ key }) => key.endsWith(ASKED) && !this.#byKey.has(key.slice(0, -ASKED.length)))
      .map(({ value }) => value as PendingApproval)
  }

  /**
   * Decides on something that waits: the chat, started again with this journal, does it or tells the model why not. What
   * does not wait, or was decided on before, is refused with `invalid-state`.
   */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    const asked = this.#byKey.get(id + ASKED)?.value as PendingApproval | undefined
    if (!asked || this.#byKey.has(id)) {
      const what = asked ? 'was decided on before' : 'does not wait for a decision'
      throw new XError('invalid-state', `\`${id}\` ${what}: \`pending\` lists what waits`, { details: { id } })
    }
    await this.keep({ key: id, what: DECIDED, value: checkedDecision(asked, decision) })
  }

  /** How many entries it has. */
  get length(): number {
    return this.#entries.length
  }

  /** Takes the journal for one run of its chat; a second run at once would do everything twice and is refused. */
  enter(): () => void {
    if (this.#running) {
      throw new XError('invalid-state', 'the chat of this journal is under way: wait for its end before it goes on')
    }
    this.#running = true
    return () => void (this.#running = false)
  }

  /** What a leaf answered in an earlier run of the chat. */
  recall(key: string): JournalEntry | undefined {
    return this.#byKey.get(key)
  }

  /** The last place inside another that has an answer; -1 when there is none. */
  lastPlace(key: string): number {
    return this.#lastPlaces.get(key) ?? -1
  }

  /** Keeps an answer; the chat goes on when `onEntry` has written it. What could not be written is not kept. */
  keep(entry: JournalEntry): MaybePromise<void> {
    if (!this.#add(entry) || !this.#onEntry) return undefined
    const forget = (error: unknown): never => {
      this.#remove(entry)
      throw error
    }
    try {
      const written = this.#onEntry(entry)
      return isThenable(written) ? Promise.resolve(written).catch(forget) : undefined
    } catch (error) {
      return forget(error)
    }
  }

  /** The first of equal keys holds: an answer is never replaced. */
  #add(entry: JournalEntry): boolean {
    if (this.#byKey.has(entry.key)) return false
    this.#entries.push(entry)
    this.#byKey.set(entry.key, entry)
    this.#place(entry)
    return true
  }

  #remove(entry: JournalEntry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1)
    this.#byKey.delete(entry.key)
    this.#lastPlaces.clear()
    for (const each of this.#entries) this.#place(each)
  }

  #place({ key: place }: JournalEntry): void {
    const places = place.split('.').map(Number)
    if (places.some(Number.isNaN)) return
    for (let depth = 0; depth < places.length; depth++) {
      const key = places.slice(0, depth).join('.')
      this.#lastPlaces.set(key, Math.max(this.lastPlace(key), places[depth]!))
    }
  }
}

function entryIn(line: string): unknown[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** The entry that says that something waits for a decision. */
export const pendingEntry = (asked: PendingApproval): JournalEntry => ({
  key: asked.id + ASKED,
  what: 'the question for a decision',
  value: asked,
})

function checkedDecision({ id, action }: PendingApproval, decision: ApprovalDecision): ApprovalDecision {
  const { allow } = (decision ?? {}) as { allow?: unknown }
  if (typeof allow !== 'boolean') {
    throw new XError(
      'invalid-argument',
      `the decision on \`${id}\` has no \`allow\`: give { allow: true } or { allow: false, reason }`,
    )
  }
  if (!decision.allow) {
    const { reason } = decision as { reason?: unknown }
    return { allow: false, ...(typeof reason === 'string' && { reason }) }
  }
  const { arguments: args } = decision
  if (args === undefined) return { allow: true }
  if (action.type === 'toolCall' && typeof args === 'object' && args !== null && !Array.isArray(args)) {
    return { allow: true, arguments: args }
  }
  throw new XError(
    'invalid-argument',
    `the decision on \`${id}\` has \`arguments\` that are none: a tool call takes one object`,
  )
}
