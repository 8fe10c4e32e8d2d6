import type { RecordChange, RecordStore } from '@x/interfaces'

/** Keeps records in this process; changes are made at once. */
export class MemoryRecords implements RecordStore {
  readonly #now: () => number
  readonly #values = new Map<string, unknown>()

  /** `now` gives the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  change<T>(key: string, change: RecordChange<T>): T {
    const { value, answer } = change(this.#values.get(key), this.#now())
    if (value === undefined) this.#values.delete(key)
    else this.#values.set(key, value)
    return answer
  }
}
