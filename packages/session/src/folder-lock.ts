import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

/**
 * Locks a folder for other processes of this machine until it is disposed of. The lock of a process that no longer runs
 * does not count.
 */
export function lockFolder(folder: string): Disposable {
  const file = join(folder, 'lock')
  const own = String(process.pid)
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = holderOf(file)
    if (holder === own) break
    if (holder !== null && isAlive(Number(holder))) {
      throw new XError(
        'invalid-state',
        `could not open the chat in \`${folder}\`: process ${holder} has it open; end that process, or remove \`${file}\` if it is another program`,
      )
    }
    rmSync(file, { force: true })
  }
  return {
    [Symbol.dispose]() {
      if (holderOf(file) === own) rmSync(file, { force: true })
    },
  }
}

/** Returns the id of the process that holds the lock; null when the lock is gone. */
function holderOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists, but this user may not send it signals.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
