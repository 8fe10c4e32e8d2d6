import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { filesBelow, isTestFile, root, type Manifest, type WorkspacePackage } from './workspace.ts'

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

/** A module without code: an entry of types alone, or of names of other files. */
const CODELESS_PATTERN = /^(?:(?:import|export) \{[^}]*\}(?: from "[^"]*")?;\s*)*$/u

/**
 * Finds modules and declarations of a packed package that do not lead to TypeScript: without a map, or with one that
 * names a source outside the package. `files` are paths inside the package; `read` gives the text of one.
 */
export function sourceMapFaults(files: readonly string[], read: (file: string) => string): string[] {
  const packed = new Set(files)
  return files
    .filter((file) => /\.(?:js|d\.ts)$/u.test(file))
    .flatMap((file) => {
      const map = `${file}.map`
      if (!packed.has(map)) return CODELESS_PATTERN.test(read(file)) ? [] : [`${file} has no map`]
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

/** The files that a built package may pack, from the root: what its entries reach, the maps of those files, and the sources. */
export function packedFiles(each: WorkspacePackage): string[] {
  const reached = reachedFiles(each)
  const maps = reached.map((file) => `${file}.map`).filter((file) => existsSync(join(root, file)))
  const sources = filesBelow(`${each.folder}/src`).filter((file) => file.endsWith('.ts') && !isTestFile(file))
  return [...reached, ...maps, ...sources].toSorted()
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
    pending.push(...quotedDeclarations(file).filter((each) => existsSync(join(root, each))))
  }
  return [...reached]
}

/** Finds the declarations that quoted texts of a declaration may name: one too many is packed, never one too few. */
function quotedDeclarations(file: string): string[] {
  const texts = readFileSync(join(root, file), 'utf8').matchAll(/['"`]([\w./-]+)/gu)
  return [...texts].map(([, text = '']) => posix.join(dirname(file), `${text.replace(/(?:\.d)?\.[jt]s$/u, '')}.d.ts`))
}
