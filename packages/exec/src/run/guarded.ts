import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Names in the user's directory that the user's programs act on by themselves: hooks of Git, settings of editors, scripts of
 * a package. Code cannot change those that exist.
 */
export const GUARDED_NAMES = [
  '.git',
  '.husky',
  '.vscode',
  '.npmrc',
  'package.json',
  'node_modules/.bin',
  '.cache',
] as const

/** Name in {@link GUARDED_NAMES}. */
export type GuardedName = (typeof GUARDED_NAMES)[number]

/** Guarded names that code cannot create either. */
const UNCREATABLE_NAMES: readonly GuardedName[] = ['.git', '.husky', '.vscode', '.npmrc']

/** Returns the guarded names that the option `writable` does not list. */
export const guardedNames = (writable: readonly string[]): readonly GuardedName[] =>
  GUARDED_NAMES.filter((name) => !writable.includes(name))

/** Returns the guarded names that code cannot create, without those that the option `writable` lists. */
export const uncreatableNames = (writable: readonly string[]): readonly GuardedName[] =>
  UNCREATABLE_NAMES.filter((name) => !writable.includes(name))

/** File that makes a directory a Git repository without `.git`; the settings of a repository name programs that Git starts. */
const GIT_HEAD_PATH = process.platform === 'linux' ? /(?:^|\/)HEAD$/u : /(?:^|\/)HEAD$/iu

/**
 * Returns true if code may not write a path in the user's directory: the path is guarded and exists, or contains a name that
 * code cannot create, at any depth. Case is ignored, as in some file systems.
 */
export function isGuarded(path: string, writable: readonly string[], exists: (name: string) => boolean): boolean {
  const parts = path.toLowerCase().split('/')
  const uncreatable = uncreatableNames(writable)
  if (parts.some((part) => (uncreatable as readonly string[]).includes(part))) return true
  if (uncreatable.includes('.git') && GIT_HEAD_PATH.test(path)) return true
  return guardedNames(writable).some((name) => `${parts.join('/')}/`.startsWith(`${name}/`) && exists(name))
}

/** Returns true if a guarded name exists below a path, so that code cannot replace or remove the path. */
export const holdsGuarded = (path: string, writable: readonly string[], exists: (name: string) => boolean): boolean =>
  guardedNames(writable).some((name) => name.startsWith(`${path.toLowerCase()}/`) && exists(name))

/**
 * Returns a function that returns true for paths of the user's directory that code may neither write nor remove, judged by
 * the files that exist now.
 */
export function guardOf(directory: string, writable: readonly string[]): (path: string) => boolean {
  const existing = new Set<string>(GUARDED_NAMES.filter((name) => existsSync(join(directory, name))))
  const exists = (name: string): boolean => existing.has(name)
  return (path) => isGuarded(path, writable, exists) || holdsGuarded(path, writable, exists)
}
