import { readdirSync, readlinkSync, statSync } from 'node:fs'

/** Bytes held by files that have no name any more and that processes keep open. */
export interface Hidden {
  /** Bytes in memory: `memfd` files, and what sockets may buffer. */
  memory: number
  /** Bytes of files on disk that were removed and are still open. */
  disk: number
}

/** Bytes that the kernel buffers for one socket, by default. */
const SOCKET = 212_992

/**
 * Adds what a process keeps in files that no listing shows. A file that several processes have open counts once:
 * `seen` holds what was counted. Only processes that this user may look into are seen.
 */
export function addHidden(pid: number, hidden: Hidden, seen: Set<string>): void {
  const directory = `/proc/${pid}/fd`
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
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
