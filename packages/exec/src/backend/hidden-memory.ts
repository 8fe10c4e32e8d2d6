import { readdirSync, readFileSync, readlinkSync, statSync, statfsSync } from 'node:fs'

/** Bytes that processes hold where neither a directory listing nor their resident memory shows them. */
export interface Hidden {
  /** Bytes in memory: `memfd` files, and the buffers of sockets. */
  memory: number
  /** Bytes on the disk: files that were removed while a process has them open. */
  disk: number
}

/** Bytes that the kernel buffers for one socket by default. */
const SOCKET_BUFFER_BYTES = 212_992

/** Totals to which {@link addHidden} adds. */
export interface HiddenCount {
  readonly hidden: Hidden
  /** Files that are already counted. */
  readonly countedFiles: Set<string>
  /** Files that a process may have open. */
  readonly openFiles: number
}

/**
 * Adds the bytes that a process keeps in files without a name. A file that several processes have open counts once. A process
 * that this user may not inspect, because its program is not readable, counts as much as it could have open.
 */
export function addHidden(pid: number, { hidden, countedFiles, openFiles }: HiddenCount): void {
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
      const isMemory = target.startsWith('/memfd:') || target.startsWith('socket:')
      if (!isMemory && !target.endsWith(' (deleted)')) continue
      const { dev, ino, blocks } = statSync(path)
      if (countedFiles.has(`${dev}:${ino}`)) continue
      countedFiles.add(`${dev}:${ino}`)
      if (!isMemory) hidden.disk += blocks * 512
      else hidden.memory += target.startsWith('socket:') ? SOCKET_BUFFER_BYTES : blocks * 512
    } catch {
      // The process closed it meanwhile.
    }
  }
}

/** Returns true if a process runs inside a sandbox, and is not the one that set it up. */
function isCode(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return !/^State:\s+[ZX]/mu.test(status) && /^NSpid:(?:\s+\d+)+\s+(?!1$)\d+$/mu.test(status)
  } catch {
    return false
  }
}

/** Bytes of a page, the unit in which the kernel counts TCP buffers. */
const PAGE_BYTES = 4_096

/** Bytes that the kernel takes for the name and the inode of an empty file in memory. */
const INODE_BYTES = 1_024

/** File systems in memory of a sandbox, beside its work directory. Their size limits the contents of their files. */
const TMPFS_DIRECTORIES = ['/tmp', '/dev/shm']

/** Returns the bytes of inodes in the temporary directories of a sandbox; 0 if no process is in one. */
export function inodeBytes(pids: readonly number[]): number {
  const outside = deviceOf(TMPFS_DIRECTORIES[0]!)
  // The youngest processes are inside the sandbox; some cannot be inspected.
  for (const pid of pids.toReversed()) {
    const root = `/proc/${pid}/root`
    const inside = deviceOf(`${root}${TMPFS_DIRECTORIES[0]!}`)
    if (inside === null || inside === outside) continue
    let inodes = 0
    for (const directory of TMPFS_DIRECTORIES) inodes += inodesIn(`${root}${directory}`)
    return inodes * INODE_BYTES
  }
  return 0
}

/**
 * Returns a function that returns by how many bytes TCP buffers have grown since, if some of the processes have connections
 * in a network namespace of their own, else 0. The kernel counts these buffers for the whole machine only, so growth by other
 * programs counts as well; one connection may have megabytes.
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

/** Returns true if the network of a process has a TCP socket that does more than listen. */
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

function inodesIn(path: string): number {
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
