import { execFile, spawn } from 'node:child_process'
import { readFileSync, statfsSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { deadline } from '../run/deadline.ts'
import type { DirectoryLimits } from '../run/list-artifacts.ts'
import { endProcess, withCovered } from './child-process.ts'

/** Number of the user and the group that code in a sandbox runs as. */
export const NOBODY_UID = 65_534

/** A directory that code in a sandbox works in; plain data. */
export interface Workspace {
  /** Path by which this program reaches it. */
  readonly path: string
  /** Path of the same in the namespaces that a sandbox is started from. */
  readonly inside: string
  /** Process whose namespaces show it as a file system of fixed size; null for a directory on the disk. */
  readonly holder: number | null
  /** True if the holder is root's, so that the code has to be given to another user. */
  readonly byRoot: boolean
}

/** A workspace and the way to end it. */
export interface HeldWorkspace extends Workspace {
  release(): void
}

/** A directory on the disk as it is. */
export const plainWorkspace = (directory: string): HeldWorkspace => ({
  path: directory,
  inside: directory,
  holder: null,
  byRoot: false,
  release: () => {},
})

/** The directories of system programs, whatever the program's own environment says. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Milliseconds in which a file system of fixed size must be there. */
const MOUNT_TIMEOUT_MS = 3_000

/** Bytes of a page, the least that a file takes in memory. */
const PAGE_BYTES = 4_096

/** Shows a file system in memory in place of a directory, to itself and who joins it, until its input ends. */
const HOLD_MOUNT_SCRIPT = `
set -e
[ "$2" = root ] || unshare --user --map-root-user --mount true
mount -t tmpfs -o "$3" tmpfs "$1"
read -r _
`

/**
 * Puts a file system of fixed size over a directory, seen only in a namespace of its own, which a process holds until it
 * is released or this program ends. Where the system does not allow it, the directory stays what it is.
 */
export function holdWorkspace(directory: string, { workspaceBytes, workspaceEntries }: DirectoryLimits): HeldWorkspace {
  const plain = plainWorkspace(directory)
  if (process.platform !== 'linux') return plain
  const byRoot = process.getuid?.() === 0
  const size = `size=${Math.ceil(workspaceBytes / PAGE_BYTES) * PAGE_BYTES},nr_inodes=${workspaceEntries + 1}`
  const owner = byRoot ? `,uid=${NOBODY_UID},gid=${NOBODY_UID}` : ''
  const namespaces = byRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
  const [command, ...argv] = [
    'unshare',
    ...namespaces,
    '--propagation',
    'slave',
    '--',
    'sh',
    '-c',
    HOLD_MOUNT_SCRIPT,
    'workspace',
    directory,
  ] as const
  const options = `mode=700,nosuid,nodev,${size}${owner}`
  const child = withCovered(['pipe', 'ignore', 'ignore'], (stdio) =>
    // A session of its own: what ends the terminal's processes would take the files away.
    spawn(command, [...argv, byRoot ? 'root' : 'user', options], {
      env: { PATH: SYSTEM_PATH },
      cwd: '/',
      stdio,
      detached: true,
    }),
  )
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  child.unref()
  ;(child.stdin as { unref?(): void } | null)?.unref?.()
  if (child.pid === undefined || !isReady(child.pid, directory)) {
    endProcess(child)
    return plain
  }
  const path = `/proc/${child.pid}/root${directory}`
  return { path, inside: directory, holder: child.pid, byRoot, release: () => endProcess(child) }
}

/** Waits, for the few milliseconds that it takes, until another file system lies over the directory. */
function isReady(holder: number, directory: string): boolean {
  const { dev } = statSync(directory)
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (const isLate = deadline(MOUNT_TIMEOUT_MS); !isLate(); Atomics.wait(clock, 0, 0, 1)) {
    try {
      if (statSync(`/proc/${holder}/root${directory}`).dev !== dev) return true
      if (/^\d+ \(.*\) Z /u.test(readFileSync(`/proc/${holder}/stat`, 'utf8'))) return false
    } catch {
      return false
    }
  }
  return false
}

/** Returns the start of a command line that runs the rest of it where a workspace is seen, as another user if need be. */
export function entering({ holder, byRoot }: Workspace, owner: number | null): string[] {
  const user = owner === null ? [] : ['setpriv', '--reuid', `${owner}`, '--regid', `${owner}`, '--clear-groups', '--']
  if (holder === null) return user
  const target = ['--target', `${holder}`, '--mount', '--']
  return ['nsenter', ...(byRoot ? [] : ['--user', '--preserve-credentials']), ...target, ...user]
}

/** Bytes that lie in a workspace in memory. */
export function bytesInMemory({ path, holder }: Workspace): number {
  if (holder === null) return 0
  try {
    const { bsize, blocks, bfree } = statfsSync(path)
    return (blocks - bfree) * bsize
  } catch {
    return 0
  }
}

/** Returns true if nothing more goes into a workspace of fixed size. */
export function isFull({ path, holder }: Workspace): boolean {
  if (holder === null) return false
  try {
    const { bavail, ffree } = statfsSync(path)
    return bavail === 0 || ffree === 0
  } catch {
    return false
  }
}

/** Lets a workspace that is full take a file of this program's, and nothing more. */
export async function makeRoom(workspace: Workspace, bytes: number, entries: number): Promise<void> {
  const { bsize, blocks, bfree, files, ffree } = statfsSync(workspace.path)
  const size = (blocks - bfree) * bsize + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES + entries * PAGE_BYTES
  // With the source named, options that are there already are not read back: they are numbers of another namespace.
  const options = `remount,nosuid,nodev,size=${Math.max(size, blocks * bsize)},nr_inodes=${Math.max(files - ffree + entries, files)}`
  const target = ['--target', `${workspace.holder}`, '--mount']
  const user = workspace.byRoot ? [] : ['--user', '--preserve-credentials']
  await promisify(execFile)(
    'nsenter',
    [...user, ...target, '--', 'mount', '-t', 'tmpfs', '-o', options, 'tmpfs', workspace.inside],
    {
      env: { PATH: SYSTEM_PATH },
      cwd: '/',
    },
  )
}
