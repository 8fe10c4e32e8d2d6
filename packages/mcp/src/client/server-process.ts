import type { ChildProcess, SpawnOptions, execFile, spawn } from 'node:child_process'

/** A program to start as a server, which speaks over stdio. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** All variables of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** Working directory; default: that of this program. */
  readonly cwd?: string | undefined
}

/** Time for a server to end after its input ends, and again after a signal. */
const SHUTDOWN_TIMEOUT_MS = 1500

/** Starts the process of a server as the leader of a process group; resolves when it runs. */
export async function startServer({ command, args, env, cwd }: ServerCommand): Promise<ChildProcess> {
  const [program, ...words] = [...(await parentDeathPrefix()), command, ...args]
  const options: SpawnOptions = {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  }
  const child = loadChildProcess().spawn(program!, words, options)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  return child
}

/**
 * Returns the words before a command by which the kernel ends the server when this program is killed. On systems without
 * them a server has to end by itself when its input ends.
 */
async function parentDeathPrefix(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const words = ['setpriv', '--pdeathsig', 'KILL', '--']
  const works = await new Promise<boolean>((resolve) => {
    loadChildProcess().execFile(words[0]!, [...words.slice(1), 'true'], (error) => resolve(!error))
  })
  return works ? words : []
}

/** Ends the process group of a server: by the end of its input, then by a signal, then by force. */
export async function stopServer(child: ChildProcess): Promise<void> {
  const exited = hasEnded(child) ? Promise.resolve() : waitForEvent(child, 'exit')
  const closed = waitForEvent(child, 'close')
  child.stdin?.end()
  if (!(await endsInTime(exited))) {
    signalGroup(child, 'SIGTERM')
    if (!(await endsInTime(exited))) {
      signalGroup(child, 'SIGKILL')
      await exited
    }
  }
  // Children of the server may still run in its group.
  signalGroup(child, 'SIGKILL')
  // The rest of its output is read, unless a process outside of the group holds it open.
  await endsInTime(closed)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
}

async function waitForEvent(child: ChildProcess, event: 'exit' | 'close'): Promise<void> {
  await new Promise<void>((resolve) => child.once(event, () => resolve()))
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** True if a promise resolves before the shutdown timeout. */
async function endsInTime(ended: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), SHUTDOWN_TIMEOUT_MS)
  })
  try {
    return await Promise.race([ended.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // The group has no process left.
  }
}

/** Loads the module when a server is started, because the package also runs where there are no processes. */
const loadChildProcess = (): { spawn: typeof spawn; execFile: typeof execFile } =>
  process.getBuiltinModule('node:child_process')

/** Variables that a server process inherits: paths of programs and of the home directory, language, terminal. */
const INHERITED_VARIABLES: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'USER',
]

/** Variables that a server process inherits on Windows. */
const INHERITED_VARIABLES_ON_WINDOWS: readonly string[] = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP'],
  ...['USERNAME', 'USERPROFILE', 'WINDIR'],
]

/** Makes the environment of a server process: a short list of the variables of this program, and the given ones. */
export function serverEnvironment(
  variables: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const names = process.platform === 'win32' ? INHERITED_VARIABLES_ON_WINDOWS : INHERITED_VARIABLES
  const inherited = names.flatMap((name): [string, string][] => {
    const value = own[name]
    // A value that begins so is a function that a shell exported.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(inherited), ...variables }
}
