import type { Journal, JournalEntry, JournalKind, MaybePromise, Run } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { escapedEntry, escapeTexts, failRun, RUN_PLACE, unescapeTexts } from '@x/kernel/run'
import { openContext } from '../memory/state.ts'
import { ChatJournal } from './chat-journal.ts'
import type { RunBeginning } from './checkpoint.ts'
import { newRunId } from '../run/platform.ts'
import {
  type AnswerToKeep,
  type Changes,
  changesOf,
  type ContextChange,
  type DeferredRecorder,
  type ModelUse,
  namedParticipants,
  noteUse,
  OTHER_AGENTS,
  type Participants,
  type RecalledAnswer,
  type RecordedCall,
  type Recorder,
  refuseFailed,
} from '../run/recorder.ts'
import { plainJson } from '../data/plain-json.ts'
import { checkedShape, RUN_SHAPE } from './saved-shapes.ts'

/** Identifier and version of a run, if it was given some. */
interface RunIdentity {
  readonly runId?: string | undefined
  readonly version?: string | undefined
  /** True if usage that the journal has counted in this process is not counted again when it is recalled. */
  readonly countsOnce?: boolean | undefined
}

/**
 * The recorder of a run: of one that goes on, or of a new one, with the entry that has to be kept first. A run of another
 * version or identifier is refused with `invalid-state`.
 */
export function runRecorder(
  run: Run,
  journal: Journal,
  { runId, version, countsOnce = false }: RunIdentity,
): { readonly recorder: JournalRecorder; readonly entry?: JournalEntry } {
  const [known] = journal.recall(RUN_PLACE)
  if (!known) {
    const ends = journal.hasEnded !== undefined
    const begins: RunBeginning = {
      runId: runId ?? newRunId(),
      ...(version !== undefined && { version }),
      ...(ends && { ends }),
    }
    return { recorder: new JournalRecorder(journal, begins, run, countsOnce), entry: entryOfBeginning(begins) }
  }
  const saved = checkedShape(unescapeTexts(known.value), RUN_SHAPE, 'the saved beginning of a run') as RunBeginning
  if (version !== undefined && saved.version !== undefined && saved.version !== version) {
    throw differs('version', saved.version, version, 'finish it with the program that began it')
  }
  if (runId !== undefined && saved.runId !== runId) {
    throw differs('runId', saved.runId, runId, 'give each run a journal of its own')
  }
  return { recorder: new JournalRecorder(journal, saved, run, countsOnce) }
}

/** Makes the entry that a run begins with. */
export const entryOfBeginning = (begins: RunBeginning): JournalEntry => ({
  place: RUN_PLACE,
  kind: 'begin',
  value: escapeTexts(begins),
})

const differs = (what: string, saved: string, given: string, advice: string): XError =>
  new XError(
    'invalid-state',
    `the chat does not go on as it was saved: its \`${what}\` is \`${saved}\`, and \`${given}\` was given; ${advice}`,
    { details: { place: RUN_PLACE, saved: { [what]: saved }, given: { [what]: given } } },
  )

/** Keeps the answers of a run in a journal, and recalls those of an earlier one. */
export class JournalRecorder implements Recorder {
  readonly recalls = true
  readonly goesOn: boolean
  readonly waits: boolean
  readonly runId: string
  readonly #journal: Journal
  readonly #run: Run
  readonly #knowsEnds: boolean
  readonly #countsOnce: boolean
  /** True if the seals of entries are enough: this program has written them. */
  readonly #trusts: boolean
  #failure: { readonly error: unknown } | null = null

  /** `run` is the one that ends when the journal fails where nobody says in which run. */
  constructor(journal: Journal, { runId, ends = false }: RunBeginning, run: Run, countsOnce: boolean) {
    this.waits = journal.waits ?? true
    this.goesOn = journal.recall(RUN_PLACE).length > 0
    this.#journal = journal
    this.#trusts = journal instanceof ChatJournal && journal.trusted
    this.#countsOnce = countsOnce
    this.runId = runId
    this.#run = run
    this.#knowsEnds = ends && journal.hasEnded !== undefined
  }

  isPast(place: string, next: number): boolean {
    try {
      return this.#journal.lastPlace(place) >= next
    } catch (error) {
      // Events and steps ask this, and go on to the next moment at which the run can end. Nothing is kept until then.
      this.#failure = { error }
      return endRun(this.#run, error)
    }
  }

  end(place: string): void {
    this.#journal.end?.(place)
  }

  hasEnded(place: string): boolean | undefined {
    return this.#knowsEnds ? this.#journal.hasEnded!(place) : undefined
  }

  recall(place: string, call: RecordedCall, outside: Participants): RecalledAnswer | undefined {
    const entry = this.#entryOf(place, call)
    if (!entry) return undefined
    const value = unescapeTexts(entry.value)
    if (!this.#trusts) checkedShape(value, call.shape ?? {}, `the saved answer of ${call.label} at \`${place}\``)
    const isCounted = this.#countsOnce && this.#journal instanceof ChatJournal && this.#journal.keptHere(entry)
    const used = recallChanges(outside, entry, isCounted)
    return { value, isTold: entry.untold !== true, used, isCounted }
  }

  /** Returns the entry of a call. A search may have thousands of jobs at its place. */
  #entryOf(place: string, call: RecordedCall): JournalEntry | undefined {
    const { kind, name } = call
    const journal = this.#journal
    const entries = journal.recall(place)
    if (kind === 'job' && name !== undefined && journal.recallJob) {
      const job = journal.recallJob(place, name)
      // What stands beside one job may stand beside another.
      if (job || entries.at(-1)?.kind === 'job') return job
    }
    return entries.find((each) => each.kind === kind && each.name === name) ?? refuseOther(entries, place, call)
  }

  beforeCall(run: Run, place: string, call: RecordedCall): MaybePromise<void> {
    const held = this.#hold(run, place, call)
    return isThenable(held) ? held.then(failAsTold) : failAsTold(held)
  }

  #hold(run: Run, place: string, call: RecordedCall): ReturnType<NonNullable<Journal['beforeCall']>> {
    try {
      const held = this.#journal.beforeCall?.({ ...identity(place, call), label: call.label })
      if (!isThenable(held)) return held
      // Blocking code cannot wait, and must not make the call.
      if (run.face === 'sync') throw heldBack(call)
      return held.then(undefined, (error: unknown) => failRun(run, error))
    } catch (error) {
      return failRun(run, error)
    }
  }

  keep(run: Run, answer: AnswerToKeep, changes?: Changes): MaybePromise<void> {
    refuseFailed(run)
    if (this.#failure) throw this.#failure.error
    try {
      const kept = this.#journal.keep(entryToKeep(answer, changes ?? changesOf(answer)))
      return isThenable(kept) ? kept.then(undefined, (error: unknown) => failRun(run, error)) : undefined
    } catch (error) {
      return failRun(run, error)
    }
  }
}

/** Throws the failure that a journal has for a call. */
function failAsTold(held: void | { readonly failure: unknown }): void {
  if (held) throw held.failure
}

const heldBack = ({ label }: RecordedCall): XError =>
  new XError('aborted', `the journal of the chat holds ${label} back, and blocking code cannot wait for it`)

const entryToKeep = (
  { place, call, value, isTold = true }: AnswerToKeep,
  { context, at, used }: Changes,
): JournalEntry =>
  escapedEntry({
    ...identity(place, call),
    value: plainJson(value, call.label),
    ...(!isTold && { untold: true as const }),
    ...(context && { context, at }),
    ...(used && { used }),
  })

/** The journal of a run that has to wait for a decision, with all that its recorder has kept. */
export function journalOfDeferred({ runId, version, kept }: DeferredRecorder): ChatJournal {
  const journal = new ChatJournal()
  void journal.keep(entryOfBeginning({ runId, ...(version !== undefined && { version }), ends: true }))
  for (const each of kept) {
    if (typeof each === 'string') journal.end(each)
    else void journal.keep(entryToKeep(each.answer, each.changes))
  }
  return journal
}

function endRun(run: Run, error: unknown): true {
  try {
    return failRun(run, error)
  } catch {
    return true
  }
}

/** The identity of an entry: place, kind and name. */
const identity = (place: string, { kind, name }: Pick<RecordedCall, 'kind' | 'name'>): Omit<JournalEntry, 'value'> => ({
  place,
  kind,
  ...(name !== undefined && { name }),
})

/** Refuses a call at a place that has another one: the chat does not go on as it was saved. */
function refuseOther(entries: readonly JournalEntry[], place: string, call: RecordedCall): undefined {
  const other = entries.find(({ kind }) => !mayStandTogether(kind, call.kind))
  if (!other) return undefined
  throw new XError(
    'invalid-state',
    `the chat does not go on as it was saved: at \`${place}\` it had ${kindText(other)}, and now it asks ${call.label} (${kindText(call)}); start it with the same agents, message and options`,
    { details: { place, saved: identity(place, other), asked: identity(place, call) } },
  )
}

/**
 * Hooks stand at the place of what comes behind them; a question and its decision share a place, as do a search and its
 * jobs, and the answer of a model and the cuts of the history that it was sent.
 */
const mayStandTogether = (one: JournalKind, other: JournalKind): boolean =>
  one === 'hook' ||
  other === 'hook' ||
  [one, other].every((kind) => kind === 'question' || kind === 'decision') ||
  [one, other].every((kind) => kind === 'search' || kind === 'job') ||
  [one, other].every((kind) => kind === 'model' || kind === 'job')

const kindText = ({ kind, name }: Pick<RecordedCall, 'kind' | 'name'>): string =>
  `an entry of kind \`${kind}\`${name === undefined ? '' : ` for \`${name}\``}`

const NO_USE: readonly ModelUse[] = []

/** Puts what changed with an answer in place, and returns what models inside used; answers that came side by side are recalled in another order. */
function recallChanges(outside: Participants, entry: JournalEntry, isCounted: boolean): readonly ModelUse[] {
  const { at = 0 } = entry
  if (!entry.context && !entry.used) return NO_USE
  const context = (unescapeTexts(entry.context ?? {}) ?? {}) as Record<string, ContextChange>
  const used = (unescapeTexts(entry.used ?? {}) ?? {}) as Record<string, ModelUse>
  for (const [name, { state, context: known }] of namedParticipants(outside)) {
    const { set = {}, unset = [] } = Object.hasOwn(context, name) ? context[name]! : {}
    for (const [key, value] of Object.entries(set)) {
      if ((known.get(key)?.at ?? 0) >= at) continue
      known.set(key, { text: JSON.stringify(value), at })
      openContext(state).set(key, structuredClone(value))
    }
    for (const key of unset) {
      if ((known.get(key)?.at ?? 0) >= at) continue
      known.set(key, { text: undefined, at })
      state.context?.delete(key)
    }
    if (!Object.hasOwn(used, name)) continue
    if (!isCounted) state.model?.restoreUsage?.(used[name]!)
    noteUse(outside, state, used[name]!)
  }
  if (Object.hasOwn(used, OTHER_AGENTS)) noteUse(outside, null, used[OTHER_AGENTS]!)
  return Object.values(used)
}
