import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/** Bytes held by files that have no name any more and that processes keep open. */
export interface Hidden {
  /** Bytes in memory: `memfd` files, and what sockets may buffer. */
  memory: number
  /** Bytes of files on disk that were removed and are still open. */
  disk: number
}

/** Bytes that the kernel buffers for one socket, by default. */
const SOCKET = 212_992

/** Where {@link addHidden} adds to. */
export interface HiddenCount {
  readonly hidden: Hidden
  /** Files that were counted. */
  readonly seen: Set<string>
  /** Files that a process may have open. */
  readonly openFiles: number
}

/**
 * Adds what a process keeps in files that no listing shows. A file that several processes have open counts once. One
 * that this user may not look into, as it runs a program that nobody may read, counts as what it could have.
 */
export function addHidden(pid: number, { hidden, seen, openFiles }: HiddenCount): void {
  const directory = `/proc/${pid}/fd`
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES' && isCode(pid)) hidden.memory += openFiles * SOCKET
    return
  }
  for (const name of names) {
    const path = `${directory}/${name}`
    try {
      const target = readlinkSync(path)
      const memory = target.startsWith('/memfd:') || target.startsWith('socket:')
      if (!memory && !target.endsWith(' (deleted)')) continue
      const { dev, ino, blocks } = statSync(path)
      if (seen.has(`${dev}:${ino}`)) continue
      seen.add(`${dev}:${ino}`)
      if (!memory) hidden.disk += blocks * 512
      else hidden.memory += target.startsWith('socket:') ? SOCKET : blocks * 512
    } catch {
      // It was closed meanwhile.
    }
  }
}

/** Tells whether a process that runs is inside of a sandbox, and not the one that set it up. */
function isCode(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return !/^State:\s+[ZX]/mu.test(status) && /^NSpid:(?:\s+\d+)+\s+(?!1$)\d+$/mu.test(status)
  } catch {
    return false
  }
}
