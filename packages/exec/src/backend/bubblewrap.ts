import { lstatSync, readlinkSync } from 'node:fs'
import { environment, NOBODY, type SandboxSpec } from './sandbox-spec.ts'
import { systemCallFilter } from './system-calls.ts'

/** Directories of the host's programs, beside `/usr` itself. */
const SYSTEM = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Files of `/etc` that programs need to start and that say nothing about the machine. */
const SETTINGS = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d']

/** Files of `/etc` that names and certificates need. */
const NETWORK = ['/etc/resolv.conf', '/etc/ssl/certs', '/etc/ca-certificates', '/etc/nsswitch.conf']

/** A bubblewrap command line that runs `argv` with nothing of the host but its programs and the work directory. */
export function bubblewrapCommand(spec: SandboxSpec, argv: readonly string[]): [string, ...string[]] {
  const { workDir, network, readOnly, env } = spec
  const flags = [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'host' ? [] : ['--unshare-net']),
    ...['--uid', `${NOBODY}`, '--gid', `${NOBODY}`, '--cap-drop', 'ALL', '--disable-userns'],
    // Comes on descriptor 3.
    ...(systemCallFilter() ? ['--seccomp', '3'] : []),
    ...['--die-with-parent', '--new-session', '--hostname', 'sandbox', '--clearenv'],
    ...['--ro-bind', '/usr', '/usr', ...SYSTEM.flatMap(systemFlags)],
    ...[...SETTINGS, ...(network === 'host' ? NETWORK : [])].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', `${TMP_BYTES}`, '--tmpfs', '/tmp'],
    ...['--size', `${TMP_BYTES}`, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', workDir, '/workspace', '--remount-ro', '/', '--chdir', '/workspace'],
    ...Object.entries(environment(env)).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  return ['bwrap', ...flags, '--', ...argv]
}

/** Bytes of the sandbox's `/tmp`. */
const TMP_BYTES = 16 * 2 ** 20

function systemFlags(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
