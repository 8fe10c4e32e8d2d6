import type { Database } from './database.ts'

/** Most writes in one transaction: a transaction blocks everything else in the process. */
const MAX_BATCH_WRITES = 100

/** A write that waits for the transaction of its batch. */
interface PendingWrite {
  /** Makes the write; returns a callback that reports success after the commit. */
  readonly run: () => () => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs all writes of one turn of the event loop in one transaction, because the commit, in which SQLite writes pages, is
 * most of the cost of a write. A write that fails is rolled back alone.
 */
export class WriteBatcher {
  readonly #db: Database
  readonly #pending: PendingWrite[] = []

  constructor(db: Database) {
    this.#db = db
  }

  /** Resolves when the write is committed; rejects when it was not. */
  async add<T>(write: () => T): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const run = (): (() => void) => {
        const value = write()
        return () => resolve(value)
      }
      this.#pending.push({ run, reject })
      if (this.#pending.length === 1) this.#schedule()
    })
  }

  /** Runs all pending writes now. */
  flush(): void {
    this.#commit(this.#pending.splice(0))
  }

  #schedule(): void {
    setImmediate(() => {
      this.#commit(this.#pending.splice(0, MAX_BATCH_WRITES))
      if (this.#pending.length > 0) this.#schedule()
    })
  }

  #commit(writes: readonly PendingWrite[]): void {
    if (writes.length === 0) return
    try {
      const reports = this.#db.transaction(() => writes.map((write) => this.#run(write, writes.length === 1)))
      for (const report of reports) report()
    } catch (error) {
      for (const { reject } of writes) reject(error)
    }
  }

  /** Runs a write inside the transaction; returns a callback that reports its outcome. */
  #run({ run, reject }: PendingWrite, isAlone: boolean): () => void {
    if (isAlone) return run()
    const outcome = this.#db.savepoint(run)
    return 'error' in outcome ? () => reject(outcome.error) : outcome.value
  }
}
