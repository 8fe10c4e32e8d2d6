import { execFile, execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

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
