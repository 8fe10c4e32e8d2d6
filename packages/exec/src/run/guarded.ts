import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Names in a directory of the user's that programs of the user act upon by themselves: hooks of Git, settings of editors,
 * scripts of a package. What exists of them is read-only for code.
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

/** A name of {@link GUARDED_NAMES}. */
export type GuardedName = (typeof GUARDED_NAMES)[number]

/** Those that code cannot make either. */
const UNCREATABLE_NAMES: readonly GuardedName[] = ['.git', '.husky', '.vscode', '.npmrc']

/** Guarded names that are not opened by name. */
export const guardedNames = (writable: readonly string[]): readonly GuardedName[] =>
  GUARDED_NAMES.filter((name) => !writable.includes(name))

/** Guarded names that code cannot make, and that are not opened by name. */
export const neverMade = (writable: readonly string[]): readonly GuardedName[] =>
  UNCREATABLE_NAMES.filter((name) => !writable.includes(name))

/** Makes a directory a repository of Git's without `.git`, whose settings name programs that Git starts. */
const GIT_HEAD_PATH = process.platform === 'linux' ? /(?:^|\/)HEAD$/u : /(?:^|\/)HEAD$/iu

/**
 * Returns true if code may not leave something under a path of a directory of the user's: it is guarded and exists, or it
 * lies in a place that code cannot make, at any depth and in any case, as some file systems do not tell case.
 */
export function isGuarded(path: string, writable: readonly string[], exists: (name: string) => boolean): boolean {
  const parts = path.toLowerCase().split('/')
  const made = neverMade(writable)
  if (parts.some((part) => (made as readonly string[]).includes(part))) return true
  if (made.includes('.git') && GIT_HEAD_PATH.test(path)) return true
  return guardedNames(writable).some((name) => `${parts.join('/')}/`.startsWith(`${name}/`) && exists(name))
}

/** Returns true if something lies below a path that is guarded and exists: what is there cannot be exchanged or removed. */
export const holdsGuarded = (path: string, writable: readonly string[], exists: (name: string) => boolean): boolean =>
  guardedNames(writable).some((name) => name.startsWith(`${path.toLowerCase()}/`) && exists(name))

/**
 * Returns a test for paths that code may neither leave something under nor remove from a directory of the user's, by what
 * exists there now.
 */
export function guardOf(directory: string, writable: readonly string[]): (path: string) => boolean {
  const there = new Set<string>(GUARDED_NAMES.filter((name) => existsSync(join(directory, name))))
  const exists = (name: string): boolean => there.has(name)
  return (path) => isGuarded(path, writable, exists) || holdsGuarded(path, writable, exists)
}
