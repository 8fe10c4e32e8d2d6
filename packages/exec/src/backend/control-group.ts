import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasEnded } from './processes.ts'

/** Directories in which this program may make control groups, by controller. */
export interface GroupBases {
  /** Version of control groups; version 2 has one hierarchy for all controllers. */
  readonly version: 1 | 2
  /** Directory for groups that count memory; null for none. */
  readonly memory: string | null
  /** Directory for groups that count processes; null for none. */
  readonly pids: string | null
}

/** Directories of the control groups of one block: plain data. */
export interface ControlGroup {
  readonly version: 1 | 2
  readonly memory: string | null
  readonly pids: string | null
}

/** Limits on all processes of a group together. */
export interface GroupLimits {
  readonly memoryBytes: number
  readonly pids: number
}

const GROUP_NAME_PREFIX = 'x-exec-'

/**
 * Finds where this program may make control groups: in its own group of version 2 or the parent of that, if memory and
 * processes are delegated there, else in its own groups of version 1, if they are writable. Removes groups that a killed
 * program left. Returns null if there is no such place.
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

/** Returns the directories of this program's groups by controller; the empty name is the group of version 2. */
function ownGroups(proc: string): Map<string, string> | null {
  const mounts = lines(join(proc, 'self/mountinfo')).flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ')
    const [, , , root = '/', at = ''] = left.split(' ')
    const [type = '', , options = ''] = right.split(' ')
    if (type === 'cgroup2') return [{ names: [''], root, at }]
    return type === 'cgroup' ? [{ names: options.split(','), root, at }] : []
  })
  const directories = new Map<string, string>()
  for (const line of lines(join(proc, 'self/cgroup'))) {
    const [, names = '', ...path] = line.split(':')
    for (const name of names.split(',')) {
      const mount = mounts.find((mounted) => mounted.names.includes(name))
      if (mount) directories.set(name, join(mount.at, pathInMount(path.join(':'), mount.root)))
    }
  }
  return directories.size > 0 ? directories : null
}

/** Returns the path of a group in a mount that shows a part of the hierarchy. */
const pathInMount = (path: string, root: string): string =>
  root === '/' ? path : `${path}/`.startsWith(`${root}/`) ? path.slice(root.length) : '/'

function isDelegated(directory: string): boolean {
  const has = (): boolean => {
    const names = (lines(join(directory, 'cgroup.subtree_control'))[0] ?? '').split(' ')
    return names.includes('memory') && names.includes('pids')
  }
  if (!has()) {
    try {
      // The kernel refuses this for a group with processes of its own.
      writeFileSync(join(directory, 'cgroup.subtree_control'), '+memory +pids')
    } catch {
      return false
    }
  }
  return has() && isWritable(directory)
}

/** Returns true if a group can really be made. First removes the groups of programs that are gone. */
function isWritable(directory: string): boolean {
  try {
    for (const name of readdirSync(directory)) if (isStale(name)) removeGroup(join(directory, name))
    const trial = join(directory, newGroupName())
    mkdirSync(trial)
    rmdirSync(trial)
    return true
  } catch {
    return false
  }
}

const newGroupName = (): string => `${GROUP_NAME_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`

function isStale(name: string): boolean {
  const pid = /^x-exec-(?<pid>\d+)-/u.exec(name)?.groups?.['pid']
  return pid !== undefined && hasEnded(Number(pid))
}

/** Makes the control groups of one block; returns null if that fails. */
export function makeGroup({ version, memory, pids }: GroupBases, limits: GroupLimits): ControlGroup | null {
  const name = newGroupName()
  const created: string[] = []
  const make = (base: string | null): string | null => {
    if (base === null) return null
    const directory = join(base, name)
    if (!created.includes(directory)) mkdirSync(directory)
    created.push(directory)
    return directory
  }
  try {
    const group = { version, memory: make(memory), pids: make(pids) }
    if (group.memory !== null) limitMemory(group.memory, version, limits.memoryBytes)
    if (group.pids !== null) writeFileSync(join(group.pids, 'pids.max'), `${limits.pids}`)
    return group
  } catch {
    for (const directory of created) removeGroup(directory)
    return null
  }
}

function limitMemory(directory: string, version: 1 | 2, bytes: number): void {
  writeFileSync(join(directory, version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), `${bytes}`)
  // Swap counts too; kernels without swap have no such file.
  const swap = version === 2 ? ['memory.swap.max', '0'] : ['memory.memsw.limit_in_bytes', `${bytes}`]
  try {
    writeFileSync(join(directory, swap[0]!), swap[1]!, { flag: 'r+' })
  } catch {
    // The kernel has no such file.
  }
}

const JOIN_SCRIPT = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'

/** Returns the start of a command line that joins the groups before it becomes the rest of the command line. */
export function joinGroup(group: ControlGroup | null): string[] {
  if (!group) return []
  return ['/bin/sh', '-c', JOIN_SCRIPT, 'group', ...directoriesOf(group), '--']
}

const directoriesOf = ({ memory, pids }: ControlGroup): string[] => [
  ...new Set([memory, pids].filter((directory) => directory !== null)),
]

/** Returns the bytes of memory of a group, including memory that no process holds any more; null if unknown. */
export function groupMemory({ version, memory }: ControlGroup): number | null {
  if (memory === null) return null
  const values = new Map(lines(join(memory, 'memory.stat')).map((line) => line.split(' ') as [string, string]))
  const own = values.get(version === 2 ? 'anon' : 'total_rss')
  const shared = values.get(version === 2 ? 'shmem' : 'total_shmem')
  return own === undefined ? null : Number(own) + Number(shared ?? 0)
}

/** Returns true if the kernel killed a process of a group because it was out of memory. */
export function ranOutOfMemory({ version, memory }: ControlGroup): boolean {
  if (memory === null) return false
  const file = version === 2 ? 'memory.events' : 'memory.oom_control'
  return lines(join(memory, file)).some((line) => /^oom_kill [1-9]/u.test(line))
}

/** Milliseconds between two attempts to remove a group, whose killed processes take a moment to end. */
const REMOVE_RETRY_DELAY_MS = 5

const MAX_REMOVE_RETRIES = 200

/** Kills all processes of the groups, including orphans, and removes the groups. */
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
