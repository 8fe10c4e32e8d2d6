import type { RecordChange, RecordStore } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readStoredRecord } from '@x/kernel/hosting'
import { writeJson } from './stored-json.ts'

/** A record as a server has it; version `0` and no text where there is none. */
export interface VersionedRecord {
  readonly version: string
  readonly text: string | null
  /** The time of the server, in milliseconds since 1970. */
  readonly now: number
}

/** Where records are, each with a version that no other value of it has had. */
export interface VersionedRecords {
  read(key: string): Promise<VersionedRecord>
  /** Replaces a record of a version, or forgets it (null). Gives what is there instead where the version is another; null when it was replaced. */
  replace(key: string, version: string, text: string | null, durable: boolean): Promise<VersionedRecord | null>
}

/** How often a change is tried: one of those that try at once always succeeds. */
const TRIES = 1000

/**
 * Changes records of a server by comparing their versions: nobody holds a lock, so that a worker that is stopped in the
 * middle keeps nobody waiting.
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
    let found = await this.#records.read(key)
    for (let tries = 0; tries < TRIES; tries++) {
      const before = readStoredRecord(key, found.text)
      const { value, answer } = change(before, found.now)
      if (value === before) return answer
      const text = value === undefined ? null : writeJson(value)
      const other = await this.#records.replace(key, found.version, text, durable)
      if (!other) return answer
      found = other
    }
    throw new XError('invalid-state', `the record \`${key}\` was changed by others ${TRIES} times in a row`)
  }
}
