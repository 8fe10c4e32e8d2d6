import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { root, type Manifest, type WorkspacePackage } from './workspace.ts'

/**
 * What is wrong with the files of a packed tarball (paths inside the package) and its manifest; empty if nothing is.
 * `reached` are the files that its entries need.
 */
export function tarballFaults(files: readonly string[], reached: readonly string[], manifest: Manifest): string[] {
  const helpers = files.filter((file) => /\.(?:fake|test|test-d|bench)\./u.test(file))
  const wanted = new Set(['package.json', 'README.md', 'LICENSE', ...reached])
  const ranges = Object.entries(manifest.dependencies ?? {})
  return [
    ...helpers.map((file) => `${file} is a helper of tests`),
    ...files.filter((file) => !wanted.has(file)).map((file) => `${file} is needed by no entry: run \`pnpm build\``),
    ...ranges
      .filter(([name, range]) => dirname(name) === dirname(manifest.name) && !range.startsWith('^'))
      .map(([name, range]) => `its range of ${name} is ${range}: \`workspace:^\` accepts fixes`),
  ]
}

/** The files that the entries of a built package load, and the declarations their types need, from the root. */
export function reachedFiles({ folder, manifest }: WorkspacePackage): string[] {
  const reached = new Set<string>()
  const pending = Object.values(manifest.exports ?? {}).flatMap((conditions) =>
    typeof conditions === 'string'
      ? []
      : [conditions['types'], conditions['default']].flatMap((file) => (file ? [posix.join(folder, file)] : [])),
  )
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (file.endsWith('.json')) continue
    pending.push(...namedIn(file).filter((each) => existsSync(join(root, each))))
  }
  return [...reached].toSorted()
}

/**
 * The files that a text in quotes of a file may mean. A worker is named without an import, so every text counts:
 * one that is a file's name by accident packs a file too many, and none too few.
 */
function namedIn(file: string): string[] {
  // Data name no files.
  if (file.endsWith('.json')) return []
  const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js'
  const texts = readFileSync(join(root, file), 'utf8').matchAll(/['"`]([\w./-]+)/gu)
  return [...texts].map(([, text = '']) =>
    posix.join(dirname(file), text.endsWith('.json') ? text : text.replace(/(?:\.d)?\.[jt]s$/u, '') + ending),
  )
}
