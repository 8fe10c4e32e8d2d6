import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { machineFlags, namespaceFlags } from './backend/bubblewrap.ts'
import { interpreterOutside, lookUp, type Interpreter } from './backend/interpreter.ts'
import { visiblePrograms, within } from './backend/visible.ts'
import { SYSTEM_PATH } from './backend/workspace.ts'

/** A program that somebody else starts and speaks with by its input and output, such as an MCP server. */
export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  /** All variables of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its working directory; default: that of whoever starts it. */
  readonly cwd?: string | undefined
}

/** Options of `sandboxCommand`. */
export interface CommandSandboxOptions {
  /** Absolute paths that the program may read, its own files among them; default: the programs of the machine alone. */
  readonly readOnly?: readonly string[] | undefined
  /** Absolute paths that it may change; default: none. */
  readonly writable?: readonly string[] | undefined
  /** True if it has the network of the machine; default `none`. */
  readonly network?: 'none' | 'host' | undefined
}

const SANDBOX_COMMAND_KINDS: OptionKinds<CommandSandboxOptions> = {
  readOnly: kind.list,
  writable: kind.list,
  network: kind.oneOf('none', 'host'),
}

/** Home of the program, empty and in memory. */
const SANDBOX_HOME = '/home'
const SANDBOX_HOME_BYTES = 64 * 2 ** 20

/**
 * Returns a function that puts a command line into a bubblewrap sandbox, as `sandbox` of `mcp`: the program sees the
 * programs of the machine, the paths given, no other files, no other processes and no network, has no rights, and ends with
 * who started it. Its working directory is `cwd` where that is shown, else an empty home. Unlike code of executors it has no
 * limits of memory and time. Linux alone; fails with `no-sandbox` where bubblewrap is not installed, and with
 * `invalid-argument` for a path that is not there.
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
        `cannot start \`${command}\` in a sandbox: it needs Linux with bubblewrap; install the package \`bubblewrap\`, or start it in a container`,
      )
    }
    const shown = [...readOnly, ...writable].map((path) => realpathSync(path))
    const program = programOf({ command, env, cwd }, shown)
    const isSeen = cwd !== undefined && shown.some((path) => within(path, realpathSync(cwd)))
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
    // The environment goes along as it is: on the command line other users could read it.
    return { command: bubblewrap, args: [...flags, '--', program.path, ...args], env, cwd: '/' }
  }
}

function requirePath(path: unknown): void {
  if (typeof path === 'string' && isAbsolute(path) && existsSync(path)) return
  throw new XError(
    'invalid-argument',
    `cannot make a sandbox of a command: \`${String(path)}\` is not an absolute path of something that is there`,
  )
}

/** The program by its path, and the directory to show for it; null where it is seen anyway. */
function programOf(
  { command, env, cwd }: Pick<CommandLine, 'command' | 'env' | 'cwd'>,
  shown: readonly string[],
): { readonly path: string; readonly directory: string | null } {
  const named = command.includes('/')
  const full = named ? resolve(cwd ?? process.cwd(), command) : lookUp(command, env['PATH'] ?? SYSTEM_PATH)
  if (full === undefined || !existsSync(full)) return { path: command, directory: null }
  if (shown.some((path) => within(path, realpathSync(full)))) return { path: full, directory: null }
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
