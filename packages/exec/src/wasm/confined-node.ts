import { dirname } from 'node:path'

/**
 * Makes the command that starts Node to run a script: it may read the directories given and this package's own files, and
 * nothing else of the machine; no process, thread, database or native code, no text becomes code.
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

/** Ends with this process where the system can do that, and after a time of computing in any case. */
const BOUND_SCRIPT = `ulimit -c 0; ulimit -t "$1"; shift
/usr/bin/setpriv --pdeathsig KILL true 2>/dev/null && exec /usr/bin/setpriv --pdeathsig KILL "$@"
exec "$@"`

/** A command that does not outlive this process, nor a number of seconds of computing by far. */
export const bounded = (seconds: number, argv: [string, ...string[]]): [string, ...string[]] =>
  process.platform === 'win32' ? argv : ['/bin/sh', '-c', BOUND_SCRIPT, 'sh', `${Math.ceil(seconds)}`, ...argv]
