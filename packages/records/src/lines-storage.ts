import { XError } from '@x/kernel'
import { ownFile } from '@x/kernel/sqlite'
import { fileId } from './file-state.ts'
import {
  beginsHeader,
  type FileLine,
  type LabelLine,
  LINES_BEGIN,
  LINES_HEADER,
  LinesIndex,
  linesIn,
  type PieceHead,
  runOfLine,
} from './lines-index.ts'
import { fileSystem } from './platform.ts'
import {
  checkRecordVersion,
  isLater,
  type KeptLines,
  type KeptRunInfo,
  type Piece,
  RECORD_VERSION,
  type RecordBounds,
  type RecordReader,
  type RecordStorage,
  type RunLabel,
  type RunQuery,
  unknownRun,
} from './storage.ts'
import { isAlive, ownProcess } from './writer-process.ts'

/**
 * Opens a file of JSON lines for records, for other programs to read. What several processes append on a local disk stands
 * behind each other. A file that is removed while it is open is made anew.
 */
export function openLinesStorage(path: string): RecordStorage {
  return new LinesStorage(path)
}

/** Opens a file of JSON lines to read it: nothing is changed in it. */
export function openLinesReader(path: string): RecordReader {
  const reader = new LinesIndex(path)
  reader.list({ limit: 1 })
  return reader
}

/** Bytes of a file in which its first line stands. */
const HEAD_BYTES = 1024
/** Tries to write a line whole, and a change of the file while others change it. */
const MAX_TRIES = 5

/** A file that is open to append to it. */
interface OpenFile {
  readonly file: number
  readonly id: string | null
}

class LinesStorage implements RecordStorage {
  readonly #path: string
  readonly #fs = fileSystem()
  readonly #index: LinesIndex
  /** Pieces that are in the file although others, which were to be written with them, are not. */
  readonly #written = new WeakSet<Piece>()
  /** Null after the file was removed, until it can be made anew. */
  #opened: OpenFile | null = null
  /** True while another file stands at the path than the one that was opened first: without the runs that were removed. */
  #isRewritten = false

  constructor(path: string) {
    this.#path = path
    this.#index = new LinesIndex(path)
    void this.#open()
  }

  write(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.#written.has(piece) || this.#isOfRemoved(piece)) continue
      const { text, ...head } = piece
      const whole: PieceHead = { ...head, writer: ownProcess() }
      // Line breaks in a text of JSON are escaped: those that are left stand between the lines.
      this.#append(`${JSON.stringify(whole).slice(0, -1)}${LINES_BEGIN}${text.replaceAll('\n', ',')}]}`)
      this.#written.add(piece)
    }
  }

  /** True for a piece of a run that was removed while it goes on, with which the file was written anew. */
  #isOfRemoved(piece: Piece): boolean {
    void this.#open()
    return this.#isRewritten && isLater(piece) && !this.#index.has(piece.runId)
  }

  read(runId: string, after?: number): KeptLines | undefined {
    return this.#indexed().read(runId, after)
  }

  list(query: RunQuery): KeptRunInfo[] {
    return this.#indexed().list(query)
  }

  label(runId: string, label: RunLabel): void {
    if (!this.#indexed().has(runId)) throw unknownRun(runId)
    this.#append(JSON.stringify({ runId, label } satisfies LabelLine))
  }

  remove(runId: string): boolean {
    this.#clear()
    if (!this.#indexed().has(runId)) return false
    this.#keep((each) => each !== runId)
    return true
  }

  retain({ before, maxBytes }: RecordBounds): void {
    this.#clear()
    const runs = this.#indexed().list({ limit: Infinity })
    let surplus = runs.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes
    const removed = new Set<string>()
    for (const { runId, last, bytes } of runs.toReversed()) {
      if (last >= before && surplus <= 0) break
      removed.add(runId)
      surplus -= bytes
    }
    if (removed.size > 0) this.#keep((runId) => !removed.has(runId))
  }

  close(): void {
    this.#index.close()
    if (this.#opened) this.#fs.closeSync(this.#opened.file)
    this.#opened = null
  }

  #indexed(): LinesIndex {
    void this.#open()
    return this.#index
  }

  /** Returns the file that stands at the path now. What is written to one that was removed, or replaced, would be lost. */
  #open(): OpenFile {
    if (this.#opened && this.#opened.id !== fileId(this.#path)) {
      // One that is missing is made anew: its runs go on in it.
      this.#isRewritten = fileId(this.#path) !== null
      this.close()
    }
    if (this.#opened) return this.#opened
    ownFile(this.#path)
    // To append and to read.
    const file = this.#fs.openSync(this.#path, 'a+', 0o600)
    try {
      if (!this.#hasHeader(file)) this.#writeLine(file, LINES_HEADER)
      // Another process may have put a new file there since: it is written in the next try.
      this.#opened = { file, id: fileId(file) }
    } catch (error) {
      this.#fs.closeSync(file)
      throw error
    }
    return this.#opened
  }

  /** Looks for the version of the file, which is missing in a new one, and after the end of a process that was to write it. */
  #hasHeader(file: number): boolean {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const text = bytes.toString('utf8', 0, this.#fs.readSync(file, bytes, 0, HEAD_BYTES, 0))
    const lines = text.split('\n').filter((line) => line !== '')
    for (const line of lines) {
      if (/^\{"x-records":\d{1,9}\}$/u.test(line)) {
        const version = Number(line.slice('{"x-records":'.length, -1))
        checkRecordVersion(version, `the records in \`${this.#path}\` have`)
        if (version !== RECORD_VERSION) this.#raiseVersion(text.indexOf(line))
        return true
      }
      if (!beginsHeader(line)) {
        throw new XError('invalid-state', `\`${this.#path}\` is no file of records: name another file`)
      }
    }
    return false
  }

  /** Puts the first line of this release in the place of that of an earlier one, which is as long: its lines may be others now. */
  #raiseVersion(at: number): void {
    const file = this.#fs.openSync(this.#path, 'r+')
    try {
      this.#fs.writeSync(file, LINES_HEADER, at)
    } finally {
      this.#fs.closeSync(file)
    }
  }

  /** Writes a line behind what is there, and again if another process has put a new file in the place of this one meanwhile. */
  #append(line: string): void {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { file, id } = this.#open()
      this.#writeLine(file, line)
      if (fileId(this.#path) === id) return
    }
    throw this.#busy()
  }

  /** Writes a line whole; a part of it stays behind as a line that nobody reads. With the line break before it, each stands alone. */
  #writeLine(file: number, line: string): void {
    const isFirst = this.#fs.fstatSync(file).size === 0
    const bytes = Buffer.from(isFirst ? line : `\n${line}`)
    for (let tries = 0; tries < MAX_TRIES; tries++) if (this.#fs.writeSync(file, bytes) === bytes.length) return
    throw this.#busy()
  }

  #busy(): XError {
    return new XError(
      'invalid-state',
      `\`${this.#path}\` cannot be written: it changes all the time, or the disk is full`,
    )
  }

  /** Removes the copies of processes that were ended while they wrote the file anew: they have runs that are removed. */
  #clear(): void {
    const paths = process.getBuiltinModule('node:path')
    const [folder, name] = [paths.dirname(this.#path), `${paths.basename(this.#path)}.`]
    for (const each of this.#fs.readdirSync(folder)) {
      const pid = each.startsWith(name) && each.endsWith('.tmp') ? Number(each.slice(name.length, -'.tmp'.length)) : 0
      if (pid > 0 && !isAlive(pid)) this.#fs.rmSync(paths.join(folder, each), { force: true })
    }
  }

  /** Writes the file anew with the runs that stay, beside the old one, and puts it in its place. */
  #keep(stays: (runId: string) => boolean): void {
    for (let tries = 0; tries < MAX_TRIES; tries++) if (this.#isReplaced(stays)) return
    throw this.#busy()
  }

  /** Returns false if another process has done the same meanwhile. */
  #isReplaced(stays: (runId: string) => boolean): boolean {
    const beside = `${this.#path}.${process.pid}.tmp`
    const { id } = this.#open()
    const old = this.#fs.openSync(this.#path, 'r')
    let kept: number | undefined
    try {
      this.#fs.rmSync(beside, { force: true })
      // To append: others do so too once it is in its place.
      kept = this.#fs.openSync(beside, 'a', 0o600)
      this.#fs.appendFileSync(kept, LINES_HEADER)
      const last = this.#copy(old, null, kept, stays)
      if (fileId(this.#path) !== id) return false
      this.#fs.renameSync(beside, this.#path)
      // Other processes may have written to the old file until now; from now on they see that it is another one.
      this.#copy(old, last, kept, stays)
      return true
    } finally {
      this.#fs.closeSync(old)
      if (kept !== undefined) this.#fs.closeSync(kept)
      this.#fs.rmSync(beside, { force: true })
    }
  }

  /** Copies the lines of the runs that stay, behind the last one so far; returns the last one, which may not be written to its end yet. */
  #copy(from: number, known: FileLine | null, to: number, stays: (runId: string) => boolean): FileLine | null {
    let last = known
    for (const line of linesIn(from, known?.at ?? 0)) {
      last = line
      const { bytes, at } = line
      if (at === known?.at && bytes.equals(known.bytes)) continue
      const runId = runOfLine(bytes)
      if (runId !== null && stays(runId)) this.#fs.appendFileSync(to, Buffer.concat([Buffer.from('\n'), bytes]))
    }
    return last
  }
}
