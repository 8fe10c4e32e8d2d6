import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statfsSync, statSync } from 'node:fs'

/** Returns the ids of a process and its descendants; outside Linux, only the process itself. */
export function processTree(root: number): number[] {
  const pids = [root]
  for (const pid of pids) {
    for (const task of names(`/proc/${pid}/task`)) {
      pids.push(...text(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
    }
  }
  return pids
}

/** Returns true if no process has this id. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Returns the number of threads of a process. */
export const threadsOf = (pid: number): number => names(`/proc/${pid}/task`).length

/** Memory of a process by itself. {@link mappingsOf} has the memory that it shares. */
export interface OwnMemory {
  /** Resident bytes: private memory and mapped files. */
  readonly resident: number
  /** Bytes of the tables in which the kernel keeps where the pages lie; reads from empty memory enlarge them. */
  readonly pageTables: number
}

/** Returns the memory of a process by itself; zeros for a process that is gone. */
export function ownMemory(pid: number): OwnMemory {
  const status = text(`/proc/${pid}/status`)
  const bytes = (name: string): number | undefined => {
    const size = new RegExp(`^${name}:\\s+(?<size>\\d+) kB$`, 'mu').exec(status)?.groups?.['size']
    return size === undefined ? undefined : Number(size) * 1024
  }
  const own = bytes('RssAnon')
  return {
    resident: own === undefined ? (bytes('VmRSS') ?? 0) : own + (bytes('RssFile') ?? 0),
    pageTables: bytes('VmPTE') ?? 0,
  }
}

/** Mapped memory of a process. */
export interface Mappings {
  /** Shared mappings of files without a name, which outlive the descriptors of these files. */
  readonly shared: readonly {
    /** Device and inode of the file, as in `stat`. */
    readonly file: string
    /** Bytes of the file up to the end of the mapping. */
    readonly bytes: number
  }[]
  /** Bytes that the kernel needs to remember all mappings. */
  readonly kernelBytes: number
}

/** Bytes of the kernel for one mapping: its own, and its part of the tree of mappings. */
const MAPPING_BYTES = 256

const SHARED_MAPPING_LINE =
  /^(?<from>[\da-f]+)-(?<to>[\da-f]+) ..(?:.)s (?<offset>[\da-f]+) (?<major>[\da-f]+):(?<minor>[\da-f]+) (?<ino>\d+) +\/(?:dev\/zero|memfd:|SYSV)/gmu

/** Returns the mappings of a process, as far as this user may inspect it. */
export function mappingsOf(pid: number): Mappings {
  const lines = text(`/proc/${pid}/maps`)
  const shared = [...lines.matchAll(SHARED_MAPPING_LINE)].map(({ groups }) => {
    const [from, to, offset, major, minor] = ['from', 'to', 'offset', 'major', 'minor'].map((name) =>
      Number.parseInt(groups![name]!, 16),
    ) as [number, number, number, number, number]
    const device = (minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)
    return { file: `${device}:${groups!['ino']}`, bytes: offset + to - from }
  })
  return { shared, kernelBytes: countOf(lines, '\n') * MAPPING_BYTES }
}

function countOf(lines: string, sign: string): number {
  let count = 0
  for (let at = lines.indexOf(sign); at !== -1; at = lines.indexOf(sign, at + sign.length)) count++
  return count
}

/** Returns the ids of visible processes whose environment held an entry when they started. */
export function processesTagged(entry: string): number[] {
  return names('/proc')
    .filter((name) => /^\d+$/u.test(name) && text(`/proc/${name}/environ`).split('\0').includes(entry))
    .map(Number)
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Bytes that processes hold where neither a directory listing nor their resident memory shows them. */
export interface Hidden {
  /** Bytes of `memfd` files, which a control group counts. */
  files: number
  /** Bytes of the kernel: buffers of sockets and pipes, and watches of `epoll`. */
  kernel: number
  /** Bytes on the disk: files that were removed while a process has them open. */
  disk: number
}

/** Bytes that the kernel buffers for one socket by default. */
const SOCKET_BUFFER_BYTES = 212_992

/** Bytes that the kernel buffers for one pipe by default. */
const PIPE_BUFFER_BYTES = 65_536

/** Bytes of the kernel for one file that `epoll` watches. */
const EPOLL_WATCH_BYTES = 256

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
      hidden.kernel += openFiles * SOCKET_BUFFER_BYTES
    return
  }
  for (const name of names) {
    const path = `${directory}/${name}`
    try {
      const target = readlinkSync(path)
      if (target === 'anon_inode:[eventpoll]') {
        hidden.kernel += countOf(text(`/proc/${pid}/fdinfo/${name}`), 'tfd:') * EPOLL_WATCH_BYTES
        continue
      }
      const kernelBytes = target.startsWith('socket:')
        ? SOCKET_BUFFER_BYTES
        : target.startsWith('pipe:')
          ? PIPE_BUFFER_BYTES
          : undefined
      const isMemory = target.startsWith('/memfd:')
      if (kernelBytes === undefined && !isMemory && !target.endsWith(' (deleted)')) continue
      const { dev, ino, blocks } = statSync(path)
      if (countedFiles.has(`${dev}:${ino}`)) continue
      countedFiles.add(`${dev}:${ino}`)
      if (kernelBytes !== undefined) hidden.kernel += kernelBytes
      else if (isMemory) hidden.files += blocks * 512
      else hidden.disk += blocks * 512
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
 * Returns a function that returns the bytes in buffers of connections that no process has open, if some of the processes are
 * in a network namespace of their own, else 0: by how much TCP buffers have grown since, and local connections that wait to be
 * accepted. The kernel counts TCP buffers for the whole machine only, so growth by other programs counts as well; one
 * connection may have megabytes.
 */
export function connectionGrowth(): (pids: readonly number[]) => number {
  const before = tcpBuffers()
  const own = networkOf('self')
  return (pids) => {
    const inside = pids.toReversed().find((pid) => {
      const network = networkOf(pid)
      return network !== null && network !== own
    })
    if (inside === undefined) return 0
    const tcp = hasConnections(inside) ? Math.max(tcpBuffers() - before, 0) : 0
    return tcp + waitingConnections(inside) * SOCKET_BUFFER_BYTES
  }
}

/** Returns the number of local connections in the network of a process that nobody has accepted: they have no inode. */
const waitingConnections = (pid: number): number =>
  text(`/proc/${pid}/net/unix`)
    .split('\n')
    .filter((line) => line.split(/ +/u)[6] === '0').length

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

/** Bytes of `/proc/locks` to read at once; the kernel takes longer for each further part of a long list. */
const LOCK_LIST_BYTES = 262_144

/** Bytes of the kernel for one lock of a part of a file. */
const LOCK_BYTES = 256

/** Returns the bytes of locks that processes have on parts of files. More than a list of some 4,000 count as without end. */
export function lockBytes(pids: readonly number[]): number {
  let lines: string
  try {
    const file = openSync('/proc/locks', 'r')
    try {
      lines = readUpTo(file, LOCK_LIST_BYTES)
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
  const own = new Set(pids.map(String))
  const holders = [...lines.matchAll(/ POSIX +\w+ +\w+ +(?<pid>\d+) /gu)].map(({ groups }) => groups!['pid']!)
  const count = holders.filter((pid) => own.has(pid)).length
  return lines.length >= LOCK_LIST_BYTES && count > holders.length / 2 ? Infinity : count * LOCK_BYTES
}

/** Reads a file of `/proc`, which gives a page at a time. */
function readUpTo(file: number, bytes: number): string {
  const buffer = new Uint8Array(bytes)
  let length = 0
  while (length < bytes) {
    const count = readSync(file, buffer, length, bytes - length, null)
    if (count === 0) break
    length += count
  }
  return Buffer.from(buffer.subarray(0, length)).toString('latin1')
}
