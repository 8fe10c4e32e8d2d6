import type { VersionedRecord, VersionedRecords } from '../shared-records.ts'
import type { PostgresClient } from './postgres-client.ts'
import { NOW, WITHOUT_WAITING } from './rows.ts'

/** Keeps records in a table of Postgres. A change is one statement; versions come of a sequence and are never used again. */
export class PostgresRecords implements VersionedRecords {
  readonly #db: PostgresClient

  constructor(db: PostgresClient) {
    this.#db = db
  }

  async read(key: string): Promise<VersionedRecord> {
    const [row] = await this.#db.rows(
      `SELECT ${NOW} AS now, version, json FROM (SELECT $1::text AS key) AS wanted LEFT JOIN records USING (key)`,
      key,
    )
    return {
      version: (row!['version'] as string | null) ?? '0',
      text: row!['json'] as string | null,
      now: Number(row!['now']),
    }
  }

  async replace(key: string, version: string, text: string | null, durable: boolean): Promise<VersionedRecord | null> {
    const changed = await this.#db.rows(...statement(key, version, text, durable ? '1' : WITHOUT_WAITING))
    return changed.length > 0 ? null : await this.read(key)
  }
}

/** `returning` is evaluated where a record was replaced. */
function statement(
  key: string,
  version: string,
  text: string | null,
  returning: string,
): [sql: string, ...values: unknown[]] {
  if (text === null) return [`DELETE FROM records WHERE key = $1 AND version = $2 RETURNING ${returning}`, key, version]
  if (version === '0') {
    return [
      `INSERT INTO records VALUES ($1, nextval('record_versions'), $2) ON CONFLICT DO NOTHING RETURNING ${returning}`,
      ...[key, text],
    ]
  }
  return [
    `UPDATE records SET version = nextval('record_versions'), json = $3 WHERE key = $1 AND version = $2 RETURNING ${returning}`,
    ...[key, version, text],
  ]
}
