import { dirname } from 'node:path'

/**
 * Returns the command that runs a script in Node without access to the machine: it can read the given directories and the
 * files of this package, and has no processes, threads, databases, native code, or code from text.
 */
export const confinedNode = (
  script: string,
  readable: readonly string[],
  flags: readonly string[] = [],
): [string, ...string[]] => [
  process.execPath,
  '--permission',
  ...[dirname(script), ...readable].map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  '--no-experimental-sqlite',
  '--no-warnings',
  '--max-old-space-size=256',
  ...flags,
  script,
]

/** Limits the computing time of a command, and ends it with its parent where `setpriv` is installed. */
const BOUND_SCRIPT = `ulimit -c 0; ulimit -t "$1"; shift
/usr/bin/setpriv --pdeathsig KILL true 2>/dev/null && exec /usr/bin/setpriv --pdeathsig KILL "$@"
exec "$@"`

/** Returns a command that does not outlive this process, and computes for at most some seconds. */
export const boundedCommand = (seconds: number, argv: [string, ...string[]]): [string, ...string[]] =>
  process.platform === 'win32' ? argv : ['/bin/sh', '-c', BOUND_SCRIPT, 'sh', `${Math.ceil(seconds)}`, ...argv]
