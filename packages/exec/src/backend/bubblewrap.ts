import { environment, type SandboxSpec, type View } from './sandbox-spec.ts'
import type { Visible } from './visible.ts'
import { NOBODY_UID } from './workspace.ts'

/** Files of `/etc` that programs need to start and that say nothing about the machine. */
const LINKER_PATHS = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d']

/** Settings of the kernel, some of which belong to the sandbox's own namespaces. */
const KERNEL_SETTING_PATHS = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs']

/** Files of `/etc` that names and certificates need. */
const NETWORK_SETTING_PATHS = ['/etc/resolv.conf', '/etc/ssl/certs', '/etc/ca-certificates', '/etc/nsswitch.conf']

/**
 * A bubblewrap command line that runs `argv` with nothing of the host but its programs and the work directory. The filter
 * of system calls comes on descriptor 3, where there is one.
 */
export function bubblewrapCommand(spec: SandboxSpec, view: View, argv: readonly string[]): [string, ...string[]] {
  const { network, readOnly, env } = spec
  const { programs, workspace, guard, guarded, absent, filter } = view
  const flags = [
    ...namespaceFlags(network),
    ...(filter ? ['--seccomp', '3'] : []),
    '--clearenv',
    ...machineFlags(programs, network),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', workspace, '/workspace'],
    ...guarded.flatMap((name) => ['--ro-bind', `${guard}/${name}`, `/workspace/${name}`]),
    ...absent.flatMap((name) => empty(`/workspace/${name}`)),
    ...['--remount-ro', '/', '--chdir', '/workspace'],
    ...Object.entries(environment(env)).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  return ['bwrap', ...flags, '--', ...argv]
}

/** Flags that give a process namespaces of its own and take its rights; it ends with the one that started it. */
export const namespaceFlags = (network: 'none' | 'host'): string[] => [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...(network === 'host' ? [] : ['--unshare-net']),
  ...['--uid', `${NOBODY_UID}`, '--gid', `${NOBODY_UID}`, '--cap-drop', 'ALL', '--disable-userns'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
]

/** Flags that show the programs of the machine read-only, and file systems of the sandbox's own. */
export const machineFlags = (programs: Visible, network: 'none' | 'host'): string[] => [
  ...programs.directories.flatMap((path) => ['--ro-bind', path, path]),
  ...programs.links.flatMap(([target, path]) => ['--symlink', target, path]),
  ...programs.covered.flatMap(empty),
  ...[...LINKER_PATHS, ...(network === 'host' ? NETWORK_SETTING_PATHS : [])].flatMap((path) => [
    '--ro-bind-try',
    path,
    path,
  ]),
  ...['--proc', '/proc', ...KERNEL_SETTING_PATHS.flatMap((path) => ['--ro-bind-try', path, path]), '--dev', '/dev'],
  ...['--size', `${TMP_BYTES}`, '--tmpfs', '/tmp'],
  ...['--size', `${TMP_BYTES}`, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
]

/** Bytes of the sandbox's `/tmp`. */
const TMP_BYTES = 16 * 2 ** 20

const empty = (path: string): string[] => ['--size', '4096', '--tmpfs', path, '--remount-ro', path]
