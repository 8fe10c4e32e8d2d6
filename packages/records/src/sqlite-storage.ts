import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'
import type { RunSummary } from './run-summary.ts'
import {
  checkedInfo,
  DEFAULT_LIMIT,
  isWanted,
  joined,
  type KeptRunInfo,
  type Piece,
  type RecordStorage,
  type RunLabel,
  type RunQuery,
  unknownRun,
  withLabel,
} from './storage.ts'

/** Version of the tables, in `user_version`; 0 is that of a new file. */
const FORMAT_VERSION = 1
/** Marks a file of records in `application_id`: `XREC`. */
const APPLICATION_ID = 0x58_52_45_43
/** Milliseconds to wait for another process that writes. */
const BUSY_TIMEOUT_MS = 2000
/** Size of a page of the file: most pieces are some kilobytes of text. */
const PAGE_BYTES = 16_384
/** Runs that are read at once for a list. */
const PAGE_ROWS = 500

const TABLES = `
CREATE TABLE runs (
  run TEXT PRIMARY KEY, began REAL NOT NULL, last REAL NOT NULL, outcome TEXT, parent TEXT, tags TEXT NOT NULL,
  labels TEXT NOT NULL, summary TEXT NOT NULL, bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (last);
CREATE TABLE pieces (piece INTEGER PRIMARY KEY, run TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX pieces_by_run ON pieces (run, session, number);
`

/** Opens a file of SQLite for records, in WAL mode, which several processes may write and read. Its owner alone may read it. */
export function openSqliteStorage(path: string): RecordStorage {
  const sqlite = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  ownFile(path)
  const db = new sqlite.DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    prepareTables(db, path)
  } catch (error) {
    db.close()
    throw asDamage(error, path)
  }
  return new SqliteStorage(db, path)
}

function prepareTables(db: DatabaseSync, path: string): void {
  const read = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? { none: 0 })[0])
  const [version, application] = [read('user_version'), read('application_id')]
  if (version === FORMAT_VERSION && application === APPLICATION_ID) return
  const isEmpty = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()!['tables'] === 0
  if (version === 0 && application === 0 && isEmpty) {
    db.exec(
      `BEGIN IMMEDIATE; ${TABLES} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}; COMMIT`,
    )
    return
  }
  if (application !== APPLICATION_ID) {
    throw new XError('invalid-state', `\`${path}\` is a file of SQLite, but not one of records: name another file`)
  }
  throw new XError(
    'unknown-state-version',
    `the records in \`${path}\` have version ${version}, and this release reads version ${FORMAT_VERSION}: ${version > FORMAT_VERSION ? 'update `@x/records`' : 'read them with an earlier release'}`,
    { details: { version, known: [FORMAT_VERSION] } },
  )
}

/** Codes of SQLite for a file that cannot be read, is damaged, or is none of its files. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 26])

/** Returns the code of an error of SQLite, without its details; 0 for other errors. */
export const sqliteCode = (error: unknown): number => Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff

function asDamage(error: unknown, path: string): unknown {
  if (!DAMAGE_CODES.has(sqliteCode(error))) return error
  return new XError(
    'invalid-state',
    `the records in \`${path}\` cannot be read: restore the file, or name another one`,
    {
      cause: error,
    },
  )
}

class SqliteStorage implements RecordStorage {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
  }

  write(pieces: readonly Piece[], waits: boolean): void {
    if (!waits) this.#db.exec('PRAGMA busy_timeout = 0')
    try {
      this.#change(() => {
        for (const piece of pieces) this.#add(piece)
      })
    } finally {
      if (!waits) this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  #add({ runId, session, number, text: lines, summary, tags, parent }: Piece): void {
    const text = `["s",${JSON.stringify(session)}]\n${lines}`
    const insert = 'INSERT OR IGNORE INTO pieces (run, session, number, lines) VALUES (?, ?, ?, ?)'
    // The thread that writes and a flush may both have the piece.
    if (this.#run(insert, runId, session, number, text) === 0) return
    const known = this.#rows('SELECT * FROM runs WHERE run = ?', runId)[0]
    const sum = joined(known ? (JSON.parse(known['summary'] as string) as RunSummary) : null, summary)
    const bytes = Buffer.byteLength(text)
    const numbers = [sum.began, sum.last, sum.outcome, JSON.stringify(sum)] as const
    if (known) {
      const labelled = { ...(JSON.parse(known['tags'] as string) as object), ...tags }
      this.#run(
        'UPDATE runs SET began = ?, last = ?, outcome = ?, summary = ?, tags = ?, bytes = bytes + ? WHERE run = ?',
        ...numbers,
        JSON.stringify(labelled),
        bytes,
        runId,
      )
    } else {
      this.#run(
        "INSERT INTO runs (began, last, outcome, summary, tags, bytes, run, parent, labels) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]')",
        ...numbers,
        JSON.stringify(tags),
        bytes,
        runId,
        parent && JSON.stringify(parent),
      )
    }
  }

  read(runId: string): { readonly info: KeptRunInfo; readonly lines: Iterable<string> } | undefined {
    const row = this.#rows('SELECT * FROM runs WHERE run = ?', runId)[0]
    if (!row) return undefined
    const pieces = this.#rows('SELECT lines FROM pieces WHERE run = ? ORDER BY piece', runId)
    return { info: infoOf(row), lines: pieces.flatMap(({ lines }) => (lines as string).split('\n')) }
  }

  list(query: RunQuery): readonly KeptRunInfo[] {
    const { since = 0, before = Number.MAX_SAFE_INTEGER, limit = DEFAULT_LIMIT } = query
    const found: KeptRunInfo[] = []
    let [last, run] = [before, '']
    while (found.length < limit) {
      const rows = this.#rows(
        'SELECT * FROM runs WHERE last >= ? AND (last < ? OR (last = ? AND run > ?)) ORDER BY last DESC, run LIMIT ?',
        ...[since, last, run === '' ? -1 : last, run, PAGE_ROWS],
      )
      found.push(...rows.map(infoOf).filter((info) => isWanted(info, query)))
      const end = rows.at(-1)
      if (!end || rows.length < PAGE_ROWS) break
      ;[last, run] = [Number(end['last']), end['run'] as string]
    }
    return found.slice(0, limit)
  }

  label(runId: string, label: RunLabel): void {
    this.#change(() => {
      const row = this.#rows('SELECT labels FROM runs WHERE run = ?', runId)[0]
      if (!row) throw unknownRun(runId)
      const labels = withLabel(JSON.parse(row['labels'] as string) as RunLabel[], label)
      this.#run('UPDATE runs SET labels = ? WHERE run = ?', JSON.stringify(labels), runId)
    })
  }

  remove(runId: string): boolean {
    const isRemoved = this.#delete(runId)
    this.#empty()
    return isRemoved
  }

  #delete(runId: string): boolean {
    return this.#change(() => {
      this.#run('DELETE FROM pieces WHERE run = ?', runId)
      return this.#run('DELETE FROM runs WHERE run = ?', runId) > 0
    })
  }

  /** Empties the log beside the file, where removed texts stand until then. */
  #empty(): void {
    this.#rows('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  retain({ before, maxBytes }: { readonly before: number; readonly maxBytes: number }): void {
    const old = this.#rows('SELECT run FROM runs WHERE last < ?', before).map(({ run }) => run as string)
    const { total } = this.#rows('SELECT coalesce(sum(bytes), 0) AS total FROM runs WHERE last >= ?', before)[0] as {
      total: number
    }
    let surplus = total - maxBytes
    for (const { run, bytes } of surplus > 0
      ? this.#rows('SELECT run, bytes FROM runs WHERE last >= ? ORDER BY last', before)
      : []) {
      if (surplus <= 0) break
      old.push(run as string)
      surplus -= Number(bytes)
    }
    for (const run of old) this.#delete(run)
    if (old.length > 0) this.#empty()
  }

  close(): void {
    this.#db.close()
  }

  #change<T>(change: () => T): T {
    try {
      this.#run('BEGIN IMMEDIATE')
      const value = change()
      this.#run('COMMIT')
      return value
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw asDamage(error, this.#path)
    }
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  #rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    try {
      return this.#statement(sql).all(...values)
    } catch (error) {
      throw asDamage(error, this.#path)
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

type Row = Readonly<Record<string, unknown>>

const infoOf = (row: Row): KeptRunInfo =>
  checkedInfo({
    runId: row['run'],
    ...(parsed(row['summary']) as object),
    tags: parsed(row['tags']),
    parent: row['parent'] === null ? null : parsed(row['parent']),
    labels: parsed(row['labels']),
    bytes: Number(row['bytes']),
  })

/** Reads a column; what is no JSON does not have the shape of a run's facts either. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}
