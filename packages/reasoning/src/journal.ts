import { XError } from '@x/kernel'
import type { JobRecord } from './job.ts'

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
  set(job: string, record: JobRecord): void
}

/** A journal in memory that can be saved as JSON at any moment. */
export class MemoryJournal implements Journal {
  readonly question: string
  readonly #records: Map<string, JobRecord>

  constructor({ question, saved }: { question: string; saved?: unknown }) {
    this.question = question
    this.#records = new Map(saved === undefined ? [] : Object.entries(checked(saved, question).records))
  }

  get size(): number {
    return this.#records.size
  }

  get(job: string): JobRecord | undefined {
    return this.#records.get(job)
  }

  set(job: string, record: JobRecord): void {
    this.#records.set(job, record)
  }

  toJSON(): JournalData {
    return { version: VERSION, question: this.question, records: Object.fromEntries(this.#records) }
  }
}

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
