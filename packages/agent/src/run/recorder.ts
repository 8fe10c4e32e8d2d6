import type { ExternalCall, JsonSchema, MaybePromise, Run, UsageSummary } from '@x/interfaces'
import type { XError } from '@x/kernel'
import { failRun } from '@x/kernel/run'
import type { State } from '../memory/state.ts'
import { addSummaries } from '../memory/usage.ts'
import { plainContext } from '../data/plain-json.ts'

/** A call outside, as it is asked and kept. */
export interface RecordedCall extends ExternalCall {
  /** Names what is asked, for people; never compared. */
  readonly label: string
  /** Shape that a kept answer has to have. */
  readonly shape?: JsonSchema | undefined
}

/** Keeps the answers of a run and recalls those of an earlier one; what it throws ends the run. */
export interface Recorder {
  /** Names the run in the whole world. */
  readonly runId: string
  /** Whether anything at or behind a place inside another was kept in an earlier run. */
  isPast(place: string, next: number): boolean
  /** The kept answer of a call, with what changed with it put in place again; undefined when there is none. */
  recall(place: string, call: RecordedCall, outside: Participants): { readonly value: unknown } | undefined
  /** Keeps the answer of a call; a failure ends `run`. */
  keep(run: Run, answer: AnswerToKeep): MaybePromise<void>
}

/** The answer of a call, where it stands, and around whom it was given: what changed with them is kept beside it. */
export interface AnswerToKeep {
  readonly place: string
  readonly call: RecordedCall
  readonly value: unknown
  readonly around?: { readonly outside: Participants; readonly inside: Participants | null } | undefined
}

/** The usage of calls of a model, with and without cache hits. */
export interface ModelUse {
  readonly actual: UsageSummary | null
  readonly total: UsageSummary | null
}

/** An agent that takes part in a journaled run. */
export interface Participant {
  readonly state: State
  /** Its context variables as the journal has them: each as JSON text, with the change it stands at. */
  readonly context: Map<string, { readonly text: string | undefined; readonly at: number }>
}

/**
 * The agents that take part in a journaled run, or inside one call of it. A call that has answered is not made again, and
 * with it nothing inside: what that did to the agents outside is kept with the answer.
 */
export interface Participants {
  readonly outer: Participants | null
  readonly byName: Map<string, Participant>
  /** What the models of agents have used inside. */
  readonly used: Map<State, ModelUse>
  /** Counts the changes of context variables in the run. */
  readonly changes: { count: number }
  /** Why a call cannot answer: something inside it waits for an approval. */
  suspended: XError | null
}

/** Participants inside others; the outermost ones go on counting where an earlier run of the chat ended. */
export const participantsIn = (outer: Participants | null, changes = 0): Participants => ({
  outer,
  byName: new Map(),
  used: new Map(),
  changes: outer?.changes ?? { count: changes },
  suspended: null,
})

/** Participants and those around them, innermost first. */
function* around(participants: Participants): Generator<Participants> {
  for (let each: Participants | null = participants; each; each = each.outer) yield each
}

/**
 * Lets an agent take part; gives whether it does so for the first time, or undefined when another agent of its name does:
 * the two could not be told apart.
 */
export function addParticipant(participants: Participants, state: State): boolean | undefined {
  for (const { byName } of around(participants)) if (byName.get(state.name)?.state === state) return false
  if (participants.byName.has(state.name)) return undefined
  const context = new Map<string, { text: string | undefined; at: number }>()
  for (const [key, value] of Object.entries(plainContext(state.context)))
    context.set(key, { text: JSON.stringify(value), at: 0 })
  participants.byName.set(state.name, { state, context })
  return true
}

/** Notes that something inside waits for an approval: no call around it has an answer, whatever its code makes of that. */
export function suspendCalls(participants: Participants, error: XError): void {
  for (const each of around(participants)) each.suspended ??= error
}

/** Notes what a call of an agent's model used. */
export function noteUse(participants: Participants, state: State, used: ModelUse): void {
  for (const each of around(participants)) each.used.set(state, together(each.used.get(state), used))
}

/** The participants by name; `^` before it for each call further out. */
export function* namedParticipants(participants: Participants): Generator<[string, Participant]> {
  let prefix = ''
  for (const { byName } of around(participants)) {
    for (const [name, participant] of byName) yield [prefix + name, participant]
    prefix += '^'
  }
}

const together = (a: ModelUse | undefined, b: ModelUse): ModelUse => ({
  actual: sum(a?.actual ?? null, b.actual),
  total: sum(a?.total ?? null, b.total),
})

const sum = (a: UsageSummary | null, b: UsageSummary | null): UsageSummary | null =>
  a && b ? addSummaries([a, b]) : (a ?? b)

/** The journal of a scope: where answers are kept and recalled, and the agents that take part. */
export interface ScopeJournal {
  readonly recorder: Recorder
  readonly participants: Participants
}

/** The journal for everything inside a call, where agents may have the names of others outside. */
export const journalInside = ({ recorder, participants }: ScopeJournal): ScopeJournal => ({
  recorder,
  participants: participantsIn(participants),
})

/** The answer that a journal has of a call; a journal that fails, or that has another call at the place, ends the run. */
export function recallAnswer(
  { recorder, participants }: ScopeJournal,
  run: Run,
  place: string,
  call: RecordedCall,
): { readonly value: unknown } | undefined {
  try {
    return recorder.recall(place, call, participants)
  } catch (error) {
    return failRun(run, error)
  }
}
