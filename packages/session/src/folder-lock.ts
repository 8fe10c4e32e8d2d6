import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'

/**
 * Keeps other processes of this machine out of a folder, for as long as this one lives or until it is disposed of. One
 * that was killed keeps nobody out.
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
        `the chat in \`${folder}\` is open in process ${holder}: end it, or remove \`${file}\` if that is another program`,
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

/** Who holds the lock; null when it was removed meanwhile. */
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
    // Without the right to send it a signal, it is there all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
