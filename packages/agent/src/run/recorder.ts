import type { ExternalCall, JsonSchema, MaybePromise, Run } from '@x/interfaces'
import type { Participants } from './participants.ts'

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
