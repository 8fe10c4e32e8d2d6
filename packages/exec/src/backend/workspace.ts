import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { deadline } from '../run/clock.ts'
import type { DirectoryLimits } from '../run/list-artifacts.ts'
import { killProcess, withoutInherited } from './child-process.ts'

/** Id of the user and the group as which code in a sandbox runs. */
export const NOBODY_UID = 65_534

/** Directory in which code in a sandbox works: plain data. */
export interface Workspace {
  /** Path of the directory for this program. */
  readonly path: string
  /** Path of the directory in the namespaces from which a sandbox starts. */
  readonly inside: string
  /** Process whose mount namespace holds the directory as a file system of fixed size; null for a directory on the disk. */
  readonly holder: number | null
  /** True if the holder runs as root, so that code has to run as another user. */
  readonly byRoot: boolean
  /** True if the directory shows a directory of the user's, over which changes lie in memory. */
  readonly isLayered: boolean
}

/** Workspace that can be released. */
export interface HeldWorkspace extends Workspace {
  release(): void
}

/** Returns a workspace for a directory on the disk. */
export const plainWorkspace = (directory: string): HeldWorkspace => ({
  path: directory,
  inside: directory,
  holder: null,
  byRoot: false,
  isLayered: false,
  release: () => {},
})

/** `PATH` of system programs, independent of the program's environment. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Milliseconds that mounting a file system of fixed size may take. */
const MOUNT_TIMEOUT_MS = 3_000

/** Bytes of a page, the least space of a file in memory. */
const PAGE_BYTES = 4_096

/**
 * Mounts a file system in memory over a directory, in a namespace of its own, until standard input ends; and layers in it, if
 * a trial shows that the kernel can replace a directory in them.
 */
const HOLD_MOUNT_SCRIPT = `
set -e
[ "$2" = root ] || unshare --user --map-root-user --mount true
mount -t tmpfs -o "$3" tmpfs "$1"
if [ -n "$4" ]; then
  # Names from here: code sees the options of a mount.
  cd "$1"
  mkdir -p try/low/a try/up try/work try/all
  mount -t overlay -o userxattr,index=off,lowerdir=try/low,upperdir=try/up,workdir=try/work overlay try/all
  rmdir try/all/a
  mkdir try/all/a
  umount try/all
  rm -r try
  mkdir -m 700 lower upper work merged
  if [ "$2" = root ]; then
    perl -e "$5" "$4" lower "$6" "$7" "$8" "$9"
    chown "$8:$8" upper
  else
    mount --bind "$4" lower
  fi
  mount -t overlay -o nosuid,nodev,userxattr,index=off,lowerdir=lower,upperdir=upper,workdir=work overlay merged
  mkdir ready
  cd /
fi
read -r _
`

/**
 * Mounts a directory at another place, read-only, with the files of one user and group as those of another one: the ids are
 * mapped by a user namespace that lives as long as the call. The numbers are those of system calls (`open_tree`,
 * `mount_setattr`, `move_mount`) and of their flags.
 */
const MAP_OWNER_SCRIPT = `
my ($from, $to, $uid, $gid, $id, $unshare) = @ARGV;
pipe(my $ready, my $tell);
pipe(my $wait, my $end);
my $child = fork() // die;
if (!$child) {
  close $end;
  syscall($unshare + 0, 0x10000000) == 0 or exit 1;
  syswrite($tell, "1");
  sysread($wait, my $byte, 1);
  exit 0;
}
close $tell;
sysread($ready, my $byte, 1) or die;
for (["uid_map", $uid], ["gid_map", $gid]) {
  open(my $map, ">", "/proc/$child/$_->[0]") or die;
  syswrite($map, "$_->[1] $id 1") or die;
}
open(my $namespace, "<", "/proc/$child/ns/user") or die;
my $empty = "";
my $tree = syscall(428, -100, $from, 0x80001);
$tree >= 0 or die;
my $settings = pack("QQQQ", 0x100007, 0, 0, fileno($namespace));
syscall(442, $tree, $empty, 0x1000, $settings, 32) == 0 or die;
syscall(429, $tree, $empty, -100, $to, 4) == 0 or die;
`

/** Numbers of the system call `unshare`, by architecture. */
const UNSHARE_CALLS: Readonly<Record<string, number | undefined>> = { x64: 272, arm64: 97 }

/** Entries of a file system in memory that its layers take themselves. */
const LAYER_ENTRIES = 12

/** Milliseconds that finding a file of another owner may take. */
const OWNER_TIMEOUT_MS = 2_000

/**
 * Mounts a file system of fixed size over a directory, visible only in a namespace that a process holds until it is released
 * or this program ends. Returns the plain directory if the system does not allow the mount. If a directory of the user's is
 * given as `lower`, the file system lies over it, where the kernel can do that for this user: what code writes is in memory.
 */
export function holdWorkspace(directory: string, limits: DirectoryLimits, lower: string | null = null): HeldWorkspace {
  const plain = plainWorkspace(directory)
  if (process.platform !== 'linux') return plain
  const layer = lower === null ? null : layerOf(lower)
  const layered = layer && mountWorkspace(directory, limits, layer)
  return layered ?? mountWorkspace(directory, limits, null) ?? plain
}

/** Arguments of the script that holds a mount for what lies below. */
type Layer = readonly [path: string, ...mapping: readonly string[]]

/**
 * Returns a directory of the user's as a layer. Code of root's runs as another user, to whom the files have to belong: null if
 * they belong to several, or where that cannot be made.
 */
function layerOf(path: string): Layer | null {
  if (process.getuid?.() !== 0) return [path]
  const { uid, gid } = statSync(path)
  const call = UNSHARE_CALLS[process.arch]
  const others = [path, '(', '!', '-uid', `${uid}`, '-o', '!', '-gid', `${gid}`, ')', '-print', '-quit']
  const { status, stdout } = spawnSync('find', others, {
    env: { PATH: SYSTEM_PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: OWNER_TIMEOUT_MS,
  })
  if (call === undefined || status !== 0 || stdout.length > 0) return null
  return [path, MAP_OWNER_SCRIPT, `${uid}`, `${gid}`, `${NOBODY_UID}`, `${call}`]
}

function mountWorkspace(
  directory: string,
  { workspaceBytes, workspaceEntries }: DirectoryLimits,
  layer: Layer | null,
): HeldWorkspace | null {
  const byRoot = process.getuid?.() === 0
  const entries = workspaceEntries + 1 + (layer === null ? 0 : LAYER_ENTRIES)
  const size = `size=${Math.ceil(workspaceBytes / PAGE_BYTES) * PAGE_BYTES},nr_inodes=${entries}`
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
  const child = withoutInherited(['pipe', 'ignore', 'ignore'], (stdio) =>
    // A session of its own, so that the files survive a signal from the terminal.
    spawn(command, [...argv, byRoot ? 'root' : 'user', options, ...(layer ?? [''])], {
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
  const isLayered = layer !== null
  if (child.pid === undefined || !waitForMount(child.pid, directory, isLayered)) {
    killProcess(child)
    return null
  }
  const inside = isLayered ? `${directory}/merged` : directory
  const path = `/proc/${child.pid}/root${inside}`
  return { path, inside, holder: child.pid, byRoot, isLayered, release: () => killProcess(child) }
}

/** Blocks for the few milliseconds until the file systems are mounted; returns false if that fails. */
function waitForMount(holder: number, directory: string, isLayered: boolean): boolean {
  const { dev } = statSync(directory)
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (const isLate = deadline(MOUNT_TIMEOUT_MS); !isLate(); Atomics.wait(clock, 0, 0, 1)) {
    try {
      const isThere = statSync(`/proc/${holder}/root${directory}`).dev !== dev
      if (isThere && (!isLayered || existsSync(`/proc/${holder}/root${directory}/ready`))) return true
      if (/^\d+ \(.*\) Z /u.test(readFileSync(`/proc/${holder}/stat`, 'utf8'))) return false
    } catch {
      return false
    }
  }
  return false
}

/** Returns the start of a command line that enters the namespace of a workspace, and becomes another user if needed. */
export function enterWorkspace({ holder, byRoot }: Workspace, owner: number | null): string[] {
  const user = owner === null ? [] : ['setpriv', '--reuid', `${owner}`, '--regid', `${owner}`, '--clear-groups', '--']
  if (holder === null) return user
  const target = ['--target', `${holder}`, '--mount', '--']
  return ['nsenter', ...(byRoot ? [] : ['--user', '--preserve-credentials']), ...target, ...user]
}

/** Returns the bytes of files in a workspace in memory; 0 for a directory on the disk. */
export function bytesInMemory({ path, holder }: Workspace): number {
  if (holder === null) return 0
  try {
    const { bsize, blocks, bfree } = statfsSync(path)
    return (blocks - bfree) * bsize
  } catch {
    return 0
  }
}

/** Returns true if a workspace of fixed size is full. */
export function isFull({ path, holder }: Workspace): boolean {
  if (holder === null) return false
  try {
    const { bavail, ffree } = statfsSync(path)
    return bavail === 0 || ffree === 0
  } catch {
    return false
  }
}

/** Enlarges a full workspace just enough for a file of this program. */
export async function makeRoom(workspace: Workspace, bytes: number, entries: number): Promise<void> {
  const { bsize, blocks, bfree, files, ffree } = statfsSync(workspace.path)
  const size = (blocks - bfree) * bsize + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES + entries * PAGE_BYTES
  // Naming the source keeps `mount` from reading the old options back, whose user ids are of another namespace.
  const options = `remount,nosuid,nodev,size=${Math.max(size, blocks * bsize)},nr_inodes=${Math.max(files - ffree + entries, files)}`
  const target = ['--target', `${workspace.holder}`, '--mount']
  const user = workspace.byRoot ? [] : ['--user', '--preserve-credentials']
  const mount = workspace.isLayered ? dirname(workspace.inside) : workspace.inside
  await promisify(execFile)(
    'nsenter',
    [...user, ...target, '--', 'mount', '-t', 'tmpfs', '-o', options, 'tmpfs', mount],
    {
      env: { PATH: SYSTEM_PATH },
      cwd: '/',
    },
  )
}
