import { XError } from '@x/kernel'
import { environment, type SandboxCommand, type SandboxSpec, type View } from './sandbox-spec.ts'
import type { Visible } from './programs.ts'
import { NOBODY_UID } from './workspace.ts'

/** Paths in `/etc` that programs need to start, and that reveal nothing about the machine. */
const LINKER_PATHS = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d']

/** Kernel settings, made read-only; some belong to the namespaces of the sandbox. */
const KERNEL_SETTING_PATHS = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs']

/** Paths in `/etc` for host names and certificates. */
const NETWORK_SETTING_PATHS = ['/etc/resolv.conf', '/etc/ssl/certs', '/etc/ca-certificates', '/etc/nsswitch.conf']

/**
 * Returns a bubblewrap command line that runs `argv` and shows it only the programs of the host and the work directory. Its
 * flags, and the filter of system calls if there is one, are read from descriptors: code sees the command line in `/proc`.
 */
export function bubblewrapCommand(spec: SandboxSpec, view: View, argv: readonly string[]): SandboxCommand {
  const { network, readOnly, env } = spec
  const { programs, workspace, filter } = view
  const flags = [
    ...namespaceFlags(network),
    ...(filter ? ['--seccomp', '4'] : []),
    '--clearenv',
    ...machineFlags(programs, network),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', workspace, '/workspace'],
    ...['--remount-ro', '/', '--chdir', '/workspace'],
    ...Object.entries(environment(env)).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  if (flags.some((flag) => flag.includes('\0'))) {
    throw new XError('invalid-argument', 'cannot start a sandbox: a path or variable of it has a zero character')
  }
  const given = Buffer.from(flags.map((flag) => `${flag}\0`).join(''))
  return { argv: ['bwrap', '--args', '3', '--', ...argv], inputs: filter ? [given, filter] : [given], env: {} }
}

/** Returns flags that give a process namespaces of its own, drop its privileges, and end it with its parent. */
export const namespaceFlags = (network: 'none' | 'host'): string[] => [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...(network === 'host' ? [] : ['--unshare-net']),
  ...['--uid', `${NOBODY_UID}`, '--gid', `${NOBODY_UID}`, '--cap-drop', 'ALL', '--disable-userns'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
]

/** Returns flags that show the programs of the machine read-only, and mount file systems that only the sandbox sees. */
export const machineFlags = (programs: Visible, network: 'none' | 'host'): string[] => [
  ...programs.directories.flatMap((path) => ['--ro-bind', path, path]),
  ...programs.links.flatMap(([target, path]) => ['--symlink', target, path]),
  ...programs.covered.flatMap(emptyDirectory),
  ...[...LINKER_PATHS, ...(network === 'host' ? NETWORK_SETTING_PATHS : [])].flatMap((path) => [
    '--ro-bind-try',
    path,
    path,
  ]),
  ...['--proc', '/proc', ...KERNEL_SETTING_PATHS.flatMap((path) => ['--ro-bind-try', path, path]), '--dev', '/dev'],
  ...['--size', `${TMP_BYTES}`, '--tmpfs', '/tmp'],
  ...['--size', `${TMP_BYTES}`, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
]

/** Bytes of `/tmp` in the sandbox. */
const TMP_BYTES = 16 * 2 ** 20

const emptyDirectory = (path: string): string[] => ['--size', '4096', '--tmpfs', path, '--remount-ro', path]
