import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { isTime, joinSummaries, type ModelSpending, type RunSummary, type SummaryPart } from './run-summary.ts'

/** A part of a record, which a process writes at once. */
export interface Piece {
  readonly runId: string
  /** The process, or the run of it: the numbers of values and lists are its own. */
  readonly session: string
  /** Number of the piece in its session: a piece that is written twice counts once. */
  readonly number: number
  /** Lines of the record, each as JSON, with line breaks between them. */
  readonly text: string
  /** The summary of these lines alone; null for nothing. */
  readonly summary: SummaryPart | null
  readonly tags: Readonly<Record<string, string>>
  /** The run that this one was forked from, and the place; null for a run of its own. */
  readonly parent: { readonly runId: string; readonly place: string | null } | null
}

/** A run as a list of records shows it. */
export interface KeptRunInfo extends RunSummary {
  readonly runId: string
  readonly tags: Readonly<Record<string, string>>
  readonly parent: Piece['parent']
  /** Labels and scores that were given to the run or to places in it. */
  readonly labels: readonly RunLabel[]
  /** Size of its lines in bytes. */
  readonly bytes: number
  /** True if it has no end, and the process that wrote it has ended: it was killed, or could not write the rest. */
  readonly cutOff: boolean
}

/** A label of a run or of a step in it. A later label of the same name and place replaces an earlier one. */
export interface RunLabel {
  readonly name: string
  /** Anything that JSON has: a score, a verdict, a note. */
  readonly value: unknown
  /** Id of the span or place of the call; null for the whole run. */
  readonly place: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Chooses runs of records; the newest come first. */
export interface RunQuery {
  /** Runs whose id begins with this text. */
  readonly runId?: string | undefined
  /** Runs with all of these tags. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Runs in which an agent of this name takes part. */
  readonly agent?: string | undefined
  readonly outcome?: RunSummary['outcome'] | undefined
  /** Runs whose last event was at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Runs whose last event was before this time. */
  readonly before?: number | undefined
  /** Most runs; default 100. */
  readonly limit?: number | undefined
}

const TIME = { expected: 'milliseconds since 1970', takes: (value: unknown): boolean => typeof value === 'number' }
const QUERY_KINDS: OptionKinds<RunQuery> = {
  runId: kind.text,
  tags: kind.object,
  agent: kind.text,
  since: TIME,
  before: TIME,
  limit: kind.limit(0),
  outcome: kind.orNull(kind.oneOf('ok', 'error', 'aborted', 'suspended')),
}

/** Refuses a query that would list other runs than it says. */
export const checkQuery = (query: RunQuery): void =>
  checkOptions((query as object | undefined) ?? null, QUERY_KINDS, 'list runs')

/** Lines of a run, in the order in which they were written. */
export interface KeptLines {
  readonly info: KeptRunInfo
  readonly lines: Iterable<string>
  /** Where they end: later lines come behind it. */
  readonly end: number
}

/** Bounds of a file of records: the time of the last event of a run, and the size of all runs. */
export interface RecordBounds {
  readonly before: number
  readonly maxBytes: number
}

/** Where the pieces of runs are read. */
export interface RecordReader {
  /** Returns the lines of a run behind a place, or all of them; undefined for an unknown run. */
  read(runId: string, after?: number): MaybePromise<KeptLines | undefined>
  list(query: RunQuery): MaybePromise<readonly KeptRunInfo[]>
  close(): void
}

/** Where the pieces of runs are kept. */
export interface RecordStorage extends RecordReader {
  /** Writes pieces in one change: all or none. `waits`: for another process that writes; otherwise that is an error at once. */
  write(pieces: readonly Piece[], waits: boolean): void
  label(runId: string, label: RunLabel): MaybePromise<void>
  /** Removes a run; returns whether it was there. */
  remove(runId: string): MaybePromise<boolean>
  /** Removes the oldest runs until the bounds hold. */
  retain(bounds: RecordBounds): void
}

/**
 * The versions of records, in files of SQLite and of JSON lines and in fixtures: the last is written, all are read. Since 2 a long
 * text stands once, and marks in other lines stand for it.
 */
export const RECORD_VERSIONS: readonly unknown[] = [1, 2]
/** The version that this release writes. */
export const RECORD_VERSION = 2

/** Refuses records of a version that this release does not read. `what` names them, as in ``the fixture `a.run` has``. */
export function checkRecordVersion(version: unknown, what: string): void {
  if (RECORD_VERSIONS.includes(version)) return
  const remedy = Number(version) < RECORD_VERSION ? 'read them with an earlier release' : 'update `@x/records`'
  throw new XError(
    'unknown-state-version',
    `${what} version ${String(version)}, and this release reads the versions ${RECORD_VERSIONS.join(' and ')}: ${remedy}`,
    { details: { version, known: RECORD_VERSIONS } },
  )
}

/** Runs of a list without a `limit`. */
export const DEFAULT_LIMIT = 100

/** True if a run fits a query, whose bounds of time and number are for the storage. */
export const isWanted = (info: KeptRunInfo, { runId = '', tags = {}, agent, outcome }: RunQuery): boolean =>
  info.runId.startsWith(runId) &&
  (outcome === undefined || info.outcome === outcome) &&
  (agent === undefined || info.agents.includes(agent)) &&
  Object.entries(tags).every(([name, value]) => info.tags[name] === value)

/** Adds the summary of a piece to that of its run; a run has one even if nothing was counted yet. */
export const joined = (before: RunSummary | null, later: SummaryPart | null): RunSummary =>
  later ? joinSummaries(before, later) : (before ?? EMPTY_SUMMARY)

const EMPTY_SUMMARY: RunSummary = {
  began: 0,
  last: 0,
  title: '',
  agents: [],
  outcome: null,
  error: null,
  messages: 0,
  tools: 0,
  events: 0,
  spent: [],
  problem: null,
}

/** Puts a label in place of an earlier one of the same name and place. */
export const withLabel = (labels: readonly RunLabel[], label: RunLabel): readonly RunLabel[] => [
  ...labels.filter(({ name, place }) => name !== label.name || place !== label.place),
  label,
]

/** Makes the error for a run that the records do not have. */
export const unknownRun = (runId: string): XError =>
  new XError(
    'invalid-argument',
    `there is no record of the run \`${runId}\`: \`x log ls\` lists those that there are`,
    {
      details: { runId },
    },
  )

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (isItem: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isItem)
const orNull = (isRight: (value: unknown) => boolean) => (value: unknown) => value === null || isRight(value)

/** The kinds of the fields of spending. An amount that was no number is null in a file. */
const SPENDING_FIELDS: Readonly<Record<Exclude<keyof ModelSpending, 'unpriced'>, (value: unknown) => boolean>> = {
  day: isText,
  agent: orNull(isText),
  model: isText,
  calls: orNull(isNumber),
  cost: orNull(isNumber),
  promptTokens: orNull(isNumber),
  completionTokens: orNull(isNumber),
}

/** The kinds of the fields of a summary. */
const SUMMARY_FIELDS: Readonly<Record<keyof RunSummary, (value: unknown) => boolean>> = {
  began: isTime,
  last: isTime,
  messages: isNumber,
  tools: isNumber,
  events: isNumber,
  title: isText,
  agents: listOf(isText),
  spent: listOf((value) => hasFields(value, SPENDING_FIELDS)),
  outcome: orNull(isText),
  error: orNull(isText),
  problem: orNull(isText),
}

const LABEL_FIELDS: Readonly<Record<Exclude<keyof RunLabel, 'value'>, (value: unknown) => boolean>> = {
  name: isText,
  place: orNull(isText),
  at: isTime,
}

const hasLabel = (value: unknown): boolean => hasFields(value, LABEL_FIELDS)
const isParent = (value: unknown): boolean => hasFields(value, { runId: isText, place: orNull(isText) })
const areTags = (value: unknown): boolean => isObject(value) && Object.values(value as object).every(isText)

/** The kinds of the fields of a run that a list shows. */
const INFO_FIELDS: Readonly<Record<keyof KeptRunInfo, (value: unknown) => boolean>> = {
  ...SUMMARY_FIELDS,
  runId: isText,
  tags: areTags,
  parent: orNull(isParent),
  labels: listOf(hasLabel),
  bytes: isNumber,
  cutOff: (value) => typeof value === 'boolean',
}

/** True if every field of a value is what it has to be. */
const hasFields = (value: unknown, fields: Readonly<Record<string, (value: unknown) => boolean>>): boolean =>
  isObject(value) &&
  Object.entries(fields).every(([name, isRight]) => isRight((value as Readonly<Record<string, unknown>>)[name]))

/** Returns the facts of a run as a file has them; damaged ones are refused with `invalid-state`. */
export function checkedInfo(info: object): KeptRunInfo {
  if (hasFields(info, INFO_FIELDS)) return info as KeptRunInfo
  throw damagedRecord(`the facts of the run \`${String((info as Partial<KeptRunInfo>).runId)}\``)
}

const PIECE_FIELDS = {
  runId: isText,
  session: isText,
  number: isNumber,
  tags: areTags,
  parent: orNull(isParent),
  writer: isObject,
  // A part that has no outermost span tells no outcome.
  summary: orNull((value) => hasFields({ outcome: null, ...(value as object) }, SUMMARY_FIELDS)),
}

/** True for what stands before the lines of a piece in a file of JSON lines. */
export const isPiece = (value: unknown): boolean => hasFields(value, PIECE_FIELDS)

/** True for a label as it stands in a file of JSON lines. */
export const isLabel = (value: unknown): boolean => hasFields(value, { runId: isText, label: hasLabel })

/** True for a piece before which its session has written others. */
export const isLater = ({ number }: Pick<Piece, 'number'>): boolean => number > 0

/** The line that begins a piece in the record of a run. */
export const pieceLine = ({ session, number }: Pick<Piece, 'session' | 'number'>): string =>
  JSON.stringify(['s', session, number])

/** Makes the error for a record that is damaged. */
export const damagedRecord = (what: string, cause?: unknown): XError =>
  new XError('invalid-state', `the record of a run is damaged: ${what} cannot be read`, { cause })
