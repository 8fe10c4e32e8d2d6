import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { JobRecord } from '../strategy/job.ts'

const VERSION = 1

/** A saved journal as plain JSON. */
export interface SearchJournalData {
  version: number
  question: string
  records: Record<string, JobRecord>
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

/** A journal in memory; it can be saved as a whole (`JSON.stringify`) or line by line (`append`). */
export class MemorySearchJournal implements SearchJournal {
  readonly question: string
  readonly #records: Map<string, JobRecord>
  readonly #append: ((line: string) => void) | undefined

  constructor(options: MemorySearchJournalOptions) {
    checkOptions(options ?? null, KINDS, 'make a `MemorySearchJournal`')
    const { question, saved, append } = options
    this.question = question
    this.#append = append
    const data = typeof saved === 'string' ? parseLines(saved) : saved
    this.#records = new Map(data === undefined ? [] : Object.entries(checkSaved(data, question).records))
    // Without a line break the next record would become a part of an incomplete last line.
    if (typeof saved === 'string' && saved !== '' && !saved.endsWith('\n')) append?.('\n')
    if (data === undefined) append?.(`${JSON.stringify({ version: VERSION, question })}\n`)
  }

  get size(): number {
    return this.#records.size
  }

  get(job: string): JobRecord | undefined {
    return this.#records.get(job)
  }

  set(job: string, record: JobRecord): void {
    this.#records.set(job, record)
    this.#append?.(`${JSON.stringify([job, record])}\n`)
  }

  toJSON(): SearchJournalData {
    return { version: VERSION, question: this.question, records: Object.fromEntries(this.#records) }
  }
}

/** Reads appended lines; an incomplete last line, left by a killed run, is skipped. */
function parseLines(text: string): Partial<SearchJournalData> | undefined {
  const lines = text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
  const [head, ...rows] = lines
  if (head === undefined) return undefined
  return { ...(head as SearchJournalData), records: Object.fromEntries(rows.filter(isRow)) }
}

const isRow = (row: unknown): row is [string, JobRecord] =>
  Array.isArray(row) && typeof row[0] === 'string' && typeof row[1] === 'object' && row[1] !== null

function checkSaved(saved: unknown, question: string): SearchJournalData {
  const data = saved as Partial<SearchJournalData> | null
  if (data?.version !== VERSION) {
    throw new XError(
      'unknown-state-version',
      `the saved journal of a search has version \`${String(data?.version)}\`, and this program reads version ${VERSION}: search again without the journal`,
    )
  }
  if (data.question === question && typeof data.records === 'object') return data as SearchJournalData
  throw new XError(
    'invalid-argument',
    'the saved journal of a search belongs to another question: search with that question, or without the journal',
  )
}
