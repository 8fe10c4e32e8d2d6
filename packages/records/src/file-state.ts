import { fileSystem } from './platform.ts'

/** Returns what tells a file, by its path or open, from another one at the same path; null if there is none. */
export function fileId(file: string | number): string | null {
  const fs = fileSystem()
  const found =
    typeof file === 'number'
      ? fs.fstatSync(file, { bigint: true })
      : fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.dev}:${found.ino}` : null
}

/** Places in the header of a file of SQLite: the size of a page, a count of changes, the pages, and the changes when those were counted. */
const [PAGE_SIZE_AT, CHANGES_AT, PAGES_AT, COUNTED_AT, HEADER_BYTES] = [16, 24, 28, 92, 100]

/**
 * True if a file of SQLite has fewer pages than its header says. SQLite reads such a file as far as it goes, and gives what is
 * missing to others. Pages may also stand in a log beside the file, with which they are not counted.
 */
export function isTruncated(path: string): boolean {
  const fs = fileSystem()
  if (!fs.existsSync(path)) return false
  const header = Buffer.alloc(HEADER_BYTES)
  const file = fs.openSync(path, 'r')
  try {
    if (fs.readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false
    if (header.readUInt32BE(CHANGES_AT) !== header.readUInt32BE(COUNTED_AT)) return false
    // In this order: a log that is gone after the header was read has left all of its pages in the file.
    if ((fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
    const size = header.readUInt16BE(PAGE_SIZE_AT)
    // One of 65,536 bytes is written as 1.
    return fs.fstatSync(file).size < header.readUInt32BE(PAGES_AT) * (size === 1 ? 65_536 : size)
  } finally {
    fs.closeSync(file)
  }
}

/** Tries to read a file that others change meanwhile. */
const MAX_TRIES = 5

/**
 * Reads a file of SQLite without any change: neither in it nor beside it. Where no process has it open, SQLite takes it as one
 * that does not change, and makes no files of its own; if it changed nonetheless, it is read again.
 */
export function readUnchanged<T>(path: string, read: (location: string | URL) => T): T {
  for (let tries = 1; ; tries++) {
    const before = stateOf(path)
    const isOpen = before.log !== null
    const location = new URL(`?immutable=1`, process.getBuiltinModule('node:url').pathToFileURL(path))
    let value: T | undefined
    let failure: unknown
    try {
      value = read(isOpen ? path : location)
    } catch (error) {
      failure = error
    }
    const after = stateOf(path)
    const isSame = isOpen || (after.log === null && after.file === before.file)
    if (!isSame && tries < MAX_TRIES) continue
    if (failure !== undefined) throw failure
    return value as T
  }
}

/** The states of a file and of the log beside it, which exists while a process has the file open. */
function stateOf(path: string): { readonly file: string | null; readonly log: string | null } {
  const fs = fileSystem()
  const [file, log] = [path, `${path}-wal`].map((each) => {
    const found = fs.statSync(each, { throwIfNoEntry: false, bigint: true })
    return found ? `${found.ino}:${found.size}:${found.mtimeNs}` : null
  })
  return { file: file!, log: log! }
}
