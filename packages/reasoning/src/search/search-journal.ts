import type { MaybePromise } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { JobRecord } from '../strategy/job.ts'

const VERSION = 1

/** A journal as it is saved. */
export interface JournalData {
  version: number
  question: string
  records: Record<string, JobRecord>
}

/**
 * What came of every finished job, by its id. A search that is given the journal of an earlier run takes these results
 * instead of asking again, and goes on where the other stopped.
 */
export interface Journal {
  get(job: string): JobRecord | undefined
  /** Keeps a record; the search goes on when it is kept. */
  set(job: string, record: JobRecord): MaybePromise<void>
}

/** What makes a journal in memory. */
export interface MemoryJournalOptions {
  question: string
  /** What an earlier run saved: the JSON of a journal as a value, or the lines that `append` was given. */
  saved?: unknown
  /** Takes a line for every record as it comes, so that a run that is killed loses nothing; a file is appended to. */
  append?: ((line: string) => void) | undefined
}

/** A journal in memory that can be saved whole as JSON, or line by line while it is written. */
export class MemoryJournal implements Journal {
  readonly question: string
  readonly #records: Map<string, JobRecord>
  readonly #append: ((line: string) => void) | undefined

  constructor({ question, saved, append }: MemoryJournalOptions) {
    this.question = question
    this.#append = append
    const data = typeof saved === 'string' ? fromLines(saved) : saved
    this.#records = new Map(data === undefined ? [] : Object.entries(checked(data, question).records))
    // What follows a torn line must not become a part of it.
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

  toJSON(): JournalData {
    return { version: VERSION, question: this.question, records: Object.fromEntries(this.#records) }
  }
}

/** Reads what was appended; a last line that was torn when the run was killed is left out. */
function fromLines(text: string): Partial<JournalData> | undefined {
  const lines = text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
  const [head, ...rows] = lines
  if (head === undefined) return undefined
  return { ...(head as JournalData), records: Object.fromEntries(rows.filter(isRow)) }
}

const isRow = (row: unknown): row is [string, JobRecord] =>
  Array.isArray(row) && typeof row[0] === 'string' && typeof row[1] === 'object' && row[1] !== null

function checked(saved: unknown, question: string): JournalData {
  const data = saved as Partial<JournalData> | null
  if (data?.version !== VERSION) {
    throw new XError(
      'unknown-state-version',
      `a journal of version \`${String(data?.version)}\` was read, this is version ${VERSION}: search again without it`,
    )
  }
  if (data.question === question && typeof data.records === 'object') return data as JournalData
  throw new XError('invalid-argument', 'a journal was read that belongs to another question: give it the same question')
}
