import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile, execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Directories that were made and not yet removed. */
const directories = new Set<string>()

const removeAll = (): void => {
  for (const directory of directories) removeTree(directory)
}

/** Makes a temporary directory for one executor; it is removed at the latest when the program exits. */
export function makeTemporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'x-exec-')))
  // One listener for all directories: Node warns of more than ten listeners.
  if (directories.size === 0) process.once('exit', removeAll)
  directories.add(directory)
  return directory
}

/** Removes a directory of {@link makeTemporaryDirectory} with all its contents; leaves any other directory alone. */
export async function removeTemporaryDirectory(directory: string): Promise<void> {
  if (!directories.has(directory)) return
  await removeTreeInBackground(directory)
  directories.delete(directory)
  if (directories.size === 0) process.off('exit', removeAll)
}

/** Removes a directory with everything that code left in it, including directories without permissions. */
function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // `chmod -R` follows no links on the way down.
    execFileSync('/bin/chmod', ['-R', 'u+rwx', '--', path], { stdio: 'ignore', env: {} })
    rmSync(path, { recursive: true, force: true })
  }
}

/** {@link removeTree} in another process, which does not block the event loop. */
async function removeTreeInBackground(path: string): Promise<void> {
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
