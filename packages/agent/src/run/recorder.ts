import type {
  CallInput,
  ChatMessage,
  ExternalCall,
  JournalEntry,
  JsonSchema,
  MaybePromise,
  OpenCall,
  PendingApproval,
  Run,
  RunCalls,
  UsageSummary,
} from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import { type EventCounter, failRun, onStop } from '@x/kernel/run'
import type { Conversation, State } from '../memory/state.ts'
import { addSummaries } from '../memory/usage.ts'
import { contextTexts, notJson } from '../data/plain-json.ts'
import { newRunId } from './platform.ts'

/** A call of something outside, as it is opened and stored in a journal. */
export interface RecordedCall extends ExternalCall {
  /** Description for people; never compared. */
  readonly label: string
  /** Shape that an answer from a journal must have. */
  readonly shape?: JsonSchema | undefined
}

/** Keeps the answers of a run, and recalls those of an earlier one. Its errors end the run. */
export interface Recorder {
  /** Globally unique identifier of the run. */
  readonly runId: string
  /** False for a run without a journal, that keeps what it may need later. */
  readonly recalls: boolean
  /** True if it may have answers of an earlier run. */
  readonly goesOn: boolean
  /** True if questions wait for their answers in a journal; false if a person is asked at once. */
  readonly waits: boolean
  /** True if an earlier run kept anything inside `place` at index `next` or after it. */
  isPast(place: string, next: number): boolean
  /** Notes that a chat or other operation has ended, and its events were sent. */
  end(place: string): void
  /** True if an earlier run noted that the operation at a place has ended; undefined if its journal does not tell. */
  hasEnded(place: string): boolean | undefined
  /** Returns the stored answer of a call, and applies the changes stored with it; undefined if there is no answer. */
  recall(place: string, call: RecordedCall, outside: Participants): RecalledAnswer | undefined
  /** Asks the journal before a call is made that has no answer there; a failure ends `run`. Absent: every call is made. */
  readonly beforeCall?: ((run: Run, place: string, call: RecordedCall) => MaybePromise<void>) | undefined
  /** Tells what a call asks; absent if nobody takes it. */
  noteInput?(place: string, call: RecordedCall, input: CallInput): void
  /** Tells what stands for the answer of a call that is not made, since the earlier run did not make it; absent if nobody takes it. */
  noteLeftOut?(place: string, call: RecordedCall, value: unknown): void
  /** Keeps the answer of a call, with the changes beside it if they are known; a failure ends `run`. */
  keep(run: Run, answer: AnswerToKeep, changes?: Changes): MaybePromise<void>
  /** Notes that the answers do not suffice to repeat the run; absent if nobody takes it. */
  fail?(reason: string): void
}

/** The answer of a call from a journal. */
export interface RecalledAnswer {
  readonly value: unknown
  /** False if the process that kept it may have ended before its listener took the event that tells it. */
  readonly isTold: boolean
  /** True if the models have counted their usage in this process. */
  readonly isCounted?: boolean | undefined
  /** Usage of the models inside the call, if the journal keeps it beside the answer. */
  readonly used?: readonly ModelUse[] | undefined
}

/** The answer of a call, with its place and the participants whose changes are stored beside it. */
export interface AnswerToKeep {
  readonly place: string
  readonly call: RecordedCall
  readonly value: unknown
  /** False if the listener still has to take the event that tells the answer; default true. */
  readonly isTold?: boolean | undefined
  readonly around?: { readonly outside: Participants; readonly inside: Participants | null } | undefined
}

/** The usage of a model: `actual` without cache hits, `total` with them. */
export interface ModelUse {
  readonly actual: UsageSummary | null
  readonly total: UsageSummary | null
}

/** An agent that takes part in a journaled run. */
export interface Participant {
  readonly state: State
  /** The agent's context variables in the journal: the JSON text of each, and the number of the change that set it. */
  readonly context: Map<string, { readonly text: string | undefined; readonly at: number }>
}

/**
 * The agents that take part in a journaled run, or inside one call of it. A recalled call is not made again, nor anything
 * inside it: the journal keeps its effects on the agents outside together with the answer.
 */
export interface Participants {
  readonly outer: Participants | null
  /** True for an operation of the program, which is run again with all that is around it. */
  readonly isOperation: boolean
  readonly byName: Map<string, Participant>
  /** Usage of the agents' models inside; under null that of agents inside a recalled call, which is not made again. */
  readonly used: Map<State | null, ModelUse>
  /** Number of changes of context variables in the run. */
  readonly changes: { count: number }
  /** Set once something inside waits for an approval: the call around it has no answer. */
  suspended: XError | null
  /** The agents of the checkpoints of the run; for the outermost participants of a run with a function of its own. */
  agents?: { enter(state: State): void }
  /** The ends of the last chats of the run in conversations of agents. */
  ends?: Map<Conversation, ConversationEnd>
  /** All that waits inside, in the order in which it was asked. */
  pending?: PendingApproval[]
  /** Tells for the outermost participants whether the run waits an error out and goes on from its journal. */
  waitsOut?: (error: unknown) => boolean
  /** Leaves the outermost participants' run at a place: see `CallPart.leave`. */
  leaves?: ((place: string, seconds: number) => Promise<never> | undefined) | undefined
  /** Holds an operation of the outermost participants' run that waits for a decision: see `suspends` of `runRecorded`. */
  suspends?: (() => Promise<void>) | undefined
}

/** The end of the last chat of a run in a conversation. */
export interface ConversationEnd {
  /** Place of the chat. */
  readonly place: string
  /** All messages of the conversation. */
  readonly messages: readonly ChatMessage[]
}

/** Makes participants inside others. The outermost continue the count of `changes` of an earlier run. */
export const participantsIn = (outer: Participants | null, changes = 0, isOperation = false): Participants => ({
  outer,
  isOperation,
  byName: new Map(),
  used: new Map(),
  changes: outer?.changes ?? { count: changes },
  suspended: null,
})

/** Yields participants and all those around them, innermost first. */
export function* withOuter(participants: Participants): Generator<Participants> {
  for (let level: Participants | null = participants; level; level = level.outer) yield level
}

/**
 * Adds an agent to the participants. Returns true if it is new, false if it takes part already, and undefined if another
 * agent has its name: the two could not be told apart.
 */
export function addParticipant(participants: Participants, state: State): boolean | undefined {
  for (const { byName } of withOuter(participants)) if (byName.get(state.name)?.state === state) return false
  if (participants.byName.has(state.name)) return undefined
  const context = new Map<string, { text: string | undefined; at: number }>()
  for (const [key, text] of contextTexts(state.context)) context.set(key, { text, at: 0 })
  participants.byName.set(state.name, { state, context })
  return true
}

/** Notes that something inside waits for an approval: every call around it fails, even if its code catches the error. */
export function suspendCalls(participants: Participants, error: XError, pending: PendingApproval): void {
  for (const level of withOuter(participants)) {
    level.suspended ??= error
    level.pending ??= []
    level.pending.push(pending)
  }
}

/** True if the run waits an error out: nothing inside it then takes the error as an answer. */
export function isWaitedOut(participants: Participants, error: unknown): boolean {
  for (const { waitsOut } of withOuter(participants)) if (waitsOut?.(error)) return true
  return false
}

/** Name in the usage of a journal's entry of all agents that do not take part outside of it. No agent has it. */
export const OTHER_AGENTS = ''

/**
 * Adds the usage of a call of an agent's model; null stands for the agents inside a recalled call. The outermost participants
 * are inside no call, and need none.
 */
export function noteUse(participants: Participants, state: State | null, used: ModelUse): void {
  for (let level = participants; level.outer; level = level.outer)
    level.used.set(state, addUse(level.used.get(state), used))
}

/** Yields the participants by name, with one `^` before the name for each level further out. */
export function* namedParticipants(participants: Participants): Generator<[string, Participant]> {
  let prefix = ''
  for (const { byName } of withOuter(participants)) {
    for (const [name, participant] of byName) yield [prefix + name, participant]
    prefix += '^'
  }
}

const addUse = (a: ModelUse | undefined, b: ModelUse): ModelUse => ({
  actual: sum(a?.actual ?? null, b.actual),
  total: sum(a?.total ?? null, b.total),
})

const sum = (a: UsageSummary | null, b: UsageSummary | null): UsageSummary | null =>
  a && b ? addSummaries([a, b]) : (a ?? b)

/** The journal of a scope: its recorder, and the agents that take part. */
export interface ScopeJournal {
  readonly recorder: Recorder
  readonly participants: Participants
}

/**
 * Returns the journal for the inside of a call, or of an operation of the program, with participants of its own: agents inside
 * may have names of agents outside.
 */
export const journalInside = ({ recorder, participants }: ScopeJournal, isOperation = false): ScopeJournal => ({
  recorder,
  participants: participantsIn(participants, 0, isOperation),
})

/** Returns the participants inside a call of which the journal keeps nothing but the answer: there are none. */
export const nobodyInside = (outer: Participants): Participants => ({
  outer,
  isOperation: false,
  byName: NO_NAMES,
  used: NO_USAGE,
  changes: outer.changes,
  suspended: null,
})

const NO_NAMES: Participants['byName'] = new Map()
const NO_USAGE: Participants['used'] = new Map()

/** Recalls the answer of a call from a journal. A journal that fails or has another call at the place ends the run. */
export function recallAnswer(
  { recorder, participants }: ScopeJournal,
  run: Run,
  place: string,
  call: RecordedCall,
): RecalledAnswer | undefined {
  if (!recorder.recalls) return undefined
  try {
    return recorder.recall(place, call, participants)
  } catch (error) {
    return failRun(run, error)
  }
}

type CallPart = ReturnType<OpenCall['part']>

/** Returns a named part of a call at a place, which a journal keeps beside the answer of the call. */
export function partOf(journal: ScopeJournal | null, run: Run, place: string, name: string): CallPart {
  const call = { kind: 'job', name, label: `the job ${name}` } as const
  if (!journal) return NO_PART
  const { recorder, participants } = journal
  return {
    known: recallAnswer(journal, run, place, call),
    beforeCall: () => recorder.beforeCall?.(run, place, call),
    noteInput: recorder.noteInput && ((input) => recorder.noteInput!(place, call, input)),
    keep: (value) => recorder.keep(run, { place, call, value }),
    leave: leaveOf(participants, place),
  }
}

const NO_PART: CallPart = { known: undefined, beforeCall: () => undefined, keep: () => undefined }

function leaveOf(participants: Participants, place: string): CallPart['leave'] {
  for (const { leaves } of withOuter(participants)) if (leaves) return (seconds) => leaves(place, seconds)
  return undefined
}

/** A change of the context variables of an agent. */
export type ContextChange = NonNullable<JournalEntry['context']>[string]

/** Changes of the participants beside an answer. */
export type Changes = Pick<JournalEntry, 'context' | 'at' | 'used'>

/** Returns the changes of the participants since the answer before. */
export const changesOf = ({ around }: AnswerToKeep): Changes =>
  around && mayHaveChanged(around.outside, around.inside) ? changedWith(around.outside, around.inside) : NO_CHANGES

const NO_CHANGES: Changes = Object.freeze({})

/** False if no agent has variables, and none inside has asked a model: most calls change nothing else. */
function mayHaveChanged(outside: Participants, inside: Participants | null): boolean {
  if (inside && inside.used.size > 0) return true
  for (let level: Participants | null = outside; level; level = level.outer) {
    for (const { state, context } of level.byName.values()) if (state.context || context.size > 0) return true
  }
  return false
}

/** Changes of the participants, which a journal keeps beside an answer. */
function changedWith(outside: Participants, inside: Participants | null): Changes {
  const context: Record<string, ContextChange> = {}
  const used: Record<string, ModelUse> = {}
  const at = outside.changes.count + 1
  const others = inside && inside.used.size > 0 ? new Map(inside.used) : undefined
  for (const [name, { state, context: known }] of namedParticipants(outside)) {
    const usage = others?.get(state)
    if (usage) used[name] = usage
    others?.delete(state)
    if (!state.context && known.size === 0) continue
    const change = changeOf(known, contextTexts(state.context), at)
    if (change) context[name] = change
  }
  if (others && others.size > 0) used[OTHER_AGENTS] = [...others.values()].reduce(addUse)
  const changed = Object.keys(context).length > 0
  if (changed) outside.changes.count = at
  return {
    ...(changed && { context, at }),
    ...(Object.keys(used).length > 0 && { used }),
  }
}

type KnownContext = Map<string, { readonly text: string | undefined; readonly at: number }>

/** The variables that differ from what the journal has; it has them afterwards. */
function changeOf(known: KnownContext, now: ReadonlyMap<string, string>, at: number): ContextChange | undefined {
  const set: Record<string, unknown> = {}
  const unset: string[] = []
  for (const [key, text] of now) {
    if (known.get(key)?.text === text) continue
    known.set(key, { text, at })
    set[key] = JSON.parse(text)
  }
  for (const [key, { text }] of known) {
    if (text === undefined || now.has(key)) continue
    known.set(key, { text: undefined, at })
    unset.push(key)
  }
  const isSet = Object.keys(set).length > 0
  if (!isSet && unset.length === 0) return undefined
  return { ...(isSet && { set }), ...(unset.length > 0 && { unset }) }
}

/**
 * Refuses to keep anything in a run that an error has ended. A `catch` in blocking steps or tools may still hold that error,
 * and would have it kept as an answer.
 */
export function refuseFailed(run: Run): void {
  let cause: unknown
  onStop(run, (reason) => (cause = reason))()
  if (cause !== undefined && !isXError(cause, 'aborted')) throw cause
}

/**
 * Keeps the answers of a new run as they are: a journal is made of them if the run has to wait for a decision
 * (`journalOfDeferred`). Most runs never wait, so that nothing is written for them.
 */
export class DeferredRecorder implements Recorder {
  readonly recalls = false
  readonly goesOn = false
  readonly waits = true
  readonly version: string | undefined
  /** Answers with the changes beside them, and places that have ended, in the order in which they came. */
  readonly kept: (string | { readonly answer: AnswerToKeep; readonly changes: Changes })[] = []
  readonly #counter: EventCounter
  #runId: string | undefined

  constructor(counter: EventCounter, version?: string) {
    this.#counter = counter
    this.version = version
  }

  get runId(): string {
    return (this.#runId ??= claimRunId(this.#counter))
  }

  isPast(): boolean {
    return false
  }

  end(place: string): void {
    this.kept.push(place)
  }

  hasEnded(): undefined {
    return undefined
  }

  recall(): undefined {
    return undefined
  }

  keep(run: Run, answer: AnswerToKeep, changes?: Changes): void {
    refuseFailed(run)
    this.kept.push({ answer, changes: changes ?? changesOf(answer) })
  }
}

/**
 * Tells the trace of a run what its calls ask and what they are answered, as a journal would keep it. The journal of the run
 * does its own work beside that; without one nothing is recalled, and no question waits.
 */
export class TracedRecorder implements Recorder {
  readonly runId: string
  readonly recalls: boolean
  readonly goesOn: boolean
  readonly waits: boolean
  readonly beforeCall: Recorder['beforeCall']
  readonly #calls: RunCalls
  readonly #journal: Recorder | null
  /** Places that have ended since the last entry. */
  #ended: string[] = []

  constructor(calls: RunCalls, journal: Recorder | null, runId: string) {
    this.runId = runId
    this.recalls = journal?.recalls ?? false
    this.goesOn = journal?.goesOn ?? false
    this.waits = journal?.waits ?? false
    this.beforeCall = journal?.beforeCall && ((...call) => journal.beforeCall!(...call))
    this.#calls = calls
    this.#journal = journal
  }

  isPast(place: string, next: number): boolean {
    return this.#journal?.isPast(place, next) ?? false
  }

  end(place: string): void {
    this.#ended.push(place)
    this.#journal?.end(place)
  }

  hasEnded(place: string): boolean | undefined {
    return this.#journal?.hasEnded(place)
  }

  recall(place: string, call: RecordedCall, outside: Participants): RecalledAnswer | undefined {
    const known = this.#journal?.recall(place, call, outside)
    // It was written into the journal from outside of the run.
    if (known && call.kind === 'decision') this.#tell({ place, call, value: known.value }, {})
    return known
  }

  noteInput(place: string, { kind, name }: RecordedCall, input: CallInput): void {
    this.#calls.takeInput(name === undefined ? { place, kind } : { place, kind, name }, input)
  }

  noteLeftOut(place: string, call: RecordedCall, value: unknown): void {
    this.#tell({ place, call, value }, NO_CHANGES)
  }

  keep(run: Run, answer: AnswerToKeep, known?: Changes): MaybePromise<void> {
    refuseFailed(run)
    const changes = known ?? this.#changesOf(answer)
    if (changes) this.#tell(answer, changes)
    return this.#journal?.keep(run, answer, changes)
  }

  fail(reason: string): void {
    this.#calls.fail(reason)
  }

  /** Returns the changes beside an answer; undefined if they cannot be kept, which is for a journal to refuse. */
  #changesOf(answer: AnswerToKeep): Changes | undefined {
    try {
      return changesOf(answer)
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  #tell({ place, call: { kind, name, label }, value, isTold = true }: AnswerToKeep, changes: Changes): void {
    const problem = notJson(value)
    if (problem !== undefined) this.fail(`what ${label} gave cannot be kept: ${problem}`)
    const entry: Mutable<JournalEntry> = { place, kind, value: value ?? null }
    if (name !== undefined) entry.name = name
    if (!isTold) entry.untold = true
    if (changes !== NO_CHANGES) Object.assign(entry, changes)
    if (this.#ended.length > 0) {
      entry.ended = this.#ended
      this.#ended = []
    }
    this.#calls.takeEntry(entry)
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Counters whose identifier belongs to a run with a journal. */
const CLAIMED_COUNTERS = new WeakSet<EventCounter>()

/** Notes that the identifier of a counter belongs to the run of a journal. */
export const noteClaim = (counter: EventCounter): void => void CLAIMED_COUNTERS.add(counter)

/** Returns the identifier of a counter to the first run that keeps answers by it, and to others new ones: their places are the same. */
function claimRunId(counter: EventCounter): string {
  if (CLAIMED_COUNTERS.has(counter)) return newRunId()
  noteClaim(counter)
  return counter.runId
}
