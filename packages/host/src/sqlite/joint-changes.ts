import type { Database } from './database.ts'

/** Most changes of a transaction, which holds up everything else in the process. */
const MOST = 100

/** A change that waits for the others of its round. */
interface WaitingChange {
  /** Makes the change; gives what tells of it once it is kept. */
  readonly make: () => () => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes the changes of one round of the event loop in one transaction: most of what a change costs is its end, in which
 * SQLite writes pages. A change that fails takes back itself alone.
 */
export class JointChanges {
  readonly #db: Database
  readonly #waiting: WaitingChange[] = []

  constructor(db: Database) {
    this.#db = db
  }

  /** Resolves when the change is kept, and fails where it was not. */
  async add<T>(change: () => T): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const make = (): (() => void) => {
        const value = change()
        return () => resolve(value)
      }
      this.#waiting.push({ make, reject })
      if (this.#waiting.length === 1) this.#schedule()
    })
  }

  /** Makes the changes that wait. */
  flush(): void {
    this.#make(this.#waiting.splice(0))
  }

  #schedule(): void {
    setImmediate(() => {
      this.#make(this.#waiting.splice(0, MOST))
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #make(changes: readonly WaitingChange[]): void {
    if (changes.length === 0) return
    try {
      const ends = this.#db.transaction(() => changes.map((change) => this.#end(change, changes.length === 1)))
      for (const end of ends) end()
    } catch (error) {
      for (const { reject } of changes) reject(error)
    }
  }

  /** Makes a change inside the transaction; gives what tells how it went. */
  #end({ make, reject }: WaitingChange, isAlone: boolean): () => void {
    if (isAlone) return make()
    const made = this.#db.part(make)
    return 'error' in made ? () => reject(made.error) : made.value
  }
}
