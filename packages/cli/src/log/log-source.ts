import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { loadSqlite } from '@x/kernel/sqlite'
import {
  hostRuns,
  type KeptRun,
  type KeptRunInfo,
  openRecords,
  readFixture,
  type Records,
  type RunQuery,
} from '@x/records'
import { defaultRecordsFile, type Environment } from '../recording.ts'

/** A file of runs that is open. */
export interface LogSource extends AsyncDisposable {
  readonly file: string
  list(query?: RunQuery): Promise<readonly KeptRunInfo[]>
  read(runId: string): Promise<KeptRun | undefined>
  /** The records, to change or export runs; null for a file that is only read. */
  readonly records: Records | null
}

/** Bytes of a file that tell of which kind it is. */
const HEAD_BYTES = 65_536

const SQLITE_HEAD = 'SQLite format 3\0'

/**
 * Opens a file of records, in SQLite or JSON lines, a fixture of one run, or the file of a host, which is only read. Default: the
 * file in which `x` records. Never makes a file.
 */
export async function openLog(file: string | undefined, env: Environment): Promise<LogSource> {
  const path = file ?? defaultRecordsFile(env)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) {
    const what = stat ? `\`${path}\` is no file` : `there is no file \`${path}\``
    const next = file === undefined ? '`x chat` makes it, or name another file' : 'name a file of records'
    throw new XError('invalid-argument', `cannot read runs: ${what}; ${next}`)
  }
  const head = headOf(path)
  if (head.startsWith(SQLITE_HEAD)) return await openSqlite(path)
  if (path.endsWith('.jsonl') && isLine(head, 'runId')) return ofRecords(path)
  if (isLine(head, 'x-run')) return ofFixture(path)
  throw noRecords(path)
}

const noRecords = (path: string): XError =>
  new XError(
    'invalid-state',
    `\`${path}\` has no runs: it is neither a file of records (SQLite or \`.jsonl\`), nor a fixture, nor a file of a host`,
  )

/** Opens a file of SQLite by its tables; a host's package is loaded where it is needed. */
async function openSqlite(path: string): Promise<LogSource> {
  const tables = tablesOf(path)
  if (tables.has('runs') && tables.has('pieces')) return ofRecords(path)
  if (!tables.has('chats') || !tables.has('entries')) throw noRecords(path)
  const { sqlite } = await import('@x/host')
  const backend = sqlite(path)
  return {
    ...{ file: path, records: null },
    ...hostRuns(backend),
    [Symbol.asyncDispose]: async () => await backend.close(),
  }
}

function tablesOf(path: string): ReadonlySet<unknown> {
  const sqlite = loadSqlite(() => process.getBuiltinModule('node:sqlite'))
  let db: DatabaseSync | undefined
  try {
    db = new sqlite.DatabaseSync(path, { readOnly: true })
    return new Set(
      db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => name),
    )
  } catch (cause) {
    throw new XError('invalid-state', `\`${path}\` cannot be read: restore the file, or name another one`, { cause })
  } finally {
    db?.close()
  }
}

function ofRecords(path: string): LogSource {
  const records = openRecords(path)
  return {
    ...{ file: path, records },
    list: async (query) => await records.list(query),
    read: async (runId) => await records.read(runId),
    [Symbol.asyncDispose]: async () => await Promise.resolve(records.close()),
  }
}

function ofFixture(path: string): LogSource {
  const run = readFixture(path)
  return {
    ...{ file: path, records: null },
    list: async () => await Promise.resolve([run.info]),
    read: async (runId) => await Promise.resolve(runId === run.info.runId ? run : undefined),
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** True if the first line is an object that has a key; a long line is cut, so that only its beginning is looked at. */
const isLine = (head: string, key: string): boolean => head.trimStart().startsWith(`{"${key}":`)

/** Most runs that an error names. */
const MAX_NAMED_RUNS = 5

/**
 * Finds a run by its id, or by the beginning of its id if no other run begins so; without one, the run with the newest events.
 */
export async function findRun(source: LogSource, id: string | undefined): Promise<KeptRun> {
  const infos = id === undefined ? await source.list({ limit: 1 }) : await runsLike(source, id)
  const [info, ...others] = infos
  if (!info) {
    const what = id === undefined ? 'there are no runs' : `there is no run \`${id}\``
    throw new XError('invalid-argument', `${what} in \`${source.file}\`: \`x log ls\` lists those that there are`)
  }
  if (others.length > 0) {
    const named = infos.slice(0, MAX_NAMED_RUNS).map(({ runId }) => runId)
    const more = infos.length > named.length ? ', …' : ''
    throw new XError('invalid-argument', `${infos.length} runs begin with \`${id}\`: ${named.join(', ')}${more}`)
  }
  const run = await source.read(info.runId)
  if (!run) throw new XError('invalid-argument', `the run \`${info.runId}\` was removed from \`${source.file}\``)
  return run
}

/**
 * Returns a run with the events that it shares with the run that it was forked from: the record of a fork begins at its place.
 */
export async function withShared(source: LogSource, run: KeptRun, seen: readonly string[] = []): Promise<KeptRun> {
  const { runId, parent } = run.info
  const found = parent && !seen.includes(parent.runId) ? await source.read(parent.runId) : undefined
  if (!found) return run
  const { events } = await withShared(source, found, [...seen, runId])
  const first = run.events.find(({ type }) => type.endsWith('Start') && type !== 'chatStart')
  const end = events.findIndex(
    (event) => isBehind(event, parent!.place) || (first && event.type === first.type && idOf(event) === idOf(first)),
  )
  const shared = end === -1 ? events : events.slice(0, end)
  const begun = new Set(shared.map((event) => (event.type === 'chatStart' ? event.id : null)))
  const own = run.events.filter((event) => event.type !== 'chatStart' || !begun.has(event.id))
  return { ...run, events: [...shared, ...own] }
}

const idOf = (event: XEvent): string | null => ('id' in event ? event.id : null)

/** True if an event stands at a place or behind it; what encloses the place does not. */
function isBehind(event: XEvent, place: string | null): boolean {
  if (place === null) return false
  const [own, other] = [numbersOf(idOf(event) ?? ''), numbersOf(place)]
  const at = other.findIndex((number, index) => number !== own[index])
  // The call of a tool is the first place in its span.
  if (event.type === 'toolStart' && own.length === other.length - 1 && at === own.length) return true
  return at === -1 || (at < own.length && own[at]! > other[at]!)
}

/** Returns the numbers of a place, or of the place of a span, such as `1.2.0.span0`. */
const numbersOf = (id: string): readonly number[] =>
  id
    .split('.')
    .filter((part) => /^\d+$/u.test(part))
    .map(Number)

async function runsLike(source: LogSource, id: string): Promise<readonly KeptRunInfo[]> {
  const infos = await source.list({ limit: Infinity })
  const exact = infos.find(({ runId }) => runId === id)
  return exact ? [exact] : infos.filter(({ runId }) => runId.startsWith(id))
}

/** Returns the records of a file, to change them; refuses a file that is only read. */
export function recordsIn({ records, file }: LogSource, what: string): Records {
  if (records) return records
  throw new XError('invalid-argument', `cannot ${what}: \`${file}\` is no file of records, and is only read`)
}
