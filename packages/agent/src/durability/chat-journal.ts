import type { ApprovalDecision, Journal, JournalEntry, MaybePromise, PendingApproval } from '@x/interfaces'
import { XError, isThenable } from '@x/kernel'
import { type OptionKinds, checkOptions, kind } from '@x/kernel/options'
import { escapeTexts, forkedEntries, MemoryJournal, RUN_PLACE, unescapeTexts } from '@x/kernel/run'
import { newRunId } from '../run/platform.ts'
import { beginningIn } from './checkpoint.ts'
import { notJson } from '../data/plain-json.ts'
import { checkChecksum, checkedEntries, readLines, refuseUnsealed, sealEntry } from './sealed-entries.ts'
import { checkedShape, checkedState, checkedVersion, PENDING_APPROVAL_SHAPE, WAIT_SHAPE } from './saved-shapes.ts'
import { CHAT_VERSION, type ChatState } from '../options/operations.ts'

/** Options of a journal. */
export interface ChatJournalOptions {
  /**
   * Writes an entry where it survives the process; the chat goes on when it is written, and ends when that fails. Entries
   * are written one after the other. After a failure load the journal again from where it is written.
   */
  readonly onEntry?: ((entry: JournalEntry) => MaybePromise<void>) | undefined
  /**
   * True for entries from where this program has written them, such as its database: the number and checksum of each are
   * checked, and what they cover is not. Default false: entries may come from anybody, so every shape is checked too.
   */
  readonly trusted?: boolean | undefined
}

/**
 * Keeps what models, tools, humans and code answered in a chat, in everything nested in it and in what its tools start
 * with the `run` they were given. A chat started again with the same journal, message, options and agents of the same
 * names goes on where it stood: what has answered is not asked again, and its events are not sent again.
 */
export class ChatJournal implements Journal {
  #memory = new MemoryJournal()
  /** Entries that a run of this process has kept. */
  readonly #keptHere = new WeakSet<JournalEntry>()
  /** Places that have ended since the last entry, which another process would not know of. */
  #endedSince = new Set<string>()
  readonly #onEntry: ChatJournalOptions['onEntry']
  /** Settles when everything so far is written; null when nothing is under way. */
  #writing: Promise<void> | null = null
  #failure: { readonly error: unknown } | null = null
  #seq = 0
  /** Number of its first entry, if that is a checkpoint. */
  #first = 0
  #checkpoint: JournalEntry | undefined
  /** The beginning of the run, if its own entry comes before that checkpoint. */
  #beginning: JournalEntry | undefined
  #running = false
  /** True if only the seals of its entries are checked. */
  readonly trusted: boolean

  constructor(options: ChatJournalOptions = {}) {
    checkOptions(options, JOURNAL_OPTION_KINDS, 'create a `ChatJournal`')
    this.#onEntry = options.onEntry
    this.trusted = options.trusted ?? false
  }

  /**
   * The journal of a saved chat. A version that is not known is refused with `unknown-state-version`, a broken shape with
   * `invalid-state` and its path; so is an entry that is not as it was written, or a number that is missing or comes twice,
   * with the place.
   */
  static load(saved: unknown, options: ChatJournalOptions = {}): ChatJournal {
    const journal = new ChatJournal(options)
    if (typeof saved !== 'object' || saved === null || !('version' in saved)) throw noState(saved)
    const { entries } = (journal.trusted ? checkedVersion(saved, 'chat') : checkedState(saved, 'chat')) as ChatState
    for (const [index, entry] of checkedEntries(entries).entries()) {
      if (!journal.trusted) checkParts(entry, index)
      const added = journal.#add(entry)
      if (!added && entry.kind !== 'decision') throw doubled(entry)
    }
    return journal
  }

  /**
   * The journal of a chat whose entries were written as text, each as JSON on a line of its own with the line break before
   * it (`\n${JSON.stringify(entry)}`). A line that the end of a process tore was not kept, and is left out; one that is
   * damaged otherwise is refused with `invalid-state` and its number.
   */
  static parse(lines: string, options: ChatJournalOptions = {}): ChatJournal {
    const entries = readLines(lines) as JournalEntry[]
    refuseUnsealed(entries)
    return ChatJournal.load({ version: CHAT_VERSION, kind: 'chat', entries }, options)
  }

  /** The chat as it stands, as plain JSON. */
  saveState(): ChatState {
    return { version: CHAT_VERSION, kind: 'chat', entries: [...this.#memory.entries] }
  }

  /** The saved state, for `JSON.stringify`. */
  toJSON(): ChatState {
    return this.saveState()
  }

  /** The approvals that wait for a decision, in the order in which they were asked. */
  get pending(): readonly PendingApproval[] {
    return pendingIn(this.#memory.entries)
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
    this.#refuseFailed()
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

  /**
   * Takes back what was kept at a place and behind it: the chat, started again, goes on from there. The entries that are
   * left have other numbers: where they are written, write them anew.
   */
  cut(place: string): void {
    if (this.#running) throw underWay('it is cut')
    const left = fork(this.#memory.entries, place, { runId: this.runId ?? undefined })
    this.#memory = new MemoryJournal()
    this.#endedSince = new Set()
    this.#seq = 0
    this.#first = 0
    this.#checkpoint = undefined
    this.#beginning = undefined
    for (const entry of left) this.#add(entry)
  }

  /** How many entries it has, those before the checkpoint with which it begins included. */
  get length(): number {
    return this.#first + this.#memory.length
  }

  /** The last entry of kind `checkpoint`; undefined without one. */
  get checkpoint(): JournalEntry | undefined {
    return this.#checkpoint
  }

  /** Takes the journal for one run of its chat; a second run at once would do everything twice and is refused. */
  enter(): () => void {
    if (this.#running) throw underWay('it goes on')
    this.#refuseFailed()
    this.#running = true
    // What ended behind the last entry, by an error too, is told again, as by a process that has loaded the journal.
    this.#endedSince = new Set()
    return () => void (this.#running = false)
  }

  /** The entries that stand at a place. */
  recall(place: string): readonly JournalEntry[] {
    const entries = this.#memory.recall(place)
    return this.#beginning && place === RUN_PLACE ? [this.#beginning, ...entries] : entries
  }

  /** The job of a name at a place. */
  recallJob(place: string, name: string): JournalEntry | undefined {
    return this.#memory.recallJob(place, name)
  }

  /** True if a run of this process has kept an entry in this journal, and it was not loaded from elsewhere. */
  keptHere(entry: JournalEntry): boolean {
    return this.#keptHere.has(entry)
  }

  /** The last place inside another that has an entry; -1 when there is none. */
  lastPlace(place: string): number {
    return this.#memory.lastPlace(place)
  }

  /** Notes that the chat or operation at a place has ended, and all its events were sent; the next entry keeps that. */
  end(place: string): void {
    if (!this.#memory.hasEnded(place)) this.#endedSince.add(place)
  }

  /** True if the chat or operation at a place has ended. */
  hasEnded(place: string): boolean {
    return this.#memory.hasEnded(place) || this.#endedSince.has(place)
  }

  /**
   * Keeps an entry, with its number and checksum; the chat goes on when `onEntry` has written it. What could not be written
   * is not kept, and nothing after it: its number would be missing.
   */
  keep(entry: JournalEntry): MaybePromise<void> {
    if (this.#failure) throw this.#failure.error
    if (this.#memory.has(entry)) return undefined
    const sealed = entry.kind === 'decision' ? sealEntry(entry, undefined) : this.#seal(entry)
    this.#keptHere.add(sealed)
    this.#add(sealed)
    return this.#onEntry && this.#write(sealed, this.#onEntry)
  }

  #seal(entry: JournalEntry): JournalEntry {
    const ended = this.#endedSince
    this.#endedSince = new Set()
    return sealEntry(ended.size > 0 ? { ...entry, ended: [...ended] } : entry, this.#seq)
  }

  #write(entry: JournalEntry, onEntry: NonNullable<ChatJournalOptions['onEntry']>): MaybePromise<void> {
    const fail = (error: unknown): never => {
      this.#failure ??= { error }
      this.#memory.removeFrom(entry)
      throw error
    }
    try {
      const written = this.#writing ? this.#writing.then(() => this.#next(entry, onEntry)) : onEntry(entry)
      if (!isThenable(written)) return undefined
      const kept = Promise.resolve(written).catch(fail)
      const end = (): void => {
        if (this.#writing === ended) this.#writing = null
      }
      const ended: Promise<void> = kept.then(end, end)
      this.#writing = ended
      return kept
    } catch (error) {
      return fail(error)
    }
  }

  #next(entry: JournalEntry, onEntry: NonNullable<ChatJournalOptions['onEntry']>): MaybePromise<void> {
    if (this.#failure) throw this.#failure.error
    return onEntry(entry)
  }

  /** An entry that could not be written may be there all the same: only the store says how the chat goes on. */
  #refuseFailed(): void {
    if (!this.#failure) return
    throw new XError(
      'invalid-state',
      'the chat does not go on with this journal: an entry of it could not be written; load the journal again from where it is written',
      { cause: this.#failure.error },
    )
  }

  /** Returns false for an entry whose equal is there. */
  #add(entry: JournalEntry): boolean {
    if (this.#memory.has(entry)) return false
    this.#memory.keep(entry)
    if (entry.seq !== undefined) this.#seq = entry.seq + 1
    if (entry.kind === 'checkpoint') this.#goOnFrom(entry)
    return true
  }

  #goOnFrom(entry: JournalEntry): void {
    this.#checkpoint = entry
    if (this.#memory.length > 1) return
    this.#first = entry.seq ?? 0
    this.#beginning = beginningIn(entry)
  }
}

const JOURNAL_OPTION_KINDS: OptionKinds<ChatJournalOptions> = { onEntry: kind.call, trusted: kind.flag }

/** Checks what a journal itself reads of an entry, beside its place. */
function checkParts({ kind: of, value }: JournalEntry, index: number): void {
  const what = `entry ${index} of the saved state of a chat`
  if (of === 'question') checkedShape(unescapeTexts(value), PENDING_APPROVAL_SHAPE, what)
  if (of === 'wait') checkedShape(value, WAIT_SHAPE, what)
}

function noState(given: unknown): XError {
  const isText = typeof given === 'string'
  const what = isText ? 'a text' : typeof given === 'object' && given !== null ? 'an object without a `version`' : given
  const read = isText ? ', read with `JSON.parse(text)`' : ''
  return new XError(
    'invalid-state',
    `no journal can be made of ${String(what)}: give what \`saveState()\` of a journal gave${read}, or begin with \`new ChatJournal()\``,
  )
}

const underWay = (before: string): XError =>
  new XError('invalid-state', `the chat of this journal is under way: wait for its end before ${before}`)

const doubled = ({ place, kind, name, seq }: JournalEntry): XError =>
  new XError(
    'invalid-state',
    `the journal of a chat is damaged: there are two entries at \`${place}\` of kind \`${kind}\`${name === undefined ? '' : ` for \`${name}\``}; restore it from a copy`,
    { details: { place, ...(seq !== undefined && { seq }) } },
  )

/**
 * The questions of a journal that wait for a decision, in the order in which they were asked. A question or decision that
 * is not as it was written is refused with `invalid-state` and its place.
 */
export function pendingIn(entries: Iterable<JournalEntry>): PendingApproval[] {
  const questions: JournalEntry[] = []
  const decided = new Set<string>()
  const all = [...entries]
  refuseUnsealed(all)
  for (const [index, entry] of all.entries()) {
    if (entry.kind === 'question' || entry.kind === 'decision') checkChecksum(entry, index)
    if (entry.kind === 'question') questions.push(entry)
    if (entry.kind === 'decision') decided.add(entry.place)
  }
  return questions
    .filter(({ place }) => !decided.has(place))
    .map(({ value }) => unescapeTexts(value) as PendingApproval)
}

/** Returns all that a chat has asked a decision on, decided or not. */
export const askedIn = (journal: ChatJournal): PendingApproval[] =>
  journal
    .saveState()
    .entries.filter(({ kind }) => kind === 'question')
    .map(({ value }) => unescapeTexts(value) as PendingApproval)

/**
 * The entry that decides on something that waits: a chat started again with it does it or tells the model why not. A
 * decision without `allow`, or with arguments that are not an object of plain JSON, is refused with `invalid-argument`.
 */
export function decisionEntry(pending: PendingApproval, decision: ApprovalDecision): JournalEntry {
  const value = escapeTexts(checkedDecision(pending, decision))
  return sealEntry({ place: pending.id, kind: 'decision', value }, undefined)
}

const DECISION_KINDS = { allow: kind.flag, arguments: kind.any, answer: kind.text, reason: kind.text, by: kind.text }

function checkedDecision({ id, action }: PendingApproval, decision: ApprovalDecision): ApprovalDecision {
  const { allow } = (decision ?? {}) as { allow?: unknown }
  if (typeof allow !== 'boolean') {
    throw new XError(
      'invalid-argument',
      `the decision on \`${id}\` has no \`allow\`: give { allow: true${action.type === 'question' ? ", answer: '…'" : ''} } or { allow: false, reason }`,
    )
  }
  checkOptions(decision, DECISION_KINDS, `decide on \`${id}\``)
  const decider = decision.by !== undefined && { by: decision.by }
  if (!decision.allow) {
    const { reason } = decision as { reason?: unknown }
    return { allow: false, ...(typeof reason === 'string' && { reason }), ...decider }
  }
  const { arguments: args, answer } = decision
  if ((answer !== undefined) !== (action.type === 'question')) {
    const problem = answer === undefined ? 'a question needs an `answer`' : '`answer` belongs to a question'
    throw new XError('invalid-argument', `the decision on \`${id}\` cannot be kept: ${problem}`)
  }
  if (answer !== undefined && args === undefined) return { allow: true, answer, ...decider }
  if (args === undefined) return { allow: true, ...decider }
  const isCall = action.type === 'toolCall'
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
  const unwritable = isObject ? notJson(args, ['arguments']) : undefined
  if (isCall && isObject && !unwritable) return { allow: true, arguments: args, ...decider }
  const wrong = unwritable ? `${unwritable}; give plain JSON` : '`arguments` must be an object'
  const problem = isCall ? wrong : `${action.type} takes no \`arguments\``
  throw new XError('invalid-argument', `the decision on \`${id}\` cannot be kept: ${problem}`)
}

/**
 * The entries of a chat up to a place, for a chat that goes another way from there: what stands at the place or behind it
 * is left out, and what was open there is open again; null keeps all of them. The run has an identifier of its own, with
 * which the keys of all its calls begin; `version` is that of another program. Entries that are not as they were written are
 * refused with `invalid-state` and the place, a place that is none with `invalid-argument`.
 */
export function fork(
  entries: Iterable<JournalEntry>,
  place: string | null,
  options: { readonly runId?: string | undefined; readonly version?: string | undefined } = {},
): JournalEntry[] {
  checkOptions(options, { runId: kind.text, version: kind.text }, 'run `fork`')
  const { runId = newRunId(), version } = options
  if (place !== null && (typeof place !== 'string' || !/^\d+(?:\.\d+)*$/u.test(place))) {
    throw new XError(
      'invalid-argument',
      `cannot run \`fork\`: \`${place}\` is not the \`place\` of an entry, such as \`1.3\``,
    )
  }
  const begins = { runId: escapeTexts(runId) as string, version: escapeTexts(version) as string | undefined }
  const whole = checkedEntries([...entries])
  const left = forkedEntries(whole, place, begins).map((entry) => {
    if (entry.kind !== 'checkpoint') return entry
    const run = {
      ...(beginningIn(entry).value as object),
      runId: begins.runId,
      ...(version !== undefined && { version: begins.version }),
    }
    // The trace with which the chat was submitted and its events are not those of the fork.
    return { ...entry, value: { ...(entry.value as object), run, trace: undefined, events: undefined } }
  })
  if (whole[0]?.kind === 'checkpoint' && left[0]?.kind !== 'checkpoint') {
    throw new XError(
      'invalid-argument',
      `cannot run \`fork\`: the entries begin with the checkpoint at \`${whole[0].place}\`, which is not before \`${place}\`; give all entries of the journal`,
    )
  }
  let seq = 0
  return left.map((entry) => sealEntry(entry, entry.seq === undefined ? undefined : seq++))
}
