import { XError } from '@x/kernel'
import { ownFile } from '@x/kernel/sqlite'
import { fileSystem } from './platform.ts'
import {
  DEFAULT_LIMIT,
  isLabel,
  isPiece,
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

/** A line of a file of JSON lines: a piece of a run, a label, or the removal of a run. */
type FileLine =
  | (Omit<Piece, 'text'> & { readonly lines: readonly unknown[] })
  | { readonly runId: string; readonly label: RunLabel }

/** A run in memory. */
interface LoadedRun {
  info: KeptRunInfo
  readonly pieces: string[]
}

/**
 * Opens a file of JSON lines for records, for other programs to read. One process writes it; a list or a run is read from the
 * whole file.
 */
export function openLinesStorage(path: string): RecordStorage {
  ownFile(path)
  return new LinesStorage(path)
}

class LinesStorage implements RecordStorage {
  readonly #path: string
  readonly #fs = fileSystem()
  #file: number

  constructor(path: string) {
    this.#path = path
    this.#file = this.#open()
  }

  write(pieces: readonly Piece[]): void {
    const texts = pieces.map(
      // Line breaks in a text of JSON are escaped: those that are left stand between the lines.
      ({ text, ...piece }) => `\n${JSON.stringify(piece).slice(0, -1)},"lines":[${text.replaceAll('\n', ',')}]}`,
    )
    this.#append(texts.join(''))
  }

  read(runId: string): { readonly info: KeptRunInfo; readonly lines: Iterable<string> } | undefined {
    const run = this.#load().get(runId)
    return run && { info: run.info, lines: run.pieces.flatMap((piece) => piece.split('\n')) }
  }

  list(query: RunQuery): KeptRunInfo[] {
    const { since = 0, before = Infinity, limit = DEFAULT_LIMIT } = query
    return [...this.#load().values()]
      .map(({ info }) => info)
      .filter((info) => info.last >= since && info.last < before && isWanted(info, query))
      .toSorted((one, other) => other.last - one.last || (one.runId < other.runId ? -1 : 1))
      .slice(0, limit)
  }

  label(runId: string, label: RunLabel): void {
    if (!this.#load().has(runId)) throw unknownRun(runId)
    this.#append(`\n${JSON.stringify({ runId, label } satisfies FileLine)}`)
  }

  remove(runId: string): boolean {
    if (!this.#load().has(runId)) return false
    this.#keep((line) => line.runId !== runId)
    return true
  }

  retain({ before, maxBytes }: { readonly before: number; readonly maxBytes: number }): void {
    const runs = [...this.#load().values()].map(({ info }) => info)
    let surplus = runs.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes
    const removed = new Set<string>()
    for (const { runId, last, bytes } of runs.toSorted((one, other) => one.last - other.last)) {
      if (last >= before && surplus <= 0) break
      removed.add(runId)
      surplus -= bytes
    }
    if (removed.size > 0) this.#keep((line) => !removed.has(line.runId))
  }

  close(): void {
    this.#fs.closeSync(this.#file)
  }

  #open(): number {
    return this.#fs.openSync(this.#path, 'a', 0o600)
  }

  /** Writes a text whole, or nothing of it: a part would be there twice after the next try. */
  #append(text: string): void {
    const { size } = this.#fs.fstatSync(this.#file)
    const bytes = Buffer.from(text)
    try {
      for (let done = 0; done < bytes.length;) done += this.#fs.writeSync(this.#file, bytes, done)
    } catch (error) {
      this.#fs.ftruncateSync(this.#file, size)
      throw error
    }
  }

  /** Writes the file anew with the lines that stay, beside the old one, and puts it in its place. */
  #keep(stays: (line: FileLine) => boolean): void {
    const beside = `${this.#path}.${process.pid}.tmp`
    const lines = this.#lines().filter(({ line }) => stays(line))
    try {
      this.#fs.writeFileSync(beside, lines.map(({ text }) => `\n${text}`).join(''), { mode: 0o600 })
      this.#fs.renameSync(beside, this.#path)
    } catch (error) {
      this.#fs.rmSync(beside, { force: true })
      throw error
    }
    this.#fs.closeSync(this.#file)
    this.#file = this.#open()
  }

  /** Reads the lines of the file; those that the end of a process tore are left out. */
  #lines(): { readonly text: string; readonly line: FileLine }[] {
    const texts = this.#fs.readFileSync(this.#path, 'utf8').split('\n')
    return texts.flatMap((text, index) => {
      if (text === '') return []
      let line: unknown
      let cause: unknown
      try {
        line = JSON.parse(text)
      } catch (error) {
        // With the line break before it, a line that the end of a process tore stands alone.
        if (isTorn(text)) return []
        cause = error
      }
      if (isPiece(line) || isLabel(line)) return [{ text, line: line as FileLine }]
      const where = `line ${index + 1} of \`${this.#path}\``
      throw new XError('invalid-state', `${where} is no record: restore the file, or remove the line`, { cause })
    })
  }

  #load(): Map<string, LoadedRun> {
    const runs = new Map<string, LoadedRun>()
    for (const { line } of this.#lines()) {
      const known = runs.get(line.runId)
      if ('label' in line) {
        if (known) known.info = { ...known.info, labels: withLabel(known.info.labels, line.label) }
        continue
      }
      const { runId, session, lines, summary, tags, parent } = line
      const text = [['s', session], ...lines].map((each) => JSON.stringify(each)).join('\n')
      const info = {
        runId,
        ...joined(known?.info ?? null, summary),
        tags: { ...known?.info.tags, ...tags },
        parent: known?.info.parent ?? parent,
        labels: known?.info.labels ?? [],
        bytes: (known?.info.bytes ?? 0) + Buffer.byteLength(text),
      }
      runs.set(runId, { info, pieces: [...(known?.pieces ?? []), text] })
    }
    return runs
  }
}

/** True for the beginning of a line of JSON: a text or an object in it has no end. */
function isTorn(text: string): boolean {
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

/** All lines begin with it. */
const BEGINNING = '{"runId":'
