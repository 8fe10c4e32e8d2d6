import type { JournalEntry, JournalKind, XEvent } from '@x/interfaces'
import type { ListLine, ValueLine } from './list-writer.ts'

/**
 * A line of the record of a run, as JSON. A record is the log of a run: the same lines stand in SQLite, in JSON lines and in
 * a fixture.
 */
export type RecordLine =
  | ValueLine
  | ListLine
  /** The lines behind it are a piece of a process: the numbers of its values and lists are its own, and its pieces have numbers. */
  | readonly ['s', session: string, piece: number]
  /** The calls of the run begin, or go on from the journal of an earlier process. */
  | readonly ['b', beginning: CallsBeginning]
  /** The question of a call, in parts. */
  | readonly ['a', place: string, kind: JournalKind, name: string | null, input: Readonly<Record<string, unknown>>]
  /** An entry as a journal keeps it. */
  | readonly ['k', entry: JournalEntry]
  /** Events; without a `runId` they are of the run of the record. */
  | readonly ['e', events: readonly XEvent[]]
  /** The messages of the request of an attempt, by the id of its span. */
  | readonly ['q', spanId: string, messages: Reference]
  /** Why the record does not suffice to repeat the run. */
  | readonly ['f', reason: string]

/** How the calls of a run begin in a process. */
export interface CallsBeginning {
  readonly waits: boolean
  readonly resumed: boolean
}

/** A value or list that another line has. Every object in an input, and every message of an event, is one; so is its text, if it is long. */
export type Reference = { readonly v: number } | { readonly l: number }

/** Fields of events that hold messages or their texts. */
export const MESSAGE_FIELDS: readonly string[] = ['message', 'messages', 'reply']
