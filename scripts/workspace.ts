import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A folder of the workspace that has a manifest and sources. */
export interface WorkspacePackage {
  /** Name in the manifest, with the scope. */
  readonly name: string
  /** Path from the root, with forward slashes. */
  readonly folder: string
  readonly manifest: Manifest
}

/** The fields of a `package.json` that the scripts read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly license?: string
  readonly repository?: string | { readonly type: string; readonly url: string; readonly directory: string }
  readonly homepage?: string
  readonly bugs?: string
  readonly packageManager?: string
  readonly engines?: { readonly node: string }
  readonly exports?: Exports
  /** The commands that an installer links, by name: files of `dist`. */
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  /** Fields that replace those above in the packed manifest. */
  readonly publishConfig?: { readonly access?: string; readonly exports?: Exports }
}

/** The entries of a package: files by condition. */
type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The root of the workspace. */
export const root: string = dirname(import.meta.dirname)

/** Reads a manifest, by its folder from the root. */
export function readManifest(folder = '.'): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

/** The address of the repository, without a slash at its end: one setting, in the manifest of the root. */
export function repositoryUrl(): string {
  const { repository } = readManifest()
  if (typeof repository !== 'string') throw new Error('cannot read `repository` of package.json: it must be an address')
  return repository
}

/** Reads the packages under `packages/` whose entries exist, sorted by name. */
export function readPackages(): WorkspacePackage[] {
  return folders('packages').filter((each) =>
    Object.values(entriesOf(each)).every((file) => existsSync(join(root, each.folder, file))),
  )
}

/** Reads the private programs under `apps/`, sorted by name. */
export function readApps(): WorkspacePackage[] {
  return folders('apps')
}

/** The source file behind every entry of a package's `exports`, by entry (`.`, `./steps`), relative to the package. */
export function entriesOf({ manifest }: WorkspacePackage): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const [entry, conditions] of Object.entries(manifest.exports ?? {})) {
    if (typeof conditions === 'string') continue
    const source = Object.entries(conditions).find(([condition]) => condition.endsWith('/source'))?.[1]
    if (source) entries[entry] = source.replace(/^\.\//, '')
  }
  return entries
}

/** The source file behind every command of a package, relative to the package. */
export function commandSourcesOf({ manifest }: WorkspacePackage): string[] {
  return Object.values(manifest.bin ?? {}).map((file) => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'))
}

/** The name of a package without its scope. */
export function shortName(name: string): string {
  return basename(name)
}

/** True for tests, type tests, fakes and benches: files that are never packed, but for the tests of templates. */
export function isTestFile(file: string): boolean {
  return /\.(?:test|test-d|fake|bench)\./u.test(file) && !/(?:^|\/)templates\//u.test(file)
}

/** Lists all files below a folder, as sorted paths from the root with forward slashes; none if the folder does not exist. */
export function filesBelow(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(root.length + 1)
          .replaceAll('\\', '/'),
      )
      .toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function folders(parent: string): WorkspacePackage[] {
  const found: WorkspacePackage[] = []
  for (const entry of readdirSync(join(root, parent)).toSorted()) {
    const folder = `${parent}/${entry}`
    let text: string
    try {
      text = readFileSync(join(root, folder, 'package.json'), 'utf8')
    } catch {
      // A folder without a manifest, left over from another branch, is not a package.
      continue
    }
    const manifest = JSON.parse(text) as Manifest
    found.push({ name: manifest.name, folder, manifest })
  }
  return found
}
