import type { JournalEntry, RunCalls, RunTrace, RunTracer, TraceContext, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { writeFixture } from './fixture.ts'
import { type KeptRun, readRun, RunReader } from './kept-run.ts'
import { openLinesReader, openLinesStorage } from './lines-storage.ts'
import { absolutePath, platformNow } from './platform.ts'
import { redactedText, RunWriter } from './run-writer.ts'
import { openSqliteReader, openSqliteStorage, sqliteCode } from './sqlite-storage.ts'
import {
  checkQuery,
  type KeptRunInfo,
  type Piece,
  type RecordBounds,
  type RecordReader,
  type RecordStorage,
  type RunLabel,
  type RunQuery,
  unknownRun,
} from './storage.ts'
import { closeInThread, startWriteThread, type WriteReply, type WriteRequest } from './write-thread.ts'

/** Options of {@link openRecords}. */
export interface RecordsOptions {
  /** File of the records: SQLite, or JSON lines if its name ends with `.jsonl`. */
  readonly file: string
  /**
   * False to write names, numbers and times, and nothing that people, models, tools or code have written; such runs cannot be
   * repeated. Default true.
   */
  readonly content?: boolean | undefined
  /**
   * Returns each text as it is written, also values of tags and labels, for example without the names of customers; a run with a
   * text that it changes, other than those, cannot be repeated. Default: as it is.
   */
  readonly redact?: ((text: string) => string) | undefined
  /** Most characters of a text other than an id or the name of an agent; a run with a longer one cannot be repeated. Default 1,000,000. */
  readonly maxContent?: number | undefined
  /** Days after which a run is removed; default 30. */
  readonly keepDays?: number | undefined
  /** Bytes of all runs above which the oldest are removed; default 1 GiB. */
  readonly maxBytes?: number | undefined
  /** Another tracer that follows the same runs, such as that of `@x/otel`; default: none. */
  readonly tracer?: RunTracer | undefined
  /** Called when something could not be written; default: a warning of the process, once. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** True to read the file alone: nothing is changed in it, and a run that it is given as a tracer fails. Default false. */
  readonly readOnly?: boolean | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

const RECORDS_KINDS: OptionKinds<RecordsOptions> = {
  file: kind.text,
  content: kind.flag,
  redact: kind.call,
  maxContent: kind.whole(1),
  keepDays: kind.number(0),
  maxBytes: kind.whole(1),
  tracer: kind.having('a tracer, such as `traceRuns()` of `@x/otel`', 'begin'),
  onError: kind.call,
  readOnly: kind.flag,
  now: kind.call,
}

/** The run that another one was forked from, and the entries that the two share. */
export interface ForkOrigin {
  readonly parent: NonNullable<Piece['parent']>
  readonly entries: readonly JournalEntry[]
}

const MS_PER_DAY = 86_400_000
/** Time that lines wait before they are written, in milliseconds. */
const WRITE_DELAY_MS = 100
/** Most that runs have told that becomes lines in one turn of the event loop: it takes a few milliseconds. */
const MAX_TOLD_IN_TURN = 1024
/** Pieces, and characters of them, that wait at most while nothing can be written; the newest are lost behind them. */
const MAX_WAITING_PIECES = 1000
const MAX_WAITING_CHARACTERS = 2 ** 26
/** Most time between two tries to write, in milliseconds. */
const MAX_DELAY_MS = 5000
/** Code of SQLite for a file that another process holds; that is not told before so many tries. */
const BUSY_CODE = 5
const MAX_QUIET_FAILURES = 6
/** Most runs that were removed and are remembered. */
const MAX_REMOVED_RUNS = 1000
/** Time between two looks at the bounds, in milliseconds. */
const RETAIN_INTERVAL_MS = 3_600_000

/**
 * Opens a file of records, as the `tracer` of agents, runs and hosts: it keeps what was asked, answered and paid. The file is
 * made if it is missing, and only its owner may read it. Writing never stops a run: lines wait up to 0.1 seconds and are
 * written together, so that a killed process loses those at most.
 */
export function openRecords(options: RecordsOptions | string): Records
export function openRecords(options: RecordsOptions | string, more?: unknown): Records {
  if (more !== undefined) {
    const remedy = "give the file as `file` of the options, as in openRecords({ file: 'runs.db', content: false })"
    throw new XError('invalid-argument', `cannot run \`openRecords\`: it takes one argument; ${remedy}`)
  }
  const given = typeof options === 'string' ? { file: options } : options
  checkOptions((given as object | undefined) ?? null, RECORDS_KINDS, 'run `openRecords`')
  if (!given.file)
    throw new XError('invalid-argument', "cannot run `openRecords`: `file` is missing, such as 'runs.db'")
  return new Records(given)
}

/** A file of records. */
export class Records implements RunTracer {
  readonly #options: RecordsOptions
  /** The file, wherever the process goes meanwhile, and whatever SQLite would take its name for. */
  readonly #path: string
  readonly #reader: RecordReader
  /** Null for a file that is only read. */
  readonly #storage: RecordStorage | null
  readonly #waking = new Set<RunWriter>()
  readonly #now: () => number
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Set while runs wait for the next turn of the event loop. */
  #nextTurn: ReturnType<typeof setImmediate> | undefined
  /** Pieces that could not be written yet. */
  #waiting: { readonly piece: Piece; readonly writer: RunWriter }[] = []
  /** Failed tries to write since the last one that did not fail. */
  #failures = 0
  /** The thread that writes; null if there is none, undefined before it is needed. */
  #thread: ReturnType<typeof startWriteThread> | undefined
  /** True once the thread has the file open. */
  #isThreadOpen = false
  /** The pieces at the beginning of those that wait that the thread has. */
  #batch: { readonly id: number; readonly count: number } | null = null
  #batches = 0
  /** Number of pieces that were written before the thread had begun. */
  #beside = 0
  /** Calls that wait until the thread has replied to all that it was sent; null while it has. */
  #atRest: { readonly resolve: () => void; readonly promise: Promise<void> } | null = null
  #sent = 0
  #retainedAt = -Infinity
  #hasFailed = false
  #isClosed = false
  /** Number of the traces that have begun, and which of them each writer was. */
  #begun = 0
  readonly #beginnings = new WeakMap<RunWriter, number>()
  /** Runs that were removed, and the number of traces that had begun by then: those write nothing for them any more. */
  readonly #removed = new Map<string, number>()
  readonly #atExit = (): void => this.close()

  /** Use {@link openRecords}. */
  constructor(options: RecordsOptions) {
    this.#options = options
    this.#now = options.now ?? platformNow
    const { file, readOnly = false } = options
    this.#path = absolutePath(file)
    const isLines = isLinesFile(file)
    try {
      this.#storage = readOnly ? null : isLines ? openLinesStorage(this.#path) : openSqliteStorage(this.#path)
      this.#reader = this.#storage ?? (isLines ? openLinesReader(this.#path) : openSqliteReader(this.#path))
    } catch (error) {
      throw isXError(error) ? error : cannotOpen(options, error)
    }
    process.on('exit', this.#atExit)
  }

  /** Begins the record of a run. */
  begin(context?: TraceContext): RunTrace {
    return this.#follow(this.#writer({}), context)
  }

  /** Returns a tracer whose runs have tags: names and values by which they are found again. */
  tagged(tags: Readonly<Record<string, string>>): RunTracer {
    return { begin: (context) => this.#follow(this.#writer(checkedTags(tags)), context) }
  }

  /** Returns a tracer for a run that is forked from another one; {@link forkRun} uses it. */
  forking(origin: ForkOrigin, tags: Readonly<Record<string, string>> = {}): RunTracer {
    return { begin: (context) => this.#follow(this.#writer(checkedTags(tags), origin), context) }
  }

  #follow(writer: RunWriter, context: TraceContext | undefined): RunTrace {
    const { tracer } = this.#options
    return tracer ? new JoinedTrace(writer, tracer.begin(context)) : writer
  }

  /** Returns where the file is written. */
  #written(): RecordStorage {
    if (this.#storage) return this.#storage
    const { file } = this.#options
    throw new XError('invalid-state', `the records in \`${file}\` are only read: open them without \`readOnly\``)
  }

  #writer(tags: Readonly<Record<string, string>>, { parent, entries }: Partial<ForkOrigin> = {}): RunWriter {
    void this.#written()
    // What cannot be written does not stop the run.
    if (this.#isClosed) this.#report(this.#closed())
    const { content = true, redact, maxContent = 1_000_000 } = this.#options
    const shape = { content, redact, maxContent }
    const writer = new RunWriter({
      shape,
      tags,
      parent: parent ?? null,
      entries: entries ?? [],
      wake: this.#wake,
      late: this.#late,
    })
    this.#beginnings.set(writer, this.#begun++)
    return writer
  }

  readonly #wake = (writer: RunWriter, isFull: boolean): void => {
    if (this.#isClosed) return
    this.#waking.add(writer)
    if (isFull) this.#write(false)
    else this.#writeIn(WRITE_DELAY_MS)
  }

  /** Writes what waits in this thread, where a run has all turns of the event loop, and no reply of the other one would be read. */
  readonly #late = (): void => {
    if (!this.#isClosed) this.#write(false, false)
  }

  #writeIn(delay: number): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#write(false), delay)
    this.#timer.unref?.()
  }

  /** Writes what waits to be written. What cannot be written waits on. */
  flush(): void {
    this.#write(true)
  }

  /**
   * Writes what waits. `waits`: another process that writes may take its time; otherwise what waits is tried later again.
   * `isApart`: the other thread may write it.
   */
  #write(waits: boolean, isApart = !waits): void {
    this.#clearTimers()
    try {
      const now = this.#now()
      this.#takePieces(now, waits || this.#failures > 0 ? Infinity : MAX_TOLD_IN_TURN)
      if (this.#waiting.length === 0 || (isApart && this.#isWrittenApart())) return
      this.#batch = null
      this.#written().write(this.#piecesThatWait(), waits)
      this.#waiting = []
      this.#failures = 0
      // A thread that writes has removed what is too old.
      if (!this.#thread) this.#retain(now)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Takes the pieces of the runs that have some; after `most` that they have told, the others have the next turn. */
  #takePieces(now: number, most: number): void {
    let told = 0
    for (const writer of this.#waking) {
      if (told >= most) break
      told += writer.told
      const piece = writer.takePiece(now)
      if (piece && !this.#isRemoved(piece.runId, writer)) this.#waiting.push({ piece, writer })
      this.#waking.delete(writer)
    }
    // Making the lines has set one again.
    this.#clearTimers()
    if (this.#waking.size > 0) this.#nextTurn = setImmediate(() => this.#write(false)).unref()
  }

  /** True if a run was removed after the writer had begun; a later one may go on with a run of that id. */
  #isRemoved(runId: string, writer: RunWriter): boolean {
    const begun = this.#removed.get(runId)
    return begun !== undefined && this.#beginnings.get(writer)! < begun
  }

  #clearTimers(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    clearImmediate(this.#nextTurn)
    this.#nextTurn = undefined
  }

  #fail(error: unknown): void {
    this.#failures++
    this.#loseSurplus()
    const isBusy = sqliteCode(error) === BUSY_CODE
    if (!isBusy || this.#failures >= MAX_QUIET_FAILURES || this.#isClosed) this.#report(error)
    if (!this.#isClosed) this.#writeIn(Math.min(WRITE_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS))
  }

  /** Lets the thread write what waits, one batch at a time; returns false if there is no thread. */
  #isWrittenApart(): boolean {
    if (this.#batch) {
      if (this.#batch.id === 0) this.#writeBeside()
      return true
    }
    // Null stays null: a thread that could not be started is not tried again.
    if (this.#thread === undefined) {
      this.#thread = isLinesFile(this.#path) ? null : startWriteThread(this.#path, this.#takeReply)
    }
    if (!this.#thread) return false
    this.#batch = { id: this.#batches++, count: this.#waiting.length }
    const pieces = this.#piecesThatWait()
    const retain = this.#boundsIfDue(this.#now())
    this.#thread.postMessage({ id: this.#batch.id, pieces, retain } satisfies WriteRequest)
    this.#sent++
    this.#atRest ??= Promise.withResolvers<void>()
    if (this.#batch.id === 0) this.#writeBeside()
    return true
  }

  #piecesThatWait(): readonly Piece[] {
    return this.#waiting.map(({ piece }) => piece)
  }

  /** Writes what the thread has too: until that has begun, a process that is killed would lose more than it may. */
  #writeBeside(): void {
    try {
      this.#written().write(this.#piecesThatWait().slice(this.#beside), false)
      this.#beside = this.#waiting.length
    } catch {
      // The thread says why they cannot be written.
    }
  }

  readonly #takeReply = (reply: WriteReply | null): void => {
    if (!reply) this.#thread = null
    this.#isThreadOpen = reply !== null
    this.#sent = reply ? this.#sent - 1 : 0
    if (this.#sent === 0) {
      this.#atRest?.resolve()
      this.#atRest = null
    }
    // A flush has written the batch meanwhile.
    if (!this.#batch || (reply && reply.id !== this.#batch.id)) return
    const { count } = this.#batch
    this.#batch = null
    if (reply?.error) {
      this.#fail(Object.assign(new Error(reply.error.message), { errcode: reply.error.errcode }))
      return
    }
    if (reply) {
      this.#waiting.splice(0, count)
      this.#failures = 0
    }
    if (this.#waiting.length > 0) this.#write(false)
  }

  /** Forgets the newest pieces if more wait than memory is to hold. */
  #loseSurplus(): void {
    let size = 0
    const kept = this.#waiting.findIndex(({ piece }, index) => {
      size += piece.text.length
      return index >= MAX_WAITING_PIECES || size > MAX_WAITING_CHARACTERS
    })
    if (kept === -1) return
    for (const writer of new Set(this.#waiting.splice(kept).map((lost) => lost.writer))) writer.lose()
  }

  #retain(now: number): void {
    const bounds = this.#boundsIfDue(now)
    if (bounds) this.#written().retain(bounds)
  }

  /** Returns the bounds of the file if it is time to look at them, which is noted; else null. */
  #boundsIfDue(now: number): RecordBounds | null {
    if (now - this.#retainedAt < RETAIN_INTERVAL_MS) return null
    this.#retainedAt = now
    const { keepDays = 30, maxBytes = 2 ** 30 } = this.#options
    return { before: now - keepDays * MS_PER_DAY, maxBytes }
  }

  #report(error: unknown): void {
    const { onError } = this.#options
    if (onError) {
      try {
        onError(error)
      } catch {
        // It is called between the steps of runs, which do not fail for it.
      }
    } else if (!this.#hasFailed) {
      const text = error instanceof Error ? error.message : String(error)
      process.emitWarning(`records could not be written to \`${this.#options.file}\`: ${text}`)
    }
    this.#hasFailed = true
  }

  /** Lists runs, those with the newest events first. */
  async list(query: RunQuery = {}): Promise<readonly KeptRunInfo[]> {
    checkQuery(query)
    return await this.#flushed().list(query)
  }

  /** Reads a run; undefined if there is none. */
  async read(runId: string): Promise<KeptRun | undefined> {
    const found = await this.#flushed().read(runId)
    return found && readRun(found.info, found.lines)
  }

  /**
   * Follows a run: each call returns what was written since the last one, the first call all of it; undefined for an unknown
   * run. Only the new part of the file is read.
   */
  follow(runId: string): () => Promise<Pick<KeptRun, 'info' | 'events' | 'entries' | 'calls'> | undefined> {
    const reader = new RunReader(runId)
    let end = 0
    return async () => {
      const found = await this.#flushed().read(runId, end)
      if (!found) return undefined
      end = found.end
      return { info: found.info, ...reader.add(found.lines) }
    }
  }

  /** Gives a run, or a place in it, a label: a score, a verdict, a note. A later one of the same name replaces it. */
  async label(
    runId: string,
    label: Omit<RunLabel, 'at' | 'place'> & { readonly place?: string | undefined },
  ): Promise<void> {
    const { name, value, place = null } = label
    const { redact } = this.#options
    const isNoNumber = typeof value === 'number' && !Number.isFinite(value)
    const json = typeof name === 'string' && !isNoNumber ? jsonOf(value) : undefined
    if (json === undefined) {
      throw new XError(
        'invalid-argument',
        'cannot label the run: give a text as `name`, and as `value` anything that JSON has, such as 0.5',
      )
    }
    const written: unknown = JSON.parse(json, (_, each: unknown) =>
      redact && typeof each === 'string' ? redactedText(redact, each) : each,
    )
    this.#flushed()
    await this.#written().label(runId, { name, value: written, place, at: this.#now() })
  }

  /** Returns a run as the text of a fixture: a file for {@link expectReplay}. */
  async export(runId: string): Promise<string> {
    const found = await this.#flushed().read(runId)
    if (!found) throw unknownRun(runId)
    return writeFixture(found.info, found.lines)
  }

  /** Removes a run from the file; returns whether it was there. What a process still tells of it is not written. */
  async remove(runId: string): Promise<boolean> {
    this.#flushed()
    // A piece that the thread still has would bring the run back. The process lives until it has replied.
    this.#thread?.ref()
    await this.#atRest?.promise
    this.#thread?.unref()
    this.#flushed()
    const isRemoved = await this.#written().remove(runId)
    if (isRemoved) this.#noteRemoved(runId)
    return isRemoved
  }

  /** Remembers the runs that were removed last; the file itself takes nothing more of a run that it had. */
  #noteRemoved(runId: string): void {
    this.#removed.delete(runId)
    this.#removed.set(runId, this.#begun)
    if (this.#removed.size > MAX_REMOVED_RUNS) this.#removed.delete(this.#removed.keys().next().value!)
  }

  /** Returns where the file is read, with all that waited to be written. */
  #flushed(): RecordReader {
    if (this.#isClosed) throw this.#closed()
    this.flush()
    return this.#reader
  }

  #closed(): XError {
    return new XError('invalid-state', `the records in \`${this.#options.file}\` are closed: open them again`)
  }

  /** Writes what waits, and closes the file. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.flush()
    process.off('exit', this.#atExit)
    if (this.#thread && this.#isThreadOpen) closeInThread(this.#thread)
    // A thread that has not opened the file yet might make it anew; what it has is written.
    void this.#thread?.terminate()
    this.#thread = null
    this.#reader.close()
  }
}

function cannotOpen({ file, readOnly }: RecordsOptions, cause: unknown): XError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const next =
    sqliteCode(cause) === BUSY_CODE
      ? 'another program holds it: try again when that has ended'
      : `name a file that you may ${readOnly ? 'read' : 'write, in a folder that exists'}`
  return new XError('invalid-argument', `cannot open the records in \`${file}\` (${reason}): ${next}`, { cause })
}

/** Returns a value as JSON text; undefined for what is no JSON. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const isLinesFile = (file: string): boolean => file.endsWith('.jsonl')

function checkedTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isPlain =
    typeof tags === 'object' && tags !== null && Object.values(tags).every((tag) => typeof tag === 'string')
  if (isPlain) return { ...tags }
  throw new XError('invalid-argument', "tags of records are no texts by their names: give some, as in { app: 'shop' }")
}

/** The record of a run with another trace of it beside: each is told what it takes. The other one gives the trace context. */
class JoinedTrace implements RunTrace {
  readonly takes: RunTrace['takes']
  readonly takesRecalled: boolean
  readonly skipsParts: NonNullable<RunTrace['skipsParts']>
  readonly propagates: boolean
  readonly calls: RunCalls | undefined
  readonly beside: RunTrace
  readonly takeRequest?: NonNullable<RunTrace['takeRequest']>
  readonly beginOperation?: NonNullable<RunTrace['beginOperation']>
  readonly #record: RunTrace

  constructor(record: RunTrace, beside: RunTrace) {
    this.#record = record
    this.beside = beside
    this.takes = {
      has: (type: XEvent['type']) => record.takes.has(type) || beside.takes.has(type),
    } as RunTrace['takes']
    this.takesRecalled = Boolean(record.takesRecalled) || Boolean(beside.takesRecalled)
    this.skipsParts = beside.skipsParts ? (record.skipsParts ?? false) : false
    this.propagates = beside.propagates
    this.calls = record.calls && beside.calls ? joinedCalls(record.calls, beside.calls) : (record.calls ?? beside.calls)
    if (record.takeRequest || beside.takeRequest) {
      this.takeRequest = (spanId, messages) => {
        record.takeRequest?.(spanId, messages)
        beside.takeRequest?.(spanId, messages)
      }
    }
    if (beside.beginOperation) this.beginOperation = (operation) => beside.beginOperation!(operation)
  }

  take(event: XEvent): void {
    for (const trace of [this.#record, this.beside]) {
      if (trace.takes.has(event.type) && (!event.recalled || trace.takesRecalled)) trace.take(event)
    }
  }

  contextOf(spanId: string | null): ReturnType<RunTrace['contextOf']> {
    return this.beside.contextOf(spanId)
  }
}

/** Tells two records what a run asks. */
const joinedCalls = (record: RunCalls, beside: RunCalls): RunCalls => ({
  begin: (run) => {
    record.begin(run)
    beside.begin(run)
  },
  takeInput: (call, input) => {
    record.takeInput(call, input)
    beside.takeInput(call, input)
  },
  takeEntry: (entry) => {
    record.takeEntry(entry)
    beside.takeEntry(entry)
  },
  fail: (reason) => {
    record.fail(reason)
    beside.fail(reason)
  },
})
