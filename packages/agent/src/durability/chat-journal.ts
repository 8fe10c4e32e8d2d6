import type { ApprovalDecision, Journal, JournalEntry, JournalKind, MaybePromise, PendingApproval } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { decisionEntry, pendingIn } from './approvals.ts'
import { unescapeTexts } from './entry-text.ts'
import { fork } from './fork.ts'
import { PENDING, RUN_PLACE } from './saved-shapes.ts'
import { STATE_VERSION, type ChatState } from './saved-types.ts'
import { checkedShape, checkedState } from './saved-state.ts'

/** Options of a journal. */
export interface ChatJournalOptions {
  /** Writes an entry where it survives the process; the chat goes on when it is written, and ends when that fails. */
  readonly onEntry?: ((entry: JournalEntry) => MaybePromise<void>) | undefined
}

/**
 * Keeps what models, tools, humans and code answered in a chat, in everything nested in it and in what its tools start
 * with the `run` they were given. A chat started again with the same journal, message, options and agents of the same
 * names goes on where it stood: what has answered is not asked again, and its events are not sent again.
 */
export class ChatJournal implements Journal {
  readonly #entries: JournalEntry[] = []
  readonly #byPlace = new Map<string, JournalEntry[]>()
  readonly #lastPlaces = new Map<string, number>()
  readonly #onEntry: ChatJournalOptions['onEntry']
  #running = false

  constructor(options: ChatJournalOptions = {}) {
    checkOptions(options, { onEntry: kind.call } satisfies OptionKinds<ChatJournalOptions>, 'create a `ChatJournal`')
    this.#onEntry = options.onEntry
  }

  /**
   * The journal of a saved chat. A version that is not known is refused with `unknown-state-version`, a broken shape with
   * `invalid-state` and its path.
   */
  static load(saved: unknown, options: ChatJournalOptions = {}): ChatJournal {
    const journal = new ChatJournal(options)
    for (const [index, entry] of (checkedState(saved, 'chat') as ChatState).entries.entries()) {
      if (entry.kind === 'question') {
        checkedShape(unescapeTexts(entry.value), PENDING, `entry ${index} of the saved state of a chat`)
      }
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
    return pendingIn(this.#entries)
  }

  /** Names the run in the whole world; null before it has begun. */
  get runId(): string | null {
    const [begin] = this.recall(RUN_PLACE)
    return begin ? (unescapeTexts(begin.value) as { runId: string }).runId : null
  }

  /**
   * Decides on something that waits: the chat, started again with this journal, does it or tells the model why not. What
   * does not wait, or was decided on before, is refused with `invalid-state`.
   */
  async decide(id: string, decision: ApprovalDecision): Promise<void> {
    const entries = this.recall(id)
    const pending = pendingIn(entries)[0]
    if (!pending) {
      const what = entries.some(({ kind }) => kind === 'decision')
        ? `\`${id}\` was decided on before`
        : `no pending approval \`${id}\``
      throw new XError('invalid-state', `${what}: \`journal.pending\` lists what waits`, { details: { id } })
    }
    await this.keep(decisionEntry(pending, decision))
  }

  /** Takes back what was kept at a place and behind it: the chat, started again, goes on from there. */
  cut(place: string): void {
    const left = fork(this.#entries, place, { runId: this.runId ?? undefined })
    this.#entries.length = 0
    this.#byPlace.clear()
    this.#lastPlaces.clear()
    for (const entry of left) this.#add(entry)
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

  /** The entries that stand at a place. */
  recall(place: string): readonly JournalEntry[] {
    return this.#byPlace.get(place) ?? NOTHING
  }

  /** The last place inside another that has an entry; -1 when there is none. */
  lastPlace(place: string): number {
    return this.#lastPlaces.get(place) ?? -1
  }

  /** Keeps an entry; the chat goes on when `onEntry` has written it. What could not be written is not kept. */
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

  /** The first of equal identity holds: an answer is never replaced. */
  #add(entry: JournalEntry): boolean {
    const { place, kind, name } = entry
    const there = this.#byPlace.get(place)
    if (there?.some((each) => each.kind === kind && each.name === name)) return false
    this.#entries.push(entry)
    if (there) there.push(entry)
    else this.#byPlace.set(place, [entry])
    if (isAnswer(kind)) this.#noteLastPlaces(place)
    return true
  }

  #remove(entry: JournalEntry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1)
    const there = this.#byPlace.get(entry.place)!
    there.splice(there.indexOf(entry), 1)
    this.#lastPlaces.clear()
    for (const { place, kind } of this.#entries) if (isAnswer(kind)) this.#noteLastPlaces(place)
  }

  #noteLastPlaces(place: string): void {
    for (let end = place.length; end > 0;) {
      const dot = place.lastIndexOf('.', end - 1)
      const around = dot === -1 ? '' : place.slice(0, dot)
      const number = Number(place.slice(dot + 1, end))
      this.#lastPlaces.set(around, Math.max(this.lastPlace(around), number))
      end = dot
    }
  }
}

/** Whether an entry of a kind answers for its place: others stand there beside the answer. */
const isAnswer = (kind: JournalKind): boolean => kind !== 'question' && kind !== 'job' && kind !== 'hook'

const NOTHING: readonly JournalEntry[] = []

function entryIn(line: string): unknown[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
