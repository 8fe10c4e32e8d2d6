import { lstatSync, readlinkSync } from 'node:fs'
import { environment, type SandboxSpec } from './sandbox-spec.ts'

const SYSTEM = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const SETTINGS = ['/etc/alternatives', '/etc/ld.so.cache']

/** Places that exist everywhere and that a root of one's own may cover. */
const COVERED = ['/mnt', '/media', '/srv', '/opt']

/**
 * Builds a root of its own over a directory and changes into it. Everything it needs comes as arguments, so that no path
 * is ever part of a program: the directory, the work directory, how many links and paths follow, these, the command. It
 * stays as the first process, so that the code has ordinary signals and everything ends with it.
 */
const SCRIPT = `
set -eu
r=$1 work=$2 links=$3 binds=$4; shift 4
mount -t tmpfs -o size=16m,mode=755,nosuid,nodev tmpfs "$r"
cd "$r"
mkdir usr proc dev dev/shm tmp workspace old etc
mount -t tmpfs -o size=16m,mode=1777,nosuid,nodev tmpfs tmp
mount --bind /usr usr
mount -o remount,bind,ro,nosuid,nodev usr
while [ "$links" -gt 0 ]; do ln -s "$1" ".$2"; shift 2; links=$((links-1)); done
while [ "$binds" -gt 0 ]; do
  if [ -d "$1" ]; then mkdir -p ".$1"; else mkdir -p ".\${1%/*}"; : > ".$1"; fi
  mount --bind "$1" ".$1"; mount -o remount,bind,ro,nosuid,nodev ".$1"; shift; binds=$((binds-1))
done
mount --bind "$work" workspace
mount -o remount,bind,nosuid,nodev workspace
mount -t proc -o nosuid,nodev,noexec proc proc
for d in null zero full random urandom; do : > dev/$d; mount --bind /dev/$d dev/$d; done
ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr
pivot_root . old
cd /workspace
umount -l /old
rmdir /old
mount -t tmpfs -o size=16m,mode=1777,nosuid,nodev,noexec tmpfs /dev/shm
mount -o remount,bind,ro,nosuid,nodev /
echo 0 > /proc/sys/user/max_user_namespaces
set +e
# Memory that belongs to no process; older kernels do not let this be set.
for name in shmmni msgmni; do echo 0 > /proc/sys/kernel/$name; done 2>/dev/null
setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"
exit $?
`

/** An `unshare` command line of util-linux with the same outcome as bubblewrap's; the user seen inside is 0, without any right. */
export function unshareCommand(spec: SandboxSpec, argv: readonly string[]): [string, ...string[]] {
  const { workDir, network, readOnly, env } = spec
  const system = SYSTEM.filter((path) => lstatSync(path, { throwIfNoEntry: false }))
  const linked = system.filter((path) => lstatSync(path).isSymbolicLink())
  const bound = [
    ...system.filter((path) => !linked.includes(path)),
    ...SETTINGS.filter((path) => lstatSync(path, { throwIfNoEntry: false })),
    ...(network === 'host' ? ['/etc/resolv.conf'] : []),
    ...readOnly,
  ]
  return [
    // Ended with whoever started it, whatever way that one ends.
    ...(['setpriv', '--pdeathsig', 'KILL', '--'] as const),
    'unshare',
    ...['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts', '--cgroup'],
    ...(network === 'host' ? [] : ['--net']),
    ...['--propagation', 'private', '--', 'setsid', '--wait', 'sh', '-c', SCRIPT, 'sandbox'],
    ...[coverFor([workDir, ...bound]), workDir],
    ...[`${linked.length}`, `${bound.length}`],
    ...linked.flatMap((path) => [readlinkSync(path), path]),
    ...bound,
    ...['env', '-i', ...Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`)],
    ...argv,
  ]
}

const coverFor = (paths: readonly string[]): string =>
  COVERED.find(
    (cover) =>
      lstatSync(cover, { throwIfNoEntry: false })?.isDirectory() &&
      !paths.some((path) => `${path}/`.startsWith(`${cover}/`)),
  ) ?? '/sys'
