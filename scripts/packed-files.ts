import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { filesBelow, isTestFile, root, type Manifest, type WorkspacePackage } from './workspace.ts'

/** The record of a build below `dist`, which is not packed: a digest of every file that may be, by its path in the package. */
export const BUILD_RECORD = '.build.json'

/** Folder of the files that a package serves to browsers: what they show leads to no source. */
const PAGE_FOLDER = 'dist/page'

/** Digests of files, by their paths in the package. */
type Digests = Readonly<Record<string, string>>

/** Finds faults in the files of a packed tarball (paths inside the package) and in its manifest; `expected` are the files that it may have. */
export function tarballFaults(files: readonly string[], expected: readonly string[], manifest: Manifest): string[] {
  const allowed = new Set(['package.json', 'README.md', 'LICENSE', ...expected])
  const ranges = Object.entries(manifest.dependencies ?? {})
  return [
    ...files.filter(isTestFile).map((file) => `${file} is a helper of tests`),
    ...files
      .filter((file) => !allowed.has(file))
      .map((file) => `${file} is packed, but no entry needs it: run \`pnpm build\``),
    ...ranges
      .filter(([name, range]) => dirname(name) === dirname(manifest.name) && !range.startsWith('^'))
      .map(
        ([name, range]) => `the range of ${name} is ${range}: write \`workspace:^\`, so that installers accept fixes`,
      ),
    ...Object.entries(manifest.exports ?? {})
      .filter(([, conditions]) => JSON.stringify(conditions).includes('./src/'))
      .map(([entry]) => `\`${entry}\` resolves to sources: list only built files in \`publishConfig.exports\``),
  ]
}

/** A module or declaration that only passes on names of other files, or nothing: no place in it leads to a source. */
const PASSING_PATTERN =
  /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|(?:import|export)(?: type)? (?:\{[^}]*\}|\*(?: as \w+)?)(?: from ["'][^"']*["'])?;)*$/u

/** Tells whether a module or declaration only passes on names of other files. */
export const passesOn = (code: string): boolean => PASSING_PATTERN.test(`${code}\n`)

/**
 * Finds modules and declarations of a packed package that do not lead to TypeScript: without a map, or with one that
 * names a source outside the package. `files` are paths inside the package; `read` gives the text of one.
 */
export function sourceMapFaults(files: readonly string[], read: (file: string) => string): string[] {
  const packed = new Set(files)
  return files
    .filter((file) => /\.(?:js|d\.ts)$/u.test(file) && !file.startsWith(`${PAGE_FOLDER}/`))
    .flatMap((file) => {
      const map = `${file}.map`
      if (!packed.has(map)) return passesOn(read(file)) ? [] : [`${file} has no map`]
      const { sources } = JSON.parse(read(map)) as { readonly sources: readonly string[] }
      return (
        sources
          .map((source) => posix.join(posix.dirname(map), source))
          // Data are named, but no place in a module leads to them.
          .filter((source) => !packed.has(source) && !source.endsWith('.json'))
          .map((source) => `${map} names ${source}, which is not in the package`)
      )
    })
}

/** Writes the record of a build, with which `buildFaults` compares. */
export function recordBuild(each: WorkspacePackage): void {
  writeFileSync(join(root, each.folder, 'dist', BUILD_RECORD), JSON.stringify(digestsOf(each), null, 1))
}

/** Finds what a package lacks to be packed: files that its build has not made, or that are not those of its sources. */
export function buildFaults(each: WorkspacePackage): string[] {
  const file = join(root, each.folder, 'dist', BUILD_RECORD)
  if (!existsSync(file)) return ['dist is not built']
  const entries = Object.values(each.manifest.exports ?? {}).flatMap((conditions) =>
    typeof conditions === 'string' ? [conditions] : Object.values(conditions),
  )
  const built = JSON.parse(readFileSync(file, 'utf8')) as Digests
  const named = [...entries, ...Object.values(each.manifest.bin ?? {})]
  return compareBuild(built, digestsOf(each), new Set(named.map((path) => posix.normalize(path))))
}

/** Compares the files of a build with those that are there now; `named` are the files that `exports` names. */
export function compareBuild(built: Digests, present: Digests, named: ReadonlySet<string>): string[] {
  return [...new Set([...Object.keys(built), ...Object.keys(present), ...named])].toSorted().flatMap((file) => {
    if (present[file] === undefined) return [`${file} is missing`]
    if (built[file] === undefined) return [`${file} is newer than the build`]
    return present[file] === built[file] ? [] : [`${file} has changed since the build`]
  })
}

function digestsOf(each: WorkspacePackage): Digests {
  const files = packedFiles(each).filter((file) => existsSync(join(root, file)))
  return Object.fromEntries(
    files.map((file) => [
      file.slice(each.folder.length + 1),
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('base64url'),
    ]),
  )
}

/**
 * The files that a built package may pack, from the root: what its entries and commands reach, the maps of those files, the
 * sources, the page for browsers, and the templates of projects.
 */
export function packedFiles(each: WorkspacePackage): string[] {
  const reached = reachedFiles(each)
  const maps = reached.map((file) => `${file}.map`).filter((file) => existsSync(join(root, file)))
  const sources = filesBelow(`${each.folder}/src`).filter((file) => file.endsWith('.ts') && !isTestFile(file))
  const others = [PAGE_FOLDER, 'templates'].flatMap((name) => filesBelow(`${each.folder}/${name}`))
  return [...new Set([...reached, ...maps, ...sources, ...others])].toSorted()
}

/** The modules of a built package, and the declarations that the types of its entries need, from the root. */
function reachedFiles({ folder, manifest }: WorkspacePackage): string[] {
  const reached = new Set(filesBelow(`${folder}/dist`).filter((file) => file.endsWith('.js')))
  const pending = Object.values(manifest.exports ?? {}).flatMap((conditions) => {
    const file = typeof conditions === 'string' ? undefined : conditions['types']
    return file ? [posix.join(folder, file)] : []
  })
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (!existsSync(join(root, file))) continue
    pending.push(...quotedDeclarations(file).filter((each) => existsSync(join(root, each))))
  }
  return [...reached]
}

/** Finds the declarations that quoted texts of a declaration may name: one too many is packed, never one too few. */
function quotedDeclarations(file: string): string[] {
  const texts = readFileSync(join(root, file), 'utf8').matchAll(/['"`]([\w./-]+)/gu)
  return [...texts].map(([, text = '']) => posix.join(dirname(file), `${text.replace(/(?:\.d)?\.[jt]s$/u, '')}.d.ts`))
}
