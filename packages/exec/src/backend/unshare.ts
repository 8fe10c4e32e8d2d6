import { existsSync, lstatSync, statSync } from 'node:fs'
import { loadFilterCommand } from './system-calls.ts'
import { environment, type SandboxCommand, type SandboxSpec, type View } from './sandbox-spec.ts'

const LINKER_PATHS = ['/etc/alternatives', '/etc/ld.so.cache']

/** Directories that exist on every system, over which the root of the sandbox can be mounted. */
const ROOT_MOUNT_POINTS = ['/mnt', '/media', '/srv', '/opt']

/** Names in `/proc` that belong to user 0, as which code sees itself. */
const ROOT_OWNED_PROC_NAMES = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs']

/** Links in `/dev`, each with its target first. */
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
 * Runs the command, and stays as the first process, so that the code has ordinary signals and everything ends with it. It takes
 * the place of the script before it, whose arguments are paths of the machine: code sees the command line in `/proc`.
 */
const RUN_SCRIPT = 'setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"; exit $?'

/**
 * Builds the root of the sandbox over a directory and changes into it. All values are arguments, so that no path is ever part
 * of a program: the directory, a table of mounts, a table of mounts inside the new root, then lists that begin with their
 * length (links with their targets, files to show), and the command. Each program that it starts takes a millisecond or two of
 * each block, so one `mount` mounts a whole table.
 */
const SETUP_SCRIPT = `
set -eu
r=$1 table=$2 last=$3; shift 3
mount -t tmpfs -o size=16m,mode=755,nosuid,nodev tmpfs "$r"
cd "$r"
mkdir proc dev dev/shm tmp workspace etc
for d in ${DEVICE_NAMES.join(' ')}; do : > dev/$d; done
# Mounted before the directories that are shown below it.
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
pivot_root . .
umount -l .
cd /workspace
echo 0 > /proc/sys/user/max_user_namespaces
# Where no program can load the filter: what outlives its processes. Older kernels do not allow these settings.
for name in shmmni msgmni; do (echo 0 > /proc/sys/kernel/$name) 2>/dev/null || :; done
(echo 0 0 0 0 > /proc/sys/kernel/sem) 2>/dev/null || :
mount --all --fstab /last
rm /table /last
mount -o remount,bind,ro,nosuid,nodev /
exec sh -c '${RUN_SCRIPT}' sandbox "$@"
`

/** Line of a table of mounts, in the format of `fstab`. */
type Mount = readonly [source: string, target: string, type: string, options: string]

const mountTable = (mounts: readonly Mount[]): string =>
  mounts.map((mount) => `${mount.map(escapeField).join(' ')} 0 0`).join('\n')

/** Escapes a field of a table: white space and backslashes become octal numbers. */
const escapeField = (field: string): string =>
  field.replaceAll(/[\s\\#]/gu, (sign) =>
    Array.from(Buffer.from(sign), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  )

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false

/** Returns a command line of `unshare` (util-linux) with the effect of bubblewrap's. Code sees itself as user 0, without privileges. */
export function unshareCommand(spec: SandboxSpec, view: View, argv: readonly string[]): SandboxCommand {
  const { network, readOnly, env } = spec
  const { programs, workspace, filter } = view
  const bound = [
    ...programs.directories,
    ...LINKER_PATHS.filter((path) => lstatSync(path, { throwIfNoEntry: false })),
    ...(network === 'host' ? ['/etc/resolv.conf'] : []),
  ]
  const variables = Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`)
  const root = unusedDirectory([workspace, ...bound, ...readOnly])
  const readOnlyBind = (path: string): Mount => [
    path,
    root + path,
    'none',
    isFile(path) ? READ_ONLY_BIND_OPTIONS : `${READ_ONLY_BIND_OPTIONS},X-mount.mkdir`,
  ]
  const table: Mount[] = [
    ...bound.map(readOnlyBind),
    ...programs.covered.map((path): Mount => ['tmpfs', root + path, 'tmpfs', EMPTY_MOUNT_OPTIONS]),
    // After the covered directories, which may contain them.
    ...readOnly.map(readOnlyBind),
    [workspace, `${root}/workspace`, 'none', 'bind,nosuid,nodev'],
    ['proc', `${root}/proc`, 'proc', 'nosuid,nodev,noexec'],
    ...DEVICE_NAMES.map((name): Mount => [`/dev/${name}`, `${root}/dev/${name}`, 'none', 'bind']),
    ['tmpfs', `${root}/dev/shm`, 'tmpfs', `${TMPFS_OPTIONS},noexec`],
  ]
  const last = ROOT_OWNED_PROC_NAMES.map((name) => `/proc/${name}`).filter((path) => existsSync(path))
  const command = [
    // Killed when its parent ends, however that ends.
    ...['setpriv', '--pdeathsig', 'KILL', '--'],
    'unshare',
    ...['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts', '--cgroup'],
    ...(network === 'host' ? [] : ['--net']),
    ...['--propagation', 'private', '--', 'setsid', '--wait', 'sh', '-c', SETUP_SCRIPT, 'sandbox'],
    ...[
      root,
      mountTable(table),
      mountTable(last.map((path) => [path, path, 'none', `${READ_ONLY_BIND_OPTIONS},noexec`])),
    ],
    ...withLength([...programs.links, ...DEVICE_LINKS].flat(), programs.links.length + DEVICE_LINKS.length),
    ...withLength([...bound, ...readOnly].filter(isFile)),
    ...loadFilterCommand(filter),
    ...takeVariables(variables.length),
    ...argv,
  ]
  return { argv: command, inputs: [], env: Object.fromEntries(variables.map((pair, at) => [`X_ENV_${at}`, pair])) }
}

/**
 * Returns the start of a command line that takes the variables of code from others of the environment, whatever their names
 * are: other users of the machine read a command line, and no environment.
 */
const takeVariables = (count: number): string[] => [
  ...['sh', '-c', `exec env -i ${Array.from({ length: count }, (_, at) => `"$X_ENV_${at}"`).join(' ')} "$@"`, 'sh'],
]

const withLength = (list: readonly string[], count: number = list.length): string[] => [`${count}`, ...list]

const unusedDirectory = (paths: readonly string[]): string =>
  ROOT_MOUNT_POINTS.find(
    (cover) =>
      lstatSync(cover, { throwIfNoEntry: false })?.isDirectory() &&
      !paths.some((path) => `${path}/`.startsWith(`${cover}/`)),
  ) ?? '/sys'
