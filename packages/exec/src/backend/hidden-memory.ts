import { readdirSync, readFileSync, readlinkSync, statSync, statfsSync } from 'node:fs'

/** Bytes held by files that have no name any more and that processes keep open. */
export interface Hidden {
  /** Bytes in memory: `memfd` files, and what sockets may buffer. */
  memory: number
  /** Bytes of files on disk that were removed and are still open. */
  disk: number
}

/** Bytes that the kernel buffers for one socket, by default. */
const SOCKET_BUFFER_BYTES = 212_992

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
    if ((error as NodeJS.ErrnoException).code === 'EACCES' && isCode(pid))
      hidden.memory += openFiles * SOCKET_BUFFER_BYTES
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
      else hidden.memory += target.startsWith('socket:') ? SOCKET_BUFFER_BYTES : blocks * 512
    } catch {
      // It was closed meanwhile.
    }
  }
}

/** Returns true if a process that runs is inside of a sandbox, and not the one that set it up. */
function isCode(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return !/^State:\s+[ZX]/mu.test(status) && /^NSpid:(?:\s+\d+)+\s+(?!1$)\d+$/mu.test(status)
  } catch {
    return false
  }
}

/** Bytes of a page, in which the kernel counts the buffers of TCP. */
const PAGE_BYTES = 4_096

/** Bytes that the kernel takes for the name and the node of an empty file in memory. */
const INODE_BYTES = 1_024

/** File systems in memory that a sandbox has beside its work directory. Their size bounds what is in files. */
const TMPFS_DIRECTORIES = ['/tmp', '/dev/shm']

/** Bytes of the names and nodes of files in the temporary directories of a sandbox; 0 where the tree is in none. */
export function nodesInMemory(pids: readonly number[]): number {
  const outside = deviceOf(TMPFS_DIRECTORIES[0]!)
  // The youngest are inside; not all of them can be looked at.
  for (const pid of pids.toReversed()) {
    const root = `/proc/${pid}/root`
    const inside = deviceOf(`${root}${TMPFS_DIRECTORIES[0]!}`)
    if (inside === null || inside === outside) continue
    let nodes = 0
    for (const directory of TMPFS_DIRECTORIES) nodes += nodesOf(`${root}${directory}`)
    return nodes * INODE_BYTES
  }
  return 0
}

/**
 * Returns a function that tells by how many bytes the buffers of TCP grew since, while processes have connections in a
 * network of their own; 0 without. The kernel counts them for the whole machine only, and lets one connection have
 * megabytes; that others have grown meanwhile is counted as well.
 */
export function tcpGrowth(): (pids: readonly number[]) => number {
  const before = tcpBuffers()
  const own = networkOf('self')
  return (pids) => {
    const inside = pids.toReversed().find((pid) => {
      const network = networkOf(pid)
      return network !== null && network !== own
    })
    return inside !== undefined && hasConnections(inside) ? Math.max(tcpBuffers() - before, 0) : 0
  }
}

function tcpBuffers(): number {
  const pages = /^TCP: .* mem (?<pages>\d+)$/mu.exec(text('/proc/net/sockstat'))?.groups?.['pages']
  return Number(pages ?? 0) * PAGE_BYTES
}

/** Returns true if there is a socket of TCP that does more than listen. */
function hasConnections(pid: number): boolean {
  return ['tcp', 'tcp6'].some((name) => /^ *\d+: \S+ \S+ (?!0A)/mu.test(text(`/proc/${pid}/net/${name}`)))
}

function networkOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return null
  }
}

function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev
  } catch {
    return null
  }
}

function nodesOf(path: string): number {
  try {
    const { files, ffree } = statfsSync(path)
    return files - ffree
  } catch {
    return 0
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
