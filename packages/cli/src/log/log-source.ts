import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { XEvent } from '@x/interfaces'
import type { Host } from '@x/host'
import { isXError, XError } from '@x/kernel'
import {
  hostRuns,
  type KeptRun,
  type KeptRunInfo,
  openRecords,
  readFixture,
  type Records,
  type RunQuery,
} from '@x/records'
import { defaultRecordsFile, type Environment, KEEP_ALL } from '../recording.ts'

/** A file of runs that is open. */
export interface LogSource extends AsyncDisposable {
  readonly file: string
  list(query?: RunQuery): Promise<readonly KeptRunInfo[]>
  read(runId: string): Promise<KeptRun | undefined>
  /** Returns a function that reads what is new in a run at each call; undefined for an unknown run. */
  follow(runId: string): () => Promise<Pick<KeptRun, 'info' | 'events' | 'entries'> | undefined>
  /** The records, to change or export runs; null for a file that is only read. */
  readonly records: Records | null
  /** True if the records may be changed. */
  readonly mayChange: boolean
  /** Opens the host whose file it is, to decide on its calls; null for other files. */
  readonly openHost: (() => Promise<Host>) | null
}

/** The runs that a command is about. */
export interface LogQuery extends Omit<RunQuery, 'tags'> {
  /** Tags as they are printed: `name=value`. */
  readonly tags?: readonly string[] | undefined
}

/** Runs of a list without a `limit`, as in records. */
const USUAL_LIMIT = 100

/** Bytes of a file that tell of which kind it is. */
const HEAD_BYTES = 65_536

const SQLITE_HEAD = 'SQLite format 3\0'

/**
 * Opens a file of records, in SQLite or JSON lines, a fixture of one run, or the file of a host. Default: the file in which `x`
 * records. Never makes a file, and changes one only `toChange` runs of records.
 */
export async function openLog(file: string | undefined, env: Environment, toChange = false): Promise<LogSource> {
  const path = file ?? defaultRecordsFile(env)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) {
    const what = stat ? `\`${path}\` is no file` : `there is no file \`${path}\``
    const next = file === undefined ? '`x chat` makes it, or name another file' : 'name a file of records'
    throw new XError('invalid-argument', `cannot read runs: ${what}; ${next}`)
  }
  const head = headOf(path)
  if (head.startsWith(SQLITE_HEAD)) return await openSqlite(path, toChange)
  if (path.endsWith('.jsonl') && isLine(head, 'x-records')) return ofRecords(path, toChange)
  if (isLine(head, 'x-run')) return ofFixture(path)
  throw noRecords(path)
}

/** Opens a file to show it, and to change it where the person may; `open` opens it. */
export async function openToShow(
  file: string | undefined,
  env: Environment,
  open: typeof openLog = openLog,
): Promise<LogSource> {
  try {
    return await open(file, env, true)
  } catch (error) {
    if (!isXError(error, 'invalid-argument')) throw error
    return await open(file, env)
  }
}

const noRecords = (path: string): XError =>
  new XError(
    'invalid-state',
    `\`${path}\` has no runs: it is neither a file of records (SQLite or \`.jsonl\`), nor a fixture, nor a file of a host`,
  )

/** Opens a file of SQLite: of records, or of a host. */
async function openSqlite(path: string, toChange: boolean): Promise<LogSource> {
  try {
    return ofRecords(path, toChange)
  } catch (error) {
    if (!isOfAnother(error)) throw error
  }
  try {
    const source = await ofHost(path)
    await source.list({ limit: 1 })
    return source
  } catch (error) {
    throw isOfAnother(error) ? noRecords(path) : error
  }
}

/** True if a file is whole, and one of another program. */
const isOfAnother = (error: unknown): boolean =>
  isXError(error) && error.code === 'invalid-state' && error.cause === undefined

/** Reads the file of a host, which is opened for each question; the package of hosts is loaded where it is needed. */
async function ofHost(path: string): Promise<LogSource> {
  const { createHost, sqlite } = await import('@x/host')
  const runs = hostRuns(() => sqlite(path, { readOnly: true }))
  return {
    file: path,
    records: null,
    mayChange: false,
    openHost: async () => await Promise.resolve(createHost({ chats: [], at: sqlite(path) })),
    list: async (query) => await runs.list(query),
    read: async (runId) => await runs.read(runId),
    follow(runId) {
      let told: KeptRun | undefined
      let seen = ''
      return async () => {
        const state = stateOf(path)
        const run = state === seen ? told : await runs.read(runId)
        seen = state
        const part = run && {
          info: run.info,
          events: run.events.slice(told?.events.length),
          entries: run.entries.slice(told?.entries.length),
        }
        told = run
        return part
      }
    },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}

/** Returns a text that changes with the file of a host, or with the log beside it. */
const stateOf = (path: string): string =>
  [path, `${path}-wal`]
    .map((each) => statSync(each, { throwIfNoEntry: false }))
    .map((stat) => `${stat?.size} ${stat?.mtimeMs}`)
    .join()

function ofRecords(path: string, toChange: boolean): LogSource {
  // Whoever looks at a file, and goes on from a run in it, does not say how long its runs are kept.
  const records = openRecords({ file: path, readOnly: !toChange, ...KEEP_ALL })
  return {
    file: path,
    records,
    mayChange: toChange,
    openHost: null,
    list: async (query) => await records.list(query),
    read: async (runId) => await records.read(runId),
    follow: (runId) => records.follow(runId),
    [Symbol.asyncDispose]: async () => await Promise.resolve(records.close()),
  }
}

function ofFixture(path: string): LogSource {
  const run = readFixture(path)
  const read = async (runId: string): Promise<KeptRun | undefined> =>
    await Promise.resolve(runId === run.info.runId ? run : undefined)
  return {
    file: path,
    records: null,
    mayChange: false,
    openHost: null,
    list: async (query = {}) => await Promise.resolve([run.info].filter((each) => isWanted(each, query))),
    read,
    // It never changes: a second call has nothing new.
    follow: (runId) => {
      let isTold = false
      return async () => {
        const found = await read(runId)
        const part = found && isTold ? { ...found, events: [], entries: [] } : found
        isTold = true
        return part
      }
    },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}

/** True if the run of a fixture fits a query. */
const isWanted = (
  info: KeptRunInfo,
  { runId = '', tags = {}, agent, outcome, since = -Infinity, before = Infinity }: RunQuery,
): boolean =>
  info.runId.startsWith(runId) &&
  Object.entries(tags).every(([name, value]) => info.tags[name] === value) &&
  (agent === undefined || info.agents.includes(agent)) &&
  (outcome === undefined || info.outcome === outcome) &&
  info.last >= since &&
  info.last < before

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

/** Lists the runs that fit a query, those with the newest events first. */
export async function wantedRuns(
  source: LogSource,
  { tags = [], ...query }: LogQuery,
): Promise<readonly KeptRunInfo[]> {
  const named = tags.map((text) => text.split('='))
  const isPlain =
    named.every(({ length }) => length === 2) && new Set(named.map(([name]) => name)).size === named.length
  if (isPlain) return await source.list({ ...query, tags: Object.fromEntries(named) as Record<string, string> })
  // Names may have the sign too, so that only a whole tag tells where its name ends. Two values of one name fit no run.
  const infos = await source.list({ ...query, limit: Infinity })
  return infos.filter((info) => hasTags(info, tags)).slice(0, query.limit ?? USUAL_LIMIT)
}

function hasTags(info: KeptRunInfo, tags: readonly string[]): boolean {
  const texts = new Set(Object.entries(info.tags).map(([name, value]) => `${name}=${value}`))
  return tags.every((tag) => texts.has(tag))
}

/** Most runs that an error names. */
const MAX_NAMED_RUNS = 5

/** Finds a run, and reads it. */
export async function findRun(source: LogSource, id: string | undefined): Promise<KeptRun> {
  const { runId } = await findInfo(source, id)
  const run = await source.read(runId)
  if (!run) throw new XError('invalid-argument', `the run \`${runId}\` was removed from \`${source.file}\``)
  return run
}

/**
 * Finds a run by its id, or by the beginning of its id if no other run begins so; without one, the run with the newest events.
 */
export async function findInfo(source: LogSource, id: string | undefined): Promise<KeptRunInfo> {
  const infos = await source.list(id === undefined ? { limit: 1 } : { runId: id, limit: Infinity })
  const exact = infos.find(({ runId }) => runId === id)
  const [info, ...others] = exact ? [exact] : infos
  if (!info) {
    const what = id === undefined ? 'there are no runs' : `there is no run \`${id}\``
    throw new XError('invalid-argument', `${what} in \`${source.file}\`: \`x log ls\` lists those that there are`)
  }
  if (others.length > 0) {
    const named = infos.slice(0, MAX_NAMED_RUNS).map(({ runId }) => runId)
    const more = infos.length > named.length ? ', …' : ''
    throw new XError('invalid-argument', `${infos.length} runs begin with \`${id}\`: ${named.join(', ')}${more}`)
  }
  return info
}

/** Finds a run that is to be changed, by an id that says something: an empty one is mostly a variable of a shell that is not set. */
export async function findToChange(source: LogSource, id: string): Promise<KeptRunInfo> {
  if (id === '')
    throw new XError('invalid-argument', 'the id of the run is empty: `x log ls` lists those that there are')
  return await findInfo(source, id)
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

/** Returns the records of a file, to change them; refuses a file that is only read. */
export function recordsIn({ records, file }: LogSource, what: string): Records {
  if (records) return records
  throw new XError('invalid-argument', `cannot ${what}: \`${file}\` is no file of records, and is only read`)
}
