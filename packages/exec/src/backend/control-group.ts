import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The places where this program may make control groups, by what they count. */
export interface GroupBases {
  /** 2 where one hierarchy counts everything. */
  readonly version: 1 | 2
  /** Directory for groups that count memory; null where there is none. */
  readonly memory: string | null
  /** Directory for groups that count processes; null where there is none. */
  readonly pids: string | null
}

/** Control groups of one block: plain data. */
export interface ControlGroup {
  readonly version: 1 | 2
  readonly memory: string | null
  readonly pids: string | null
}

/** The limits of all processes of a group together. */
export interface GroupLimits {
  readonly memoryBytes: number
  readonly pids: number
}

const GROUP_NAME_PREFIX = 'x-exec-'

/**
 * Finds where this program may make control groups: below its own group of version 1, where it may write there, or of
 * version 2, where memory and processes were delegated to its group or to the one above. Groups that a killed program left
 * are removed. Null where there is none.
 */
export function findGroups(proc: string = '/proc'): GroupBases | null {
  const own = ownGroups(proc)
  if (!own) return null
  const unified = own.get('')
  if (unified !== undefined) {
    const base = [unified, dirname(unified)].find(isDelegated)
    if (base !== undefined) return { version: 2, memory: base, pids: base }
  }
  const [memory, pids] = ['memory', 'pids'].map((name) => {
    const directory = own.get(name)
    return directory !== undefined && isWritable(directory) ? directory : null
  })
  return memory || pids ? { version: 1, memory: memory ?? null, pids: pids ?? null } : null
}

/** Directories of this program's groups by controller; the empty name is that of version 2. */
function ownGroups(proc: string): Map<string, string> | null {
  const mounts = lines(join(proc, 'self/mountinfo')).flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ')
    const [, , , root = '/', at = ''] = left.split(' ')
    const [type = '', , options = ''] = right.split(' ')
    if (type === 'cgroup2') return [{ names: [''], root, at }]
    return type === 'cgroup' ? [{ names: options.split(','), root, at }] : []
  })
  const found = new Map<string, string>()
  for (const line of lines(join(proc, 'self/cgroup'))) {
    const [, names = '', ...path] = line.split(':')
    for (const name of names.split(',')) {
      const mount = mounts.find((each) => each.names.includes(name))
      if (mount) found.set(name, join(mount.at, below(path.join(':'), mount.root)))
    }
  }
  return found.size > 0 ? found : null
}

/** Path of a group as seen below a mount that shows a part of the hierarchy. */
const below = (path: string, root: string): string =>
  root === '/' ? path : `${path}/`.startsWith(`${root}/`) ? path.slice(root.length) : '/'

function isDelegated(directory: string): boolean {
  const has = (): boolean => {
    const names = (lines(join(directory, 'cgroup.subtree_control'))[0] ?? '').split(' ')
    return names.includes('memory') && names.includes('pids')
  }
  if (!has()) {
    try {
      // Refused where the group has processes of its own.
      writeFileSync(join(directory, 'cgroup.subtree_control'), '+memory +pids')
    } catch {
      return false
    }
  }
  return has() && isWritable(directory)
}

/** Really makes a group; on the way removes what programs left that are gone. */
function isWritable(directory: string): boolean {
  try {
    for (const name of readdirSync(directory)) if (isLeft(name)) removeGroup(join(directory, name))
    const trial = join(directory, nameOfGroup())
    mkdirSync(trial)
    rmdirSync(trial)
    return true
  } catch {
    return false
  }
}

const nameOfGroup = (): string => `${GROUP_NAME_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`

function isLeft(name: string): boolean {
  const pid = /^x-exec-(?<pid>\d+)-/u.exec(name)?.groups?.['pid']
  if (pid === undefined) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Makes the groups of one block; null where that fails. */
export function makeGroup({ version, memory, pids }: GroupBases, limits: GroupLimits): ControlGroup | null {
  const name = nameOfGroup()
  const made: string[] = []
  const make = (base: string | null): string | null => {
    if (base === null) return null
    const directory = join(base, name)
    if (!made.includes(directory)) mkdirSync(directory)
    made.push(directory)
    return directory
  }
  try {
    const group = { version, memory: make(memory), pids: make(pids) }
    if (group.memory !== null) limitMemory(group.memory, version, limits.memoryBytes)
    if (group.pids !== null) writeFileSync(join(group.pids, 'pids.max'), `${limits.pids}`)
    return group
  } catch {
    for (const directory of made) removeGroup(directory)
    return null
  }
}

function limitMemory(directory: string, version: 1 | 2, bytes: number): void {
  writeFileSync(join(directory, version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), `${bytes}`)
  // Nor is more had by moving it to the disk; kernels without swapping have no such file.
  const swap = version === 2 ? ['memory.swap.max', '0'] : ['memory.memsw.limit_in_bytes', `${bytes}`]
  try {
    writeFileSync(join(directory, swap[0]!), swap[1]!, { flag: 'r+' })
  } catch {
    // There is none.
  }
}

const JOIN_SCRIPT = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'

/** Returns the start of a command line whose rest runs in the groups, from its first moment on. */
export function joining(group: ControlGroup | null): string[] {
  if (!group) return []
  return ['/bin/sh', '-c', JOIN_SCRIPT, 'group', ...directoriesOf(group), '--']
}

const directoriesOf = ({ memory, pids }: ControlGroup): string[] => [
  ...new Set([memory, pids].filter((directory) => directory !== null)),
]

/** Bytes of memory that the processes of a group take, and what they left that no process has any more; null if unknown. */
export function groupMemory({ version, memory }: ControlGroup): number | null {
  if (memory === null) return null
  const values = new Map(lines(join(memory, 'memory.stat')).map((line) => line.split(' ') as [string, string]))
  const own = values.get(version === 2 ? 'anon' : 'total_rss')
  const shared = values.get(version === 2 ? 'shmem' : 'total_shmem')
  return own === undefined ? null : Number(own) + Number(shared ?? 0)
}

/** Returns true if the kernel ended a process of a group for want of memory. */
export function ranOutOfMemory({ version, memory }: ControlGroup): boolean {
  if (memory === null) return false
  const file = version === 2 ? 'memory.events' : 'memory.oom_control'
  return lines(join(memory, file)).some((line) => /^oom_kill [1-9]/u.test(line))
}

/** Milliseconds between two tries to remove a group, whose processes are ended and take a moment to go. */
const REMOVE_RETRY_DELAY_MS = 5

const MAX_REMOVE_RETRIES = 200

/** Ends all processes of the groups, also those that left their parents, and removes the groups. */
export async function endGroup(group: ControlGroup | null): Promise<void> {
  for (const directory of group ? directoriesOf(group) : []) {
    for (let round = 0; !removeGroup(directory) && round < MAX_REMOVE_RETRIES; round++) {
      for (const pid of lines(join(directory, 'cgroup.procs'))) {
        try {
          process.kill(Number(pid), 'SIGKILL')
        } catch {
          // It is gone already.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, REMOVE_RETRY_DELAY_MS))
    }
  }
}

function removeGroup(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}
