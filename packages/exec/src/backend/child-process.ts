import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** Flag of a descriptor that is closed when a program starts, in the notation of `/proc`. */
const CLOSE_ON_EXEC_FLAG = 0o2000000

/**
 * Returns the descriptors above 2 that a child process would inherit, whoever opened them: a shell may have left a lock or a
 * directory open (`exec 200>lock`). Empty outside Linux.
 */
function inheritedDescriptors(): number[] {
  // Deno has descriptor numbers of its own, and cannot pass one to a process.
  if (process.platform !== 'linux' || process.versions['deno']) return []
  const numbers: number[] = []
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const number = Number(name)
    if (number > 2 && (flagsOf(number) & CLOSE_ON_EXEC_FLAG) === 0) numbers.push(number)
  }
  return numbers
}

/** Returns the flags of a descriptor; a closed descriptor counts as not inherited. */
function flagsOf(descriptor: number): number {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return Number.parseInt(/^flags:\s+(?<flags>\d+)/mu.exec(text)?.groups?.['flags'] ?? '0', 8)
  } catch {
    return CLOSE_ON_EXEC_FLAG
  }
}

/**
 * Starts a process that inherits no descriptors but its standard streams. Node cannot close inherited descriptors, so an
 * empty read-only one replaces each of them in the process.
 */
export function withoutInherited<T>(
  stdio: readonly Exclude<StdioOptions, string>[number][],
  start: (stdio: StdioOptions) => T,
): T {
  const numbers = inheritedDescriptors().filter((number) => number >= stdio.length)
  if (numbers.length === 0) return start([...stdio])
  const cover = openSync('/dev/null', 'r')
  try {
    const all = Array.from({ length: Math.max(...numbers) + 1 }, (_, at) => stdio[at] ?? ('ignore' as const))
    return start(all.map((stream, at) => (numbers.includes(at) ? cover : stream)))
  } finally {
    closeSync(cover)
  }
}

/**
 * Kills a process that this program started. Does nothing for a process that failed to start: Node has no process id for it,
 * and might send the signal to the process group of this program.
 */
export function killProcess(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}
