import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The root of the repository. */
export const root: string = join(import.meta.dirname, '../../..')

/** A published package of the workspace. */
export interface Package {
  readonly name: string
  /** Path from the root. */
  readonly folder: string
  /** The source file of every entry (`.`, `./steps`), from the root. */
  readonly entries: ReadonlyMap<string, string>
}

interface Manifest {
  readonly name: string
  readonly packageManager?: string
  readonly repository?: unknown
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Reads a text by its path from the root. */
export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Lists the files that git knows or would add, by patterns of git, as sorted paths from the root. */
export function listFiles(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean).toSorted()
}

/** The address of the repository, as the manifest of the root has it. */
export function repositoryUrl(): string {
  return String(readManifest('.').repository)
}

/** The package manager with its version, such as `pnpm@12.21.0`. */
export function packageManager(): string {
  return String(readManifest('.').packageManager)
}

/** Reads the published packages, sorted by name. */
export function readPackages(): Package[] {
  return readdirSync(join(root, 'packages'))
    .toSorted()
    .map((name) => {
      const folder = `packages/${name}`
      const manifest = readManifest(folder)
      const entries = Object.entries(manifest.exports ?? {}).flatMap(([entry, conditions]): [string, string][] => {
        const source = Object.entries(conditions).find(([condition]) => condition.endsWith('/source'))?.[1]
        return source ? [[entry, join(folder, source)]] : []
      })
      return { name: manifest.name, folder, entries: new Map(entries) }
    })
}

function readManifest(folder: string): Manifest {
  return JSON.parse(read(join(folder, 'package.json'))) as Manifest
}
