import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { JobRecord } from '../strategy/job.ts'

/** Version 3 stores answers without verdicts, and the fingerprints of the method and the part. */
const JOURNAL_VERSION = 3
const READABLE_VERSIONS: readonly unknown[] = [2, JOURNAL_VERSION]

/** The error for a journal of another version. */
function unknownVersion(version: unknown): XError {
  const advice =
    typeof version !== 'number'
      ? 'it is not the journal of a search: give another'
      : version > JOURNAL_VERSION
        ? 'a newer release wrote it: update `@x/reasoning`'
        : 'an older release wrote it: go on with a release that reads it'
  return new XError(
    'unknown-state-version',
    `the saved journal of a search has version ${JSON.stringify(version)}, and this program reads versions ${READABLE_VERSIONS.join(' and ')}; ${advice}, or search again without the journal`,
    { details: { version, known: READABLE_VERSIONS } },
  )
}

/** A saved journal as plain JSON. */
export interface SearchJournalData {
  version: number
  question: string
  records: Record<string, JobRecord>
  /** Checksum of the other fields: eight hexadecimal digits. */
  checksum: string
}

/**
 * Stores the record of every finished job by its id. A search with the journal of an earlier run uses these records instead
 * of asking again, and continues where the earlier run stopped.
 */
export interface SearchJournal {
  /** Returns the record of a job; `undefined` if the job has not finished. */
  get(job: string): JobRecord | undefined
  /** Stores a record; the search waits until it is stored. */
  set(job: string, record: JobRecord): MaybePromise<void>
}

/** Options of a `MemorySearchJournal`. */
export interface MemorySearchJournalOptions {
  question: string
  /** The saved state of an earlier run: the JSON of a journal as a value, or the lines that `append` received. */
  saved?: unknown
  /** Receives a line for every record at once, for example to append it to a file: a killed run loses no record. */
  append?: ((line: string) => void) | undefined
}

const JOURNAL_KINDS: OptionKinds<MemorySearchJournalOptions> = {
  question: kind.text,
  saved: kind.any,
  append: kind.call,
}

/**
 * A journal in memory; save it as a whole (`JSON.stringify`) or line by line (`append`). Loading throws `invalid-state` if
 * the saved journal was changed or has lost a record.
 */
export class MemorySearchJournal implements SearchJournal {
  readonly question: string
  readonly #records: Map<string, JobRecord>
  readonly #append: ((line: string) => void) | undefined
  /** Number of the next line. */
  #nextLine = 0

  constructor(options: MemorySearchJournalOptions) {
    checkOptions(options ?? null, JOURNAL_KINDS, 'make a `MemorySearchJournal`')
    const { question, saved, append } = options
    this.question = question
    this.#append = append
    const read = typeof saved === 'string' ? readLines(saved, question) : readSaved(saved, question)
    this.#records = new Map(read?.records)
    this.#nextLine = read?.lines ?? 0
    // Without a line break the next record would become part of an incomplete last line.
    if (typeof saved === 'string' && saved !== '' && !saved.endsWith('\n')) append?.('\n')
    if (read === undefined || typeof saved !== 'string') append?.(writeHead(question))
  }

  get size(): number {
    return this.#records.size
  }

  get(job: string): JobRecord | undefined {
    return this.#records.get(job)
  }

  set(job: string, record: JobRecord): void {
    const row = [this.#nextLine, job, record] as const
    this.#append?.(`${JSON.stringify([...row, recordChecksum(row)])}\n`)
    this.#nextLine += 1
    this.#records.set(job, record)
  }

  toJSON(): SearchJournalData {
    const data = { version: JOURNAL_VERSION, question: this.question, records: Object.fromEntries(this.#records) }
    return { ...data, checksum: recordChecksum(data) }
  }
}

interface ReadJournal {
  readonly records: Iterable<readonly [string, JobRecord]>
  /** Number of lines, of which the first has the question. */
  readonly lines: number
}

function readSaved(saved: unknown, question: string): ReadJournal | undefined {
  if (saved === undefined) return undefined
  checkHead(saved, question)
  const { checksum, ...data } = saved as SearchJournalData
  if (typeof data.records !== 'object' || data.records === null || checksum !== recordChecksum(data)) {
    throw damaged('it was changed after it was saved')
  }
  return { records: Object.entries(data.records), lines: 0 }
}

/** Reads appended lines; a line that a killed run left incomplete is skipped. */
function readLines(text: string, question: string): ReadJournal | undefined {
  const lines = text.split('\n').flatMap(parseLine)
  const [head, ...rows] = lines
  if (head === undefined) return undefined
  checkHead(head.value, question)
  checkHeadLine(head.value)
  const records = rows.map(({ value, line }, index): [string, JobRecord] => {
    if (!isRow(value) || value[3] !== recordChecksum(value.slice(0, 3))) {
      throw damaged(`line ${line} was changed after it was written`, line)
    }
    const [number, job, record] = value
    if (number === index) return [job, record]
    throw damaged(number < index ? `record ${number} comes twice` : `record ${index} is missing`, line)
  })
  return { records, lines: records.length }
}

/** Writes the first line of a journal. */
function writeHead(question: string): string {
  const head = { version: JOURNAL_VERSION, question }
  return `${JSON.stringify({ ...head, checksum: recordChecksum(head) })}\n`
}

/** Throws if the first line was changed; version 2 has no checksum there. */
function checkHeadLine(value: unknown): void {
  const { checksum, ...head } = value as Partial<SearchJournalData>
  if (checksum === undefined && head.version !== JOURNAL_VERSION) return
  if (checksum !== recordChecksum(head)) throw damaged('line 1 was changed after it was written', 1)
}

/** The end of a complete line. */
const COMPLETE_LINE_END = /"[0-9a-f]{8}"\]|"\}$/u

function parseLine(text: string, index: number): { readonly value: unknown; readonly line: number }[] {
  if (text === '') return []
  const line = index + 1
  try {
    return [{ value: JSON.parse(text) as unknown, line }]
  } catch {
    if (/^[[{]/u.test(text) && !COMPLETE_LINE_END.test(text)) return []
    throw damaged(`line ${line} cannot be read as JSON`, line)
  }
}

type Row = readonly [number: number, job: string, record: JobRecord, checksum: string]

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  typeof row[0] === 'number' &&
  typeof row[1] === 'string' &&
  typeof row[2] === 'object' &&
  row[2] !== null

const damaged = (problem: string, line?: number): XError =>
  new XError('invalid-state', `the saved journal of a search is damaged: ${problem}; search again without it`, {
    ...(line !== undefined && { details: { line } }),
  })

function checkHead(saved: unknown, question: string): void {
  const head = saved as Partial<SearchJournalData> | null
  if (!READABLE_VERSIONS.includes(head?.version)) throw unknownVersion(head?.version)
  if (head?.question === question) return
  throw new XError(
    'invalid-argument',
    'the saved journal of a search belongs to another question: search with that question, or without the journal',
  )
}

/**
 * Computes a checksum of a JSON value, whatever the order of its keys: 32 bits of FNV-1a as eight hexadecimal digits. It
 * detects accidents, not attacks, since anybody can compute it.
 */
function recordChecksum(value: unknown): string {
  const text = JSON.stringify(value, sortKeys)
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
