import type { RecordChange, RecordStore } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredRecord } from '@x/kernel/hosting'
import { writeJson } from './stored-text.ts'

/** A record as the server stores it; one that does not exist has version `0` and no text. */
export interface VersionedRecord {
  readonly version: string
  readonly text: string | null
  /** The time of the server, in milliseconds since 1970. */
  readonly now: number
}

/** Records with versions; no two values of a record have the same version. */
export interface VersionedRecords {
  read(key: string): Promise<VersionedRecord>
  /** Replaces a record, or deletes it (null), if it has a version. Returns null on success, else the record with its present version. */
  replace(key: string, version: string, text: string | null, durable: boolean): Promise<VersionedRecord | null>
}

/** Attempts per change. They suffice, since of all concurrent attempts one succeeds. */
const MAX_CHANGE_ATTEMPTS = 1000

/**
 * Changes records of a server by optimistic concurrency: there is no lock, so a worker that stops in the middle blocks
 * nobody.
 */
export class SharedRecords implements RecordStore {
  readonly #records: VersionedRecords

  constructor(records: VersionedRecords) {
    this.#records = records
  }

  async change<T>(
    key: string,
    change: RecordChange<T>,
    { durable = true }: { readonly durable?: boolean | undefined } = {},
  ): Promise<T> {
    let record = await this.#records.read(key)
    for (let attempt = 0; attempt < MAX_CHANGE_ATTEMPTS; attempt++) {
      const before = readStoredRecord(key, record.text)
      const { value, answer } = change(before, record.now)
      if (value === before) return answer
      const text = value === undefined ? null : writeJson(value)
      const conflict = await this.#records.replace(key, record.version, text, durable)
      if (!conflict) return answer
      record = conflict
    }
    throw new XError(
      'invalid-state',
      `cannot change the record \`${key}\`: others changed it ${MAX_CHANGE_ATTEMPTS} times in a row; try again`,
    )
  }
}
