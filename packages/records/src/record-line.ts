import type { JournalEntry, JournalKind } from '@x/interfaces'
import type { WrittenEvent } from './event-lines.ts'
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
  /** The entry of a model's answer that has nothing beside it; `total` is there if it is not the usage. */
  | readonly ['m', place: string, reply: unknown, actual: unknown, total?: unknown]
  /** Events; without a `runId` they are of the run of the record. */
  | readonly ['e', events: readonly WrittenEvent[]]
  /** The messages of the request of an attempt, by the id of its span; absent if they are those of its call. */
  | readonly ['q', spanId: string, messages: Reference]
  /** Why the record does not suffice to repeat the run. */
  | readonly ['f', reason: string]

/** A line in which other lines have the long texts: each text that begins with the mark stands for the text of the number behind it. */
export type MarkedLine = readonly ['t', line: RecordLine]

/** How the calls of a run begin in a process. */
export interface CallsBeginning {
  readonly waits: boolean
  readonly resumed: boolean
}

/** A value or list that another line has. Every object in an input, and every message of an event, is one; so is its text, if it is long. */
export type Reference = { readonly v: number } | { readonly l: number }

/** Fields of events that hold messages or their texts. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['message', 'messages', 'reply'])

/** Returns the place of the call that an attempt is made for, from the id of its span. */
export const callPlaceOf = (spanId: string): string => spanId.slice(0, spanId.lastIndexOf('.span'))
