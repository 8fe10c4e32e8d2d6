import type { PostgresClient } from './postgres-client.ts'
import { ASYNC_COMMIT_SQL } from './rows.ts'

/**
 * Notifies other processes of changed chats, after the changes: a transaction with a notification holds a lock until it is on
 * the disk, and all other such transactions wait for it. Chats that change at once share a notification statement.
 */
export class PostgresNotices {
  /**
   * An expression that notifies within the change itself, in a SELECT from the changed chats. Only for changes with an
   * asynchronous commit, which do not hold the lock for long.
   */
  readonly notifySql: string
  readonly #db: PostgresClient
  readonly #sql: string
  readonly #changed = new Set<string>()
  #sending: Promise<void> | undefined

  constructor(db: PostgresClient, channel: string) {
    this.#db = db
    this.notifySql = `pg_notify('${channel}', id)`
    this.#sql = `SELECT ${this.notifySql}, ${ASYNC_COMMIT_SQL} FROM unnest($1::text[]) AS changed (id)`
  }

  /** Notifies soon that a chat has changed. */
  notify(id: string): void {
    this.#changed.add(id)
    this.#sending ??= this.#send()
  }

  /** Resolves when all notifications are sent. */
  async flush(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#changed.size > 0) {
      await new Promise(setImmediate)
      const ids = [...this.#changed]
      this.#changed.clear()
      // A failure is ignored: those that wait for a chat also poll.
      await this.#db.rows(this.#sql, ids).catch(() => {})
    }
    this.#sending = undefined
  }
}
