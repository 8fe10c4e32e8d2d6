import { existsSync, lstatSync, statSync } from 'node:fs'
import { loadingFilter } from './system-calls.ts'
import { environment, type SandboxSpec, type View } from './sandbox-spec.ts'

const LINKER_PATHS = ['/etc/alternatives', '/etc/ld.so.cache']

/** Places that exist everywhere and that a root of one's own may cover. */
const ROOT_MOUNT_POINTS = ['/mnt', '/media', '/srv', '/opt']

/** Parts of `/proc` that belong to user 0, whom code sees itself as. */
const ROOT_OWNED_PROC_NAMES = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs']

/** Links in `/dev`, each with what it leads to. */
const DEVICE_LINKS = [
  ['/proc/self/fd', '/dev/fd'],
  ['fd/0', '/dev/stdin'],
  ['fd/1', '/dev/stdout'],
  ['fd/2', '/dev/stderr'],
] as const

const TMPFS_OPTIONS = 'size=16m,nr_inodes=16k,mode=1777,nosuid,nodev'
const READ_ONLY_BIND_OPTIONS = 'bind,ro,nosuid,nodev'
const EMPTY_MOUNT_OPTIONS = 'size=4k,mode=755,ro,nosuid,nodev'
const DEVICE_NAMES = ['null', 'zero', 'full', 'random', 'urandom']

/**
 * Builds a root of its own over a directory and changes into it. Everything it needs comes as arguments, so that no path
 * is ever part of a program: the directory, the directory of what is guarded, a table of what to mount there, another of
 * what to mount once that is the root, then each list with its length before it (links with what they lead to, files to
 * show, names to keep read-only, names to keep away), the command. It stays as the first process, so that the code has
 * ordinary signals and everything ends with it. Each program that it starts takes a millisecond or two of each block: so
 * tables are mounted by one.
 */
const SETUP_SCRIPT = `
set -eu
r=$1 guard=$2 table=$3 last=$4; shift 4
mount -t tmpfs -o size=16m,mode=755,nosuid,nodev tmpfs "$r"
cd "$r"
mkdir proc dev dev/shm tmp workspace etc
for d in ${DEVICE_NAMES.join(' ')}; do : > dev/$d; done
# Before what is shown below it.
mount -t tmpfs -o ${TMPFS_OPTIONS} tmpfs tmp
count=$1; shift
while [ "$count" -gt 0 ]; do
  [ -d ".\${2%/*}/" ] || mkdir -p ".\${2%/*}"
  ln -s "$1" ".$2"; shift 2; count=$((count-1))
done
count=$1; shift
while [ "$count" -gt 0 ]; do
  [ -d ".\${1%/*}/" ] || mkdir -p ".\${1%/*}"
  : > ".$1"; shift; count=$((count-1))
done
printf '%s\n' "$table" > table
printf '%s\n' "$last" > last
mount --all --fstab table
count=$1; shift
while [ "$count" -gt 0 ]; do
  mount -o bind,ro,nosuid,nodev "$guard/$1" "workspace/$1"; shift; count=$((count-1))
done
count=$1; shift
while [ "$count" -gt 0 ]; do
  mkdir -p "workspace/$1"; mount -t tmpfs -o size=4k,mode=755,ro,nosuid,nodev tmpfs "workspace/$1"; shift; count=$((count-1))
done
pivot_root . .
umount -l .
cd /workspace
echo 0 > /proc/sys/user/max_user_namespaces
# Memory that belongs to no process; older kernels do not let this be set.
for name in shmmni msgmni; do (echo 0 > /proc/sys/kernel/$name) 2>/dev/null || :; done
mount --all --fstab /last
rm /table /last
mount -o remount,bind,ro,nosuid,nodev /
set +e
setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"
exit $?
`

/** A line of a table of file systems. */
type Mount = readonly [source: string, target: string, type: string, options: string]

const tableOf = (mounts: readonly Mount[]): string =>
  mounts.map((mount) => `${mount.map(inTable).join(' ')} 0 0`).join('\n')

/** Writes a field of a table: white space and backslashes as their octal numbers. */
const inTable = (field: string): string =>
  field.replaceAll(/[\s\\#]/gu, (sign) =>
    Array.from(Buffer.from(sign), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  )

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false

/** An `unshare` command line of util-linux with the same outcome as bubblewrap's; the user seen inside is 0, without any right. */
export function unshareCommand(spec: SandboxSpec, view: View, argv: readonly string[]): [string, ...string[]] {
  const { network, readOnly, env } = spec
  const { programs, workspace, guard, guarded, absent, filter } = view
  const bound = [
    ...programs.directories,
    ...LINKER_PATHS.filter((path) => lstatSync(path, { throwIfNoEntry: false })),
    ...(network === 'host' ? ['/etc/resolv.conf'] : []),
  ]
  const root = coverFor([workspace, guard, ...bound, ...readOnly])
  const shown = (path: string): Mount => [
    path,
    root + path,
    'none',
    isFile(path) ? READ_ONLY_BIND_OPTIONS : `${READ_ONLY_BIND_OPTIONS},X-mount.mkdir`,
  ]
  const table: Mount[] = [
    ...bound.map(shown),
    ...programs.covered.map((path): Mount => ['tmpfs', root + path, 'tmpfs', EMPTY_MOUNT_OPTIONS]),
    // Shown also where they lie in what is covered.
    ...readOnly.map(shown),
    [workspace, `${root}/workspace`, 'none', 'bind,nosuid,nodev'],
    ['proc', `${root}/proc`, 'proc', 'nosuid,nodev,noexec'],
    ...DEVICE_NAMES.map((name): Mount => [`/dev/${name}`, `${root}/dev/${name}`, 'none', 'bind']),
    ['tmpfs', `${root}/dev/shm`, 'tmpfs', `${TMPFS_OPTIONS},noexec`],
  ]
  const last = ROOT_OWNED_PROC_NAMES.map((name) => `/proc/${name}`).filter((path) => existsSync(path))
  return [
    // Ended with whoever started it, whatever way that one ends.
    ...(['setpriv', '--pdeathsig', 'KILL', '--'] as const),
    'unshare',
    ...['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts', '--cgroup'],
    ...(network === 'host' ? [] : ['--net']),
    ...['--propagation', 'private', '--', 'setsid', '--wait', 'sh', '-c', SETUP_SCRIPT, 'sandbox'],
    ...[
      root,
      guard,
      tableOf(table),
      tableOf(last.map((path) => [path, path, 'none', `${READ_ONLY_BIND_OPTIONS},noexec`])),
    ],
    ...counted([...programs.links, ...DEVICE_LINKS].flat(), programs.links.length + DEVICE_LINKS.length),
    ...counted([...bound, ...readOnly].filter(isFile)),
    ...counted(guarded),
    ...counted(absent),
    ...loadingFilter(filter),
    ...['env', '-i', ...Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`)],
    ...argv,
  ]
}

const counted = (list: readonly string[], count: number = list.length): string[] => [`${count}`, ...list]

const coverFor = (paths: readonly string[]): string =>
  ROOT_MOUNT_POINTS.find(
    (cover) =>
      lstatSync(cover, { throwIfNoEntry: false })?.isDirectory() &&
      !paths.some((path) => `${path}/`.startsWith(`${cover}/`)),
  ) ?? '/sys'
