import type { ChildProcess, execFile, spawn, SpawnOptions } from 'node:child_process'
import type { ServerCommand } from './server-command.ts'

/** Milliseconds that a server has to end by itself when its input ends, and again when it is asked by a signal. */
const PATIENCE = 1500

/** Starts the process of a server, as the leader of a group; resolves when it runs. */
export async function startServer({ command, args, env, cwd }: ServerCommand): Promise<ChildProcess> {
  const [program, ...words] = [...(await endsWithUs()), command, ...args]
  const options: SpawnOptions = {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  }
  const child = childProcess().spawn(program!, words, options)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  return child
}

/**
 * What comes before a command so that the kernel ends the server when this program is killed. Where there is no such
 * thing, a server has to end by itself at the end of its input.
 */
async function endsWithUs(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const words = ['setpriv', '--pdeathsig', 'KILL', '--']
  const works = await new Promise<boolean>((resolve) => {
    childProcess().execFile(words[0]!, [...words.slice(1), 'true'], (error) => resolve(!error))
  })
  return works ? words : []
}

/** Ends the process of a server and what it has started: by the end of its input, by a signal, by force. */
export async function stopServer(child: ChildProcess): Promise<void> {
  const gone = hasEnded(child) ? Promise.resolve() : heard(child, 'exit')
  const closed = heard(child, 'close')
  child.stdin?.end()
  if (!(await within(gone))) {
    signalGroup(child, 'SIGTERM')
    if (!(await within(gone))) {
      signalGroup(child, 'SIGKILL')
      await gone
    }
  }
  // What the server has left running in its group.
  signalGroup(child, 'SIGKILL')
  // Its last words are read, unless somebody outside of the group holds its output open.
  await within(closed)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
}

async function heard(child: ChildProcess, event: 'exit' | 'close'): Promise<void> {
  await new Promise<void>((resolve) => child.once(event, () => resolve()))
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

async function within(gone: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE)
  })
  try {
    return await Promise.race([gone.then(() => true), late])
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
    // Nobody is left in it.
  }
}

/** Loaded when a server is started: the package itself runs where there are no processes. */
const childProcess = (): { spawn: typeof spawn; execFile: typeof execFile } =>
  process.getBuiltinModule('node:child_process')
