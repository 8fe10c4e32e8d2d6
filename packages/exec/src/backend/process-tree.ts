import { readdirSync, readFileSync } from 'node:fs'

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
