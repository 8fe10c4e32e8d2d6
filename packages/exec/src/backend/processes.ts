import { readdirSync, readFileSync, readlinkSync, statSync, statfsSync, closeSync, openSync } from 'node:fs'
import type { StdioOptions, ChildProcess } from 'node:child_process'

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

/** Returns the number of threads of a process. */
export const threadsOf = (pid: number): number => names(`/proc/${pid}/task`).length

/** Returns the resident bytes of a process: private memory and mapped files. {@link sharedMappings} has the shared memory. */
export function residentBytes(pid: number): number {
  const status = text(`/proc/${pid}/status`)
  const kibibytes = (name: string): number | undefined => {
    const size = new RegExp(`^${name}:\\s+(?<size>\\d+) kB$`, 'mu').exec(status)?.groups?.['size']
    return size === undefined ? undefined : Number(size)
  }
  const [own, files] = [kibibytes('RssAnon'), kibibytes('RssFile')]
  return (own === undefined ? (kibibytes('VmRSS') ?? 0) : own + (files ?? 0)) * 1024
}

/** Shared mapping of a file without a name. */
export interface SharedMapping {
  /** Device and inode of the file, as in `stat`. */
  readonly file: string
  /** Bytes of the file up to the end of the mapping. */
  readonly bytes: number
}

const SHARED_MAPPING_LINE =
  /^(?<from>[\da-f]+)-(?<to>[\da-f]+) ..(?:.)s (?<offset>[\da-f]+) (?<major>[\da-f]+):(?<minor>[\da-f]+) (?<ino>\d+) +\/(?:dev\/zero|memfd:|SYSV)/gmu

/** Returns the mappings of a process that outlive its descriptors, as far as this user may inspect it. */
export function sharedMappings(pid: number): SharedMapping[] {
  return [...text(`/proc/${pid}/maps`).matchAll(SHARED_MAPPING_LINE)].map(({ groups }) => {
    const [from, to, offset, major, minor] = ['from', 'to', 'offset', 'major', 'minor'].map((name) =>
      Number.parseInt(groups![name]!, 16),
    ) as [number, number, number, number, number]
    const device = (minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)
    return { file: `${device}:${groups!['ino']}`, bytes: offset + to - from }
  })
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

/** Flag of a descriptor that is closed when a program starts, in the notation of `/proc`. */
const CLOSE_ON_EXEC_FLAG = 0o2000000

/**
 * Returns the descriptors above 2 that a child process would inherit, whoever opened them: a shell may have left a lock or a
 * directory open (`exec 200>lock`). Empty outside Linux.
 */
function inheritedDescriptors(): number[] {
  // Deno has descriptor numbers of its own, and cannot pass one to a process.
  if (process.platform !== 'linux' || process.versions['deno']) return []
  const numbers: number[] = []
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const number = Number(name)
    if (number > 2 && (flagsOf(number) & CLOSE_ON_EXEC_FLAG) === 0) numbers.push(number)
  }
  return numbers
}

/** Returns the flags of a descriptor; a closed descriptor counts as not inherited. */
function flagsOf(descriptor: number): number {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return Number.parseInt(/^flags:\s+(?<flags>\d+)/mu.exec(text)?.groups?.['flags'] ?? '0', 8)
  } catch {
    return CLOSE_ON_EXEC_FLAG
  }
}

/**
 * Starts a process that inherits no descriptors but its standard streams. Node cannot close inherited descriptors, so an
 * empty read-only one replaces each of them in the process.
 */
export function withoutInherited<T>(
  stdio: readonly Exclude<StdioOptions, string>[number][],
  start: (stdio: StdioOptions) => T,
): T {
  const numbers = inheritedDescriptors().filter((number) => number >= stdio.length)
  if (numbers.length === 0) return start([...stdio])
  const cover = openSync('/dev/null', 'r')
  try {
    const all = Array.from({ length: Math.max(...numbers) + 1 }, (_, at) => stdio[at] ?? ('ignore' as const))
    return start(all.map((stream, at) => (numbers.includes(at) ? cover : stream)))
  } finally {
    closeSync(cover)
  }
}

/**
 * Kills a process that this program started. Does nothing for a process that failed to start: Node has no process id for it,
 * and might send the signal to the process group of this program.
 */
export function killProcess(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}
