import type { PostgresClient } from './postgres-client.ts'
import { WITHOUT_WAITING } from './rows.ts'

/**
 * Tells other processes which chats have changed, behind the changes: a transaction that tells of something holds up all
 * others that do until it is on the disk. What changes in one moment is told together.
 */
export class PostgresNotices {
  /**
   * Tells of a chat within its change, in a SELECT from what was changed: for changes that do not wait for the disk, and so
   * hold nobody up.
   */
  readonly within: string
  readonly #db: PostgresClient
  readonly #sql: string
  readonly #changed = new Set<string>()
  #telling: Promise<void> | undefined

  constructor(db: PostgresClient, channel: string) {
    this.#db = db
    this.within = `pg_notify('${channel}', id)`
    this.#sql = `SELECT ${this.within}, ${WITHOUT_WAITING} FROM unnest($1::text[]) AS changed (id)`
  }

  /** Tells soon that a chat has changed. */
  tell(id: string): void {
    this.#changed.add(id)
    this.#telling ??= this.#tellAll()
  }

  /** Resolves when everything was told. */
  async flush(): Promise<void> {
    await this.#telling
  }

  async #tellAll(): Promise<void> {
    while (this.#changed.size > 0) {
      await new Promise(setImmediate)
      const ids = [...this.#changed]
      this.#changed.clear()
      // Where it fails, who waits for a chat looks from time to time.
      await this.#db.rows(this.#sql, ids).catch(() => {})
    }
    this.#telling = undefined
  }
}
