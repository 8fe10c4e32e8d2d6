import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

/**
 * Locks a folder for other processes of this machine until it is disposed of. The lock of a process that no longer runs
 * does not count.
 */
export function lockFolder(folder: string): Disposable {
  const file = join(folder, 'lock')
  const own = String(process.pid)
  while (!isClaimed(file, own)) {
    const holder = holderOf(file)
    if (holder === own) break
    if (holder !== null && isAlive(Number(holder))) {
      throw new XError(
        'invalid-state',
        `could not open the chat in \`${folder}\`: process ${holder} has it open; end that process, or remove \`${file}\` if it is another program`,
      )
    }
    removeStale(file, own)
  }
  return {
    [Symbol.dispose]() {
      if (holderOf(file) === own) rmSync(file, { force: true })
    },
  }
}

/** Makes a file with the id of a process, which nobody sees without it; returns false if there is one. */
function isClaimed(file: string, own: string): boolean {
  const mine = `${file}.${own}`
  writeFileSync(mine, own, { mode: 0o600 })
  try {
    linkSync(mine, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
  } finally {
    rmSync(mine, { force: true })
  }
  // Some file systems have no links.
  try {
    writeFileSync(file, own, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes the lock of a process that no longer runs. One process does so at a time, and looks again: another may have the
 * folder by now.
 */
function removeStale(file: string, own: string): void {
  const removal = `${file}.stale`
  if (!isClaimed(removal, own)) {
    const other = holderOf(removal)
    // It was killed while it removed a lock.
    if (other !== null && !isAlive(Number(other))) rmSync(removal, { force: true })
    return
  }
  try {
    const holder = holderOf(file)
    if (holder !== null && !isAlive(Number(holder))) rmSync(file, { force: true })
  } finally {
    rmSync(removal, { force: true })
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
