import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { machineFlags, namespaceFlags } from './backend/bubblewrap.ts'
import { interpreterOutside, lookUp, type Interpreter, visiblePrograms, within } from './backend/programs.ts'
import { loadFilterCommand, systemCallFilter } from './backend/system-calls.ts'
import { SYSTEM_PATH } from './backend/workspace.ts'

/** Command line of a program that another program starts and talks to over its input and output, such as an MCP server. */
export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its working directory; default: the working directory of the program that starts it. */
  readonly cwd?: string | undefined
}

/** Options of {@link sandboxCommand}. */
export interface CommandSandboxOptions {
  /** Absolute paths that the program may read, including its own files; default: only the installed programs. */
  readonly readOnly?: readonly string[] | undefined
  /** Absolute paths that the program may change; default: none. */
  readonly writable?: readonly string[] | undefined
  /** `host` gives the program the network of the machine; default `none`. */
  readonly network?: 'none' | 'host' | undefined
}

const SANDBOX_COMMAND_KINDS: OptionKinds<CommandSandboxOptions> = {
  readOnly: kind.list,
  writable: kind.list,
  network: kind.oneOf('none', 'host'),
}

/** Home directory of the program: empty, and in memory. */
const SANDBOX_HOME = '/home'
const SANDBOX_HOME_BYTES = 64 * 2 ** 20

/**
 * Returns a function that wraps a command line in a bubblewrap sandbox, for `sandbox` of `mcp`. The program sees the
 * installed programs and the given paths, but no other files, no other processes and no network. It has no privileges, makes
 * only system calls that are allowed (with Perl or Python in `/usr/bin`), and ends with the process that started it. Its working directory is `cwd` if the sandbox shows that, else an empty home.
 * Unlike code of an executor, it has no limits on memory and time. Only Linux: fails with `no-sandbox` where bubblewrap is
 * not installed, and with `invalid-argument` for a path that does not exist.
 */
export function sandboxCommand(options: CommandSandboxOptions = {}): (line: CommandLine) => CommandLine {
  checkOptions(options, SANDBOX_COMMAND_KINDS, 'make a sandbox of a command')
  const { readOnly = [], writable = [], network = 'none' } = options
  for (const path of [...readOnly, ...writable]) requirePath(path)
  return ({ command, args, env, cwd }) => {
    const bubblewrap = process.platform === 'linux' ? lookUp('bwrap', SYSTEM_PATH) : undefined
    if (bubblewrap === undefined) {
      throw new XError(
        'no-sandbox',
        `cannot start \`${command}\` in a sandbox: this needs Linux with bubblewrap. Install the package \`bubblewrap\`, or start the program in a container`,
      )
    }
    const visiblePaths = [...readOnly, ...writable].map((path) => realpathSync(path))
    const program = locateProgram({ command, env, cwd }, visiblePaths)
    const isSeen = cwd !== undefined && visiblePaths.some((path) => within(path, realpathSync(cwd)))
    const flags = [
      ...namespaceFlags(network),
      ...machineFlags(visiblePrograms([]), network),
      ...['--size', `${SANDBOX_HOME_BYTES}`, '--tmpfs', SANDBOX_HOME],
      ...(program.directory === null ? [] : ['--ro-bind', program.directory, program.directory]),
      ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
      ...writable.flatMap((path) => ['--bind', path, path]),
      ...['--remount-ro', '/', '--chdir', isSeen ? cwd : SANDBOX_HOME],
      ...['--setenv', 'HOME', SANDBOX_HOME, '--setenv', 'TMPDIR', '/tmp'],
    ]
    // Its own input and output are the only descriptors that a caller is sure to pass on, so the filter is an argument.
    const filter = loadFilterCommand(systemCallFilter({ counted: true, allocation: false }))
    // The environment stays off the command line, where other users could read it.
    return { command: bubblewrap, args: [...flags, '--', ...filter, program.path, ...args], env, cwd: '/' }
  }
}

function requirePath(path: unknown): void {
  if (typeof path === 'string' && isAbsolute(path) && existsSync(path)) return
  throw new XError(
    'invalid-argument',
    `cannot make a sandbox of a command: \`${String(path)}\` is not an absolute path, or does not exist`,
  )
}

/** Returns the path of a program, and the directory to show for it; null if the sandbox shows it anyway. */
function locateProgram(
  { command, env, cwd }: Pick<CommandLine, 'command' | 'env' | 'cwd'>,
  visiblePaths: readonly string[],
): { readonly path: string; readonly directory: string | null } {
  const isPath = command.includes('/')
  const full = isPath ? resolve(cwd ?? process.cwd(), command) : lookUp(command, env['PATH'] ?? SYSTEM_PATH)
  if (full === undefined || !existsSync(full)) return { path: command, directory: null }
  if (visiblePaths.some((path) => within(path, realpathSync(full)))) return { path: full, directory: null }
  let outside: Interpreter | null
  try {
    outside = interpreterOutside(basename(full), dirname(full), [])
  } catch (error) {
    throw new XError('invalid-argument', `cannot start \`${command}\` in a sandbox: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return outside ?? { path: full, directory: null }
}
