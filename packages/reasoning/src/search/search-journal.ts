import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { JobRecord } from '../strategy/job.ts'
import { recordChecksum } from './record-checksum.ts'

/** Version 3 stores answers without verdicts, and what made them. */
const VERSION = 3
const READ: readonly unknown[] = [2, VERSION]

/** A saved journal as plain JSON. */
export interface SearchJournalData {
  version: number
  question: string
  records: Record<string, JobRecord>
  /** Eight hexadecimal digits over everything else. */
  checksum: string
}

/**
 * Stores the result of every finished job by its id. A search with the journal of an earlier run uses these results
 * instead of asking again, and continues where the earlier run stopped.
 */
export interface SearchJournal {
  /** Returns the record of a job; `undefined` when the job has not finished. */
  get(job: string): JobRecord | undefined
  /** Stores a record; the search waits until it is stored. */
  set(job: string, record: JobRecord): MaybePromise<void>
}

/** Options of a `MemorySearchJournal`. */
export interface MemorySearchJournalOptions {
  question: string
  /** The saved state of an earlier run: the JSON of a journal as a value, or the lines that `append` received. */
  saved?: unknown
  /** Receives a line for every record at once, for example to append it to a file: a killed run loses nothing. */
  append?: ((line: string) => void) | undefined
}

const KINDS: OptionKinds<MemorySearchJournalOptions> = { question: kind.text, saved: kind.any, append: kind.call }

/**
 * A journal in memory; it can be saved as a whole (`JSON.stringify`) or line by line (`append`). What was changed since, or
 * has lost a record, is refused with `invalid-state`.
 */
export class MemorySearchJournal implements SearchJournal {
  readonly question: string
  readonly #records: Map<string, JobRecord>
  readonly #append: ((line: string) => void) | undefined
  /** Number of the next line. */
  #next = 0

  constructor(options: MemorySearchJournalOptions) {
    checkOptions(options ?? null, KINDS, 'make a `MemorySearchJournal`')
    const { question, saved, append } = options
    this.question = question
    this.#append = append
    const read = typeof saved === 'string' ? readLines(saved, question) : readSaved(saved, question)
    this.#records = new Map(read?.records)
    this.#next = read?.lines ?? 0
    // Without a line break the next record would become a part of an incomplete last line.
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
    const row = [this.#next, job, record] as const
    this.#append?.(`${JSON.stringify([...row, recordChecksum(row)])}\n`)
    this.#next += 1
    this.#records.set(job, record)
  }

  toJSON(): SearchJournalData {
    const data = { version: VERSION, question: this.question, records: Object.fromEntries(this.#records) }
    return { ...data, checksum: recordChecksum(data) }
  }
}

interface ReadJournal {
  readonly records: Iterable<readonly [string, JobRecord]>
  /** Number of its lines, the first of which says the question. */
  readonly lines: number
}

function readSaved(saved: unknown, question: string): ReadJournal | undefined {
  if (saved === undefined) return undefined
  checkHead(saved, question)
  const { checksum, ...data } = saved as SearchJournalData
  if (typeof data.records !== 'object' || data.records === null || checksum !== recordChecksum(data)) {
    throw damaged('it is not as it was saved')
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
      throw damaged(`line ${line} is not as it was written`, line)
    }
    const [number, job, record] = value
    if (number === index) return [job, record]
    throw damaged(number < index ? `record ${number} comes twice` : `record ${index} is missing`, line)
  })
  return { records, lines: records.length }
}

/** Writes the first line of a journal. */
function writeHead(question: string): string {
  const head = { version: VERSION, question }
  return `${JSON.stringify({ ...head, checksum: recordChecksum(head) })}\n`
}

/** Refuses a first line that was changed; version 2 has no checksum there. */
function checkHeadLine(value: unknown): void {
  const { checksum, ...head } = value as Partial<SearchJournalData>
  if (checksum === undefined && head.version !== VERSION) return
  if (checksum !== recordChecksum(head)) throw damaged('line 1 is not as it was written', 1)
}

/** Whether a line ends as a whole one does. */
const WHOLE = /"[0-9a-f]{8}"\]|"\}$/u

function parseLine(text: string, index: number): { readonly value: unknown; readonly line: number }[] {
  if (text === '') return []
  const line = index + 1
  try {
    return [{ value: JSON.parse(text) as unknown, line }]
  } catch {
    if (/^[[{]/u.test(text) && !WHOLE.test(text)) return []
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
  if (!READ.includes(head?.version)) {
    throw new XError(
      'unknown-state-version',
      `the saved journal of a search has version \`${String(head?.version)}\`, and this program reads versions ${READ.join(' and ')}: search again without the journal`,
    )
  }
  if (head?.question === question) return
  throw new XError(
    'invalid-argument',
    'the saved journal of a search belongs to another question: search with that question, or without the journal',
  )
}
