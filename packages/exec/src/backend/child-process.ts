import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { StdioOptions, ChildProcess } from 'node:child_process'

/** Flag of a descriptor that is closed when a program starts, as `/proc` shows it. */
const CLOSE_ON_EXEC_FLAG = 0o2000000

/**
 * Returns the numbers above 2 of descriptors that a process started from here would get, whoever opened them: a shell may
 * have left a lock or a directory open (`exec 200>lock`). Only Linux tells.
 */
function inheritedDescriptors(): number[] {
  // Deno numbers descriptors by itself, and cannot start a process with one of its own.
  if (process.platform !== 'linux' || process.versions['deno']) return []
  const numbers: number[] = []
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const number = Number(name)
    if (number > 2 && (flagsOf(number) & CLOSE_ON_EXEC_FLAG) === 0) numbers.push(number)
  }
  return numbers
}

/** Flags of a descriptor; those of a closed one say that it does not pass on. */
function flagsOf(descriptor: number): number {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return Number.parseInt(/^flags:\s+(?<flags>\d+)/mu.exec(text)?.groups?.['flags'] ?? '0', 8)
  } catch {
    return CLOSE_ON_EXEC_FLAG
  }
}

/**
 * Starts a process by its standard streams, none of which is an inherited descriptor: an empty, read-only one covers each
 * of those meanwhile, as Node cannot close them.
 */
export function withCovered<T>(
  stdio: readonly Exclude<StdioOptions, string>[number][],
  start: (all: StdioOptions) => T,
): T {
  const inherited = inheritedDescriptors().filter((number) => number >= stdio.length)
  if (inherited.length === 0) return start([...stdio])
  const cover = openSync('/dev/null', 'r')
  try {
    const all = Array.from({ length: Math.max(...inherited) + 1 }, (_, at) => stdio[at] ?? ('ignore' as const))
    return start(all.map((stream, at) => (inherited.includes(at) ? cover : stream)))
  } finally {
    closeSync(cover)
  }
}

/**
 * Ends a process that this program started. One that could not be started is left alone: Node has no number for it, and
 * would send the signal to whatever number lies there, which may be that of this program's whole group.
 */
export function endProcess(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}
