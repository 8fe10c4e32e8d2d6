import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { XError } from '@x/kernel'
import { loadSqlite, ownFile } from '@x/kernel/sqlite'
import { fileId, isTruncated, readUnchanged } from './file-state.ts'
import { fileSystem, platformNow } from './platform.ts'
import type { RunSummary } from './run-summary.ts'
import {
  checkedInfo,
  checkRecordVersion,
  DEFAULT_LIMIT,
  isLater,
  isWanted,
  joined,
  type KeptLines,
  type KeptRunInfo,
  type Piece,
  pieceLine,
  RECORD_VERSION,
  type RecordBounds,
  type RecordReader,
  type RecordStorage,
  type RunLabel,
  type RunQuery,
  unknownRun,
  withLabel,
} from './storage.ts'
import { isCutOff, ownProcess } from './writer-process.ts'

/** Marks a file of records in `application_id`: `XREC`. */
const APPLICATION_ID = 0x58_52_45_43
/** Milliseconds to wait for another process that writes. */
const BUSY_TIMEOUT_MS = 2000
/** Size of a page of the file: most pieces are some kilobytes of text. */
const PAGE_BYTES = 16_384
/** Most bytes that are removed at once, which takes a part of that time, and the pause behind it: those who wait look so often. */
const MAX_REMOVED_BYTES = 2 ** 25
const PAUSE_MS = 100
/** Fewest and most runs that are read, or removed, at once. */
const FEW_ROWS = 20
const PAGE_ROWS = 500

const TABLES = `
CREATE TABLE runs (
  run TEXT PRIMARY KEY, began REAL NOT NULL, last REAL NOT NULL, outcome TEXT, parent TEXT, tags TEXT NOT NULL,
  labels TEXT NOT NULL, summary TEXT NOT NULL, bytes INTEGER NOT NULL, writer TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (last);
CREATE TABLE pieces (piece INTEGER PRIMARY KEY, run TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX pieces_by_run ON pieces (run, session, number);
`

/**
 * Opens a file of SQLite for records, in WAL mode, which several processes may write and read. Its owner alone may read it. A
 * file that is removed while it is open is made anew.
 */
export function openSqliteStorage(path: string): RecordStorage {
  return new SqliteStorage(path)
}

/** Opens a file of SQLite for each question, to read it: nothing is changed in it, and nothing made beside it. */
export function openSqliteReader(path: string): RecordReader {
  const reading = <T>(read: (file: SqliteFile) => T): T =>
    readUnchanged(path, (location) => {
      const file = new SqliteFile(openDatabase(path, location), path)
      try {
        return read(file)
      } finally {
        file.db.close()
      }
    })
  const reader: RecordReader = {
    read: (runId, after) =>
      reading((file) => {
        const found = readFrom(file, runId, after)
        return found && { ...found, lines: [...found.lines] }
      }),
    list: (query) => reading((file) => listFrom(file, query)),
    close() {},
  }
  // What is wrong with a file is said when it is opened.
  void reader.list({ limit: 1 })
  return reader
}

/** Opens and prepares a database: to write it, or at a location to read it. */
function openDatabase(path: string, toRead?: string | URL): DatabaseSync {
  const sqlite = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  if (isTruncated(path)) throw damaged(path, new Error('it has fewer pages than its header says'))
  if (toRead === undefined) ownFile(path)
  let db: DatabaseSync | undefined
  try {
    db = new sqlite.DatabaseSync(toRead ?? path, { readOnly: toRead !== undefined })
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    if (toRead === undefined) {
      db.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    }
    prepareTables(db, path, toRead === undefined)
    return db
  } catch (error) {
    db?.close()
    throw asDamage(error, path)
  }
}

function prepareTables(db: DatabaseSync, path: string, isMade: boolean): void {
  const read = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? { none: 0 })[0])
  const isEmpty = (): boolean =>
    db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()!['tables'] === 0 &&
    read('user_version') === 0 &&
    read('application_id') === 0
  if (isMade && isEmpty()) {
    db.exec('BEGIN IMMEDIATE')
    // Another process may have made the tables meanwhile.
    if (isEmpty()) {
      db.exec(`${TABLES} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${RECORD_VERSION}`)
    }
    db.exec('COMMIT')
  }
  const [version, application] = [read('user_version'), read('application_id')]
  if (application !== APPLICATION_ID) {
    throw new XError('invalid-state', `\`${path}\` is a file of SQLite, but not one of records: name another file`)
  }
  checkRecordVersion(version, `the records in \`${path}\` have`)
  // The tables are the same: an earlier release is to know that their lines may be others.
  if (isMade && version !== RECORD_VERSION) db.exec(`PRAGMA user_version = ${RECORD_VERSION}`)
}

/** Codes of SQLite for a file that cannot be read, is damaged, or is none of its files. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 26])

/** Returns the code of an error of SQLite, without its details; 0 for other errors. */
export const sqliteCode = (error: unknown): number => Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff

function asDamage(error: unknown, path: string): unknown {
  return DAMAGE_CODES.has(sqliteCode(error)) ? damaged(path, error) : error
}

const damaged = (path: string, cause: unknown): XError =>
  new XError('invalid-state', `the records in \`${path}\` cannot be read: restore the file, or name another one`, {
    cause,
  })

/** A database that prepares each statement once. */
class SqliteFile {
  readonly db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, path: string) {
    this.db = db
    this.#path = path
  }

  change<T>(change: () => T): T {
    try {
      this.run('BEGIN IMMEDIATE')
      const value = change()
      this.run('COMMIT')
      return value
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw asDamage(error, this.#path)
    }
  }

  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    try {
      return this.#statement(sql).all(...values)
    } catch (error) {
      throw asDamage(error, this.#path)
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function readFrom(file: SqliteFile, runId: string, after = 0): KeptLines | undefined {
  const row = file.rows('SELECT * FROM runs WHERE run = ?', runId)[0]
  if (!row) return undefined
  // The index has all of it: the lines are not sorted.
  const pieces = file.rows(
    'SELECT piece, session, number FROM pieces WHERE run = ? AND piece > ? ORDER BY piece',
    ...[runId, after],
  )
  return { info: infoOf(row), lines: linesOf(file, pieces), end: Number(pieces.at(-1)?.['piece'] ?? after) }
}

function* linesOf(file: SqliteFile, pieces: readonly Row[]): Generator<string> {
  for (const { piece, session, number } of pieces) {
    const [row] = file.rows('SELECT lines FROM pieces WHERE piece = ?', piece as number)
    // The run was removed meanwhile: what follows says that a part is missing.
    if (!row) continue
    yield pieceLine({ session: session as string, number: number as number })
    yield* (row['lines'] as string).split('\n')
  }
}

function listFrom(file: SqliteFile, query: RunQuery): readonly KeptRunInfo[] {
  const { runId, since = 0, before = Number.MAX_SAFE_INTEGER, limit = DEFAULT_LIMIT } = query
  if (runId) {
    const rows = file.rows(
      'SELECT * FROM runs WHERE run >= ? AND run < ? AND last >= ? AND last < ? ORDER BY last DESC, run',
      ...[runId, `${runId}\u{10FFFF}`, since, before],
    )
    return rows
      .map(infoOf)
      .filter((info) => isWanted(info, query))
      .slice(0, limit)
  }
  const found: KeptRunInfo[] = []
  const page = Math.min(Math.max(limit, FEW_ROWS), PAGE_ROWS)
  let [last, run] = [before, '']
  while (found.length < limit) {
    const rows = file.rows(
      // The index leads to the first of them, whatever was read before.
      'SELECT * FROM runs WHERE last >= ? AND last <= ? AND (last < ? OR run > ?) ORDER BY last DESC, run LIMIT ?',
      ...[since, last, last, run === '' ? '\u{10FFFF}' : run, page],
    )
    for (const info of rows.map(infoOf)) if (isWanted(info, query)) found.push(info)
    const end = rows.at(-1)
    if (!end || rows.length < page) break
    ;[last, run] = [Number(end['last']), end['run'] as string]
  }
  return found.slice(0, limit)
}

/** A file that is open, and what tells it and the log beside it from other files. */
interface OpenFile {
  readonly file: SqliteFile
  readonly id: string | null
  readonly log: string | null
}

class SqliteStorage implements RecordStorage {
  readonly #path: string
  /** The open file; null after it was removed, until it can be made anew. */
  #opened: OpenFile | null = null
  /** True once the file was missing and made anew, without the runs under way. */
  #isMadeAnew = false

  constructor(path: string) {
    this.#path = path
    void this.#file()
  }

  /** Returns the file that stands at the path now. What is written to one that was removed, or replaced, would be lost. */
  #file(): SqliteFile {
    if (this.#opened && this.#opened.id !== fileId(this.#path)) {
      this.#isMadeAnew ||= fileId(this.#path) === null
      this.#leave(this.#opened)
    }
    this.#opened ??= {
      file: new SqliteFile(openDatabase(this.#path), this.#path),
      id: fileId(this.#path),
      log: fileId(`${this.#path}-wal`),
    }
    return this.#opened.file
  }

  /** Closes a file that is no longer there, and removes its log: SQLite would take that for one of the file that is there now. */
  #leave({ file, log }: OpenFile): void {
    const isOwn = log !== null && fileId(`${this.#path}-wal`) === log
    this.#opened = null
    file.db.close()
    if (isOwn) for (const end of ['-wal', '-shm']) fileSystem().rmSync(`${this.#path}${end}`, { force: true })
  }

  write(pieces: readonly Piece[], waits: boolean): void {
    const file = this.#file()
    if (!waits) file.db.exec('PRAGMA busy_timeout = 0')
    try {
      file.change(() => {
        for (const piece of pieces) addPiece(file, piece, this.#isMadeAnew)
      })
    } finally {
      if (!waits) file.db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  read(runId: string, after?: number): KeptLines | undefined {
    return readFrom(this.#file(), runId, after)
  }

  list(query: RunQuery): readonly KeptRunInfo[] {
    return listFrom(this.#file(), query)
  }

  label(runId: string, label: RunLabel): void {
    const file = this.#file()
    file.change(() => {
      const row = file.rows('SELECT labels FROM runs WHERE run = ?', runId)[0]
      if (!row) throw unknownRun(runId)
      const labels = withLabel(JSON.parse(row['labels'] as string) as RunLabel[], label)
      file.run('UPDATE runs SET labels = ? WHERE run = ?', JSON.stringify(labels), runId)
    })
  }

  remove(runId: string): boolean {
    return this.#delete([runId]) > 0
  }

  /** Deletes runs, and empties the log beside the file, where their texts stand until then. */
  #delete(runIds: readonly string[]): number {
    const file = this.#file()
    const count = file.change(() => {
      for (const run of runIds) file.run('DELETE FROM pieces WHERE run = ?', run)
      return runIds.reduce((sum, run) => sum + file.run('DELETE FROM runs WHERE run = ?', run), 0)
    })
    file.rows('PRAGMA wal_checkpoint(TRUNCATE)')
    return count
  }

  retain(bounds: RecordBounds): void {
    // Those who write wait less than their time for each part, and come between two.
    while (this.#removeOldest(bounds)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }

  /** Removes some of the oldest runs that are too many; returns whether there may be others. */
  #removeOldest({ before, maxBytes }: RecordBounds): boolean {
    const file = this.#file()
    let surplus = Number(file.rows('SELECT coalesce(sum(bytes), 0) AS total FROM runs')[0]!['total']) - maxBytes
    const oldest = file.rows('SELECT run, last, bytes FROM runs ORDER BY last LIMIT ?', PAGE_ROWS)
    const removed: string[] = []
    let size = 0
    for (const { run, last, bytes } of oldest) {
      if (size >= MAX_REMOVED_BYTES || (Number(last) >= before && surplus <= 0)) break
      removed.push(run as string)
      size += Number(bytes)
      surplus -= Number(bytes)
    }
    if (removed.length > 0) this.#delete(removed)
    return size >= MAX_REMOVED_BYTES || removed.length === PAGE_ROWS
  }

  close(): void {
    this.#opened?.file.db.close()
    this.#opened = null
  }
}

/** Adds a piece to its run. One of a run that was removed while it goes on is left out, unless the whole file was. */
function addPiece(file: SqliteFile, piece: Piece, isMadeAnew: boolean): void {
  const { runId, session, number, text, summary, tags, parent } = piece
  const known = file.rows('SELECT * FROM runs WHERE run = ?', runId)[0]
  if (!known && isLater(piece) && !isMadeAnew) return
  const insert = 'INSERT OR IGNORE INTO pieces (run, session, number, lines) VALUES (?, ?, ?, ?)'
  // The thread that writes and a flush may both have the piece.
  if (file.run(insert, runId, session, number, text) === 0) return
  const sum = joined(known ? (JSON.parse(known['summary'] as string) as RunSummary) : null, summary)
  const bytes = Buffer.byteLength(text)
  const writer = JSON.stringify(ownProcess())
  const facts = [sum.began, sum.last, sum.outcome, JSON.stringify(sum), writer] as const
  if (known) {
    const labelled = { ...(JSON.parse(known['tags'] as string) as object), ...tags }
    file.run(
      'UPDATE runs SET began = ?, last = ?, outcome = ?, summary = ?, writer = ?, tags = ?, bytes = bytes + ? WHERE run = ?',
      ...facts,
      JSON.stringify(labelled),
      bytes,
      runId,
    )
  } else {
    file.run(
      "INSERT INTO runs (began, last, outcome, summary, writer, tags, bytes, run, parent, labels) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')",
      ...facts,
      JSON.stringify(tags),
      bytes,
      runId,
      parent && JSON.stringify(parent),
    )
  }
}

type Row = Readonly<Record<string, unknown>>

function infoOf(row: Row): KeptRunInfo {
  const summary = parsed(row['summary']) as RunSummary
  return checkedInfo({
    runId: row['run'],
    ...summary,
    tags: parsed(row['tags']),
    parent: row['parent'] === null ? null : parsed(row['parent']),
    labels: parsed(row['labels']),
    bytes: Number(row['bytes']),
    cutOff: isCutOff(summary ?? NO_OUTCOME, parsed(row['writer']), platformNow()),
  })
}

const NO_OUTCOME = { outcome: null, last: 0 } as const

/** Reads a column; what is no JSON does not have the shape of a run's facts either. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}
