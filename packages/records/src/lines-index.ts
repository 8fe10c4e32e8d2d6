import { XError } from '@x/kernel'
import { fileId } from './file-state.ts'
import { fileSystem, platformNow } from './platform.ts'
import type { RunSummary } from './run-summary.ts'
import {
  checkRecordVersion,
  DEFAULT_LIMIT,
  damagedRecord,
  isLabel,
  isPiece,
  isWanted,
  joined,
  type KeptLines,
  type KeptRunInfo,
  type Piece,
  pieceLine,
  RECORD_VERSION,
  RECORD_VERSIONS,
  type RecordReader,
  type RunLabel,
  type RunQuery,
  withLabel,
} from './storage.ts'
import { isCutOff, type WriterProcess } from './writer-process.ts'

/** The first line of a file, with its version. */
export const LINES_HEADER: string = JSON.stringify({ 'x-records': RECORD_VERSION })
/** True for the beginning of a first line, which was not written to its end. */
export const beginsHeader = (text: string): boolean =>
  RECORD_VERSIONS.some((version) => JSON.stringify({ 'x-records': version }).startsWith(text))

/** The facts of a piece, which stand before its lines. */
export type PieceHead = Omit<Piece, 'text'> & { readonly writer: WriterProcess }

/** A label of a run, as a line. */
export interface LabelLine {
  readonly runId: string
  readonly label: RunLabel
}

/** Text between the facts of a piece and its lines. No text in the facts has it, since quotation marks are escaped there. */
export const LINES_BEGIN = ',"lines":['
const LINES_END = ']}'
/** Pieces and labels begin with it. */
const BEGINNING = '{"runId":'

/** Bytes that are read at once. */
const CHUNK_BYTES = 2 ** 20
const LINE_BREAK = 0x0a

/** A line of a file. */
export interface FileLine {
  readonly bytes: Buffer
  /** Where it begins in the file. */
  readonly at: number
  /** True for the end of the file: it may not be written to its end yet. */
  readonly isLast: boolean
}

/** Reads the lines of an open file from a place on, without the whole file in memory. */
export function* linesIn(file: number, from: number): Generator<FileLine> {
  const fs = fileSystem()
  let parts: Buffer[] = []
  let at = from
  for (let place = from; ;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const count = fs.readSync(file, chunk, 0, CHUNK_BYTES, place)
    if (count === 0) break
    place += count
    let begin = 0
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1 && end < count; end = chunk.indexOf(LINE_BREAK, begin)) {
      const rest = chunk.subarray(begin, end)
      const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest])
      yield { bytes, at, isLast: false }
      at += bytes.length + 1
      parts = []
      begin = end + 1
    }
    if (begin < count) parts.push(chunk.subarray(begin, count))
  }
  yield { bytes: Buffer.concat(parts), at, isLast: true }
}

/** A run in the index: what a list shows of it, and where its lines stand. */
interface IndexedRun {
  summary: RunSummary
  tags: Piece['tags']
  readonly parent: Piece['parent']
  labels: readonly RunLabel[]
  bytes: number
  writer: WriterProcess
  readonly places: { readonly at: number; readonly length: number }[]
  /** Number of the next piece of each session: one that is there twice counts once. */
  readonly next: Map<string, number>
}

/** Reads a file of JSON lines: once what its lists need, then what is new in it, and of a run its own lines. */
export class LinesIndex implements RecordReader {
  readonly #path: string
  readonly #fs = fileSystem()
  #runs = new Map<string, IndexedRun>()
  /** The file whose runs are known; while it is open, no other file gets its number. */
  #file: number | null = null
  #end = 0
  /** Line breaks so far. */
  #lines = 0
  #hasHeader = false
  #hasWarned = false

  constructor(path: string) {
    this.#path = path
  }

  has(runId: string): boolean {
    this.#refresh()
    return this.#runs.has(runId)
  }

  list(query: RunQuery): KeptRunInfo[] {
    this.#refresh()
    const { since = 0, before = Infinity, limit = DEFAULT_LIMIT } = query
    return Array.from(this.#runs, ([runId, run]) => infoOf(runId, run))
      .filter((info) => info.last >= since && info.last < before && isWanted(info, query))
      .toSorted((one, other) => other.last - one.last || (one.runId < other.runId ? -1 : 1))
      .slice(0, limit)
  }

  read(runId: string, after = 0): KeptLines | undefined {
    this.#refresh()
    const run = this.#runs.get(runId)
    if (!run) return undefined
    const end = run.places.length
    return { info: infoOf(runId, run), lines: this.#linesOf(runId, after, end), end }
  }

  close(): void {
    if (this.#file !== null) this.#fs.closeSync(this.#file)
    this.#file = null
  }

  *#linesOf(runId: string, after: number, end: number): Generator<string> {
    // Another process may have put a new file in the place of that one since.
    this.#refresh()
    for (const { at, length } of this.#runs.get(runId)?.places.slice(after, end) ?? []) {
      const bytes = Buffer.alloc(length)
      this.#fs.readSync(this.#file!, bytes, 0, length, at)
      const text = bytes.toString()
      const piece = parsed(text)
      if (!isPiece(piece)) {
        if (isTorn(text)) continue
        throw damagedRecord(`a piece in \`${this.#path}\``)
      }
      const { lines, ...head } = piece as PieceHead & { readonly lines: readonly unknown[] }
      if (!Array.isArray(lines)) throw damagedRecord(`a piece of the run \`${head.runId}\``)
      yield pieceLine(head)
      for (const line of lines) yield JSON.stringify(line)
    }
  }

  /** Reads what is new in the file; all of it if it is another file. */
  #refresh(): void {
    try {
      if (
        this.#file === null ||
        fileId(this.#file) !== fileId(this.#path) ||
        this.#fs.fstatSync(this.#file).size < this.#end
      ) {
        this.#forget()
        this.#file = this.#fs.openSync(this.#path, 'r')
      }
      for (const line of linesIn(this.#file, this.#end)) {
        if (!this.#take(line)) break
        this.#end = line.at + line.bytes.length
      }
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  #forget(): void {
    this.close()
    this.#runs = new Map()
    ;[this.#end, this.#lines, this.#hasHeader] = [0, 0, false]
  }

  /** Takes a line; returns false for the end of the file that is not written to its end yet. */
  #take({ bytes, at, isLast }: FileLine): boolean {
    if (!isLast) this.#lines++
    if (bytes.length === 0) return true
    const line = headOf(bytes)
    if (isObject(line) && 'x-records' in line) this.#checkVersion(line['x-records'])
    else if (line === undefined && isTorn(bytes.toString())) {
      this.#warn()
      return !isLast
    } else if (!this.#hasHeader) throw this.#error('the first line has no version')
    else if (isLabel(line)) this.#addLabel(line as LabelLine)
    else if (isPiece(line)) this.#addPiece(line as PieceHead, { at, length: bytes.length })
    else throw this.#error(`line ${this.#lines + (isLast ? 1 : 0)} is no record`)
    return true
  }

  #checkVersion(version: unknown): void {
    checkRecordVersion(version, `the records in \`${this.#path}\` have`)
    this.#hasHeader = true
  }

  #error(what: string): XError {
    return new XError('invalid-state', `${what} in \`${this.#path}\`: restore the file, or remove the line`)
  }

  #warn(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    process.emitWarning(
      `a line of \`${this.#path}\` has no end, since its process was ended, and is left out: its run is cut off`,
    )
  }

  #addLabel({ runId, label }: LabelLine): void {
    const run = this.#runs.get(runId)
    if (run) run.labels = withLabel(run.labels, label)
  }

  #addPiece(head: PieceHead, place: IndexedRun['places'][number]): void {
    const { runId, session, number, summary, tags, parent, writer } = head
    const run = this.#runs.get(runId) ?? newRun(parent, writer)
    if (number < (run.next.get(session) ?? 0)) return
    run.next.set(session, number + 1)
    run.summary = joined(run.places.length > 0 ? run.summary : null, summary)
    run.tags = { ...run.tags, ...tags }
    run.bytes += place.length
    run.writer = writer
    run.places.push(place)
    this.#runs.set(runId, run)
  }
}

const newRun = (parent: Piece['parent'], writer: WriterProcess): IndexedRun => ({
  summary: joined(null, null),
  tags: {},
  parent,
  labels: [],
  bytes: 0,
  writer,
  places: [],
  next: new Map(),
})

const infoOf = (runId: string, { summary, tags, parent, labels, bytes, writer }: IndexedRun): KeptRunInfo => ({
  runId,
  ...summary,
  tags,
  parent,
  labels,
  bytes,
  cutOff: isCutOff(summary, writer, platformNow()),
})

/** Reads a line without the lines of a piece; undefined for what is no JSON. */
function headOf(bytes: Buffer): unknown {
  const end = bytes.indexOf(LINES_BEGIN)
  // A piece that was torn exactly at such an end counts here, and not when its run is read.
  const isPieceWhole = end !== -1 && bytes.subarray(-LINES_END.length).equals(Buffer.from(LINES_END))
  return (isPieceWhole ? parsed(`${bytes.toString('utf8', 0, end)}}`) : undefined) ?? parsed(bytes.toString())
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Reads the run of a line from its beginning; null for a line of none. */
export function runOfLine(bytes: Buffer): string | null {
  const [, id] = /^\{"runId":("(?:[^"\\]|\\.)*"),/u.exec(bytes.toString('utf8', 0, MAX_ID_BYTES)) ?? []
  return id === undefined ? null : ((parsed(id) as string | undefined) ?? null)
}

/** Bytes in which the id of a run stands. */
const MAX_ID_BYTES = 65_536

/** True for the beginning of a line of JSON: a text or an object in it has no end. */
function isTorn(text: string): boolean {
  if (beginsHeader(text)) return true
  if (!BEGINNING.startsWith(text.slice(0, BEGINNING.length))) return false
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (isInText && character === '\\') at++
    else if (character === '"') isInText = !isInText
    else if (!isInText && (character === '{' || character === '[')) depth++
    else if (!isInText && (character === '}' || character === ']')) depth--
  }
  return isInText || depth > 0
}
