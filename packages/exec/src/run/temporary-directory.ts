import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile, execFileSync } from 'node:child_process'
import { lstat, readdir, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasEnded } from '../backend/processes.ts'
import { NOBODY_UID } from '../backend/workspace.ts'

/** Directories that were made and not yet removed. */
const directories = new Set<string>()

const removeAll = (): void => {
  for (const directory of directories) removeTree(directory)
}

/**
 * Makes a temporary directory for one executor; it is removed at the latest when the program exits. Of a program that was
 * killed, the next one removes it.
 */
export function makeTemporaryDirectory(): string {
  namePrefix ??= `x-exec-${processIdSpace()}-`
  sweep ??= sweepTemporaryDirectories(tmpdir(), namePrefix)
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `${namePrefix}${process.pid}-`)))
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

/** Start of the names of all directories of this machine's programs; null before the first. */
let namePrefix: string | null = null

/** Removes what programs left that were killed; once in this program. */
let sweep: Promise<void> | null = null

/**
 * Names what the ids of processes refer to: those of another container, or of the time before a restart, are other processes.
 */
function processIdSpace(): string {
  let place = hostname()
  try {
    place = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Only Linux has them.
  }
  return createHash('sha256').update(place).digest('hex').slice(0, 8)
}

/** Removes the directories in `parent` that this user's programs made and that ended without removing them. */
export async function sweepTemporaryDirectories(parent: string, prefix: string): Promise<void> {
  const user = process.getuid?.()
  // Code of a sandbox that root starts owns its directory.
  const owners = user === 0 ? [0, NOBODY_UID] : [user ?? 0]
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = name.startsWith(prefix) ? /^(?<pid>\d+)-/u.exec(name.slice(prefix.length))?.groups?.['pid'] : undefined
    if (pid === undefined || !hasEnded(Number(pid))) continue
    const path = join(parent, name)
    const found = await lstat(path).catch(() => null)
    // What cannot be removed is tried again by the next program.
    if (found?.isDirectory() && owners.includes(found.uid)) await removeTreeInBackground(path).catch(() => {})
  }
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
