import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree, removeTreeAside } from './remove-tree.ts'

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
