import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile, execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Directories that were made and not removed yet. */
const directories = new Set<string>()

const removeAll = (): void => {
  for (const directory of directories) removeTree(directory)
}

/** Makes a directory for one executor. If nobody removes it before, it is gone when the program ends. */
export function makeOwnDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'x-exec-')))
  // One listener for all of them: Node warns of more than ten.
  if (directories.size === 0) process.once('exit', removeAll)
  directories.add(directory)
  return directory
}

/** Removes a directory that was made so, with all that is in it; nothing for any other one. */
export async function removeOwnDirectory(directory: string): Promise<void> {
  if (!directories.has(directory)) return
  await removeTreeAside(directory)
  directories.delete(directory)
  if (directories.size === 0) process.off('exit', removeAll)
}

/** Removes a directory with all that code left in it, also what it took its own rights from. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Links are not followed on the way down.
    execFileSync('/bin/chmod', ['-R', 'u+rwx', '--', path], { stdio: 'ignore', env: {} })
    rmSync(path, { recursive: true, force: true })
  }
}

/** Removes a directory as {@link removeTree} does, without keeping the event loop. */
export async function removeTreeAside(path: string): Promise<void> {
  if (process.platform === 'win32') return await rm(path, { recursive: true, force: true })
  const run = async (program: string, ...args: string[]): Promise<unknown> =>
    await promisify(execFile)(program, [...args, '--', path], { env: {} })
  try {
    await run('/bin/rm', '-rf')
  } catch {
    await run('/bin/chmod', '-R', 'u+rwx')
    await run('/bin/rm', '-rf')
  }
}
