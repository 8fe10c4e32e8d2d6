import { fileSystem } from './platform.ts'

/** Returns what tells a file from another one at the same path; null if there is none. */
export function fileId(path: string): string | null {
  const found = fileSystem().statSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.dev}:${found.ino}` : null
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
