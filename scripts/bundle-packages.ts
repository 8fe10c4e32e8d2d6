/**
 * Makes the modules that packages ship, after `tsc -b` has written their declarations: each file that `exports` names, with
 * all of its entries, and one with what such files share, so that an import reads few files and not hundreds. A command, and
 * a file that a thread or a process runs, is complete in itself, at its path below `src`; the page of the studio has a folder
 * of its own. Then it writes into `dist/.npmignore` every file
 * that no entry reaches: declarations of internal modules, what an earlier build left. `npm pack` and `pnpm pack` obey it. The
 * last file that it writes tells `prepack` what was built from what.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { rolldown, type OutputChunk, type Plugin, type RenderedChunk } from 'rolldown'
import { buildPage } from '../packages/studio/page/build.ts'
import { packRows } from './catalogue/data-file.ts'
import { BUILD_RECORD, packedFiles, passesOn, recordBuild } from './packed-files.ts'
import { markPureValues } from './pure-values.ts'
import {
  commandSourcesOf,
  entriesOf,
  filesBelow,
  isTestFile,
  readPackages,
  root,
  type WorkspacePackage,
} from './workspace.ts'

/** Files that threads and processes run. The code that starts one finds it by its path below `dist`. */
const PROGRAM_PATTERN = /-(?:worker|child)\.ts$/u

/** Threads that run nearly all of their package: they share its code, which users would install twice. */
const SHARING_THREADS: ReadonlySet<string> = new Set(['packages/exec/src/backend/blocking-worker.ts'])

/** What is imported from another package: it begins like no path, also of Windows. */
const PACKAGE_PATTERN = /^(?![./]|[a-z]:[\\/])/iu

/** Tables of models. */
const CATALOGUE_PATTERN = /[\\/](?:catalogue|catalogue[\\/][\w-]+)\.json$/u

/** An export whose own name has got a number. */
const RENAMED_EXPORT_PATTERN = /\b(\w+)\$\d+ as \1\b/gu

/** Name of the module that has all entries of a file. */
const ENTRIES_MODULE = '\0entries:'

const packages = readPackages()
/** The specifiers of entries that are in the file of the main entry, with that of the main entry. */
const mainBySpecifier = new Map(packages.flatMap(specifiersOfMain))
await Promise.all(packages.map(bundlePackage))
await writePage()
for (const each of packages) {
  ignoreUnreached(each)
  recordBuild(each)
}

async function bundlePackage(each: WorkspacePackage): Promise<void> {
  const { folder } = each
  const inSource = `${folder}/src/`.length
  const commands = new Set(commandSourcesOf(each).map((file) => `${folder}/${file}`))
  const nameOf = (file: string): string => file.slice(inSource, -'.ts'.length)
  const all = filesBelow(`${folder}/src`).filter(
    (file) => commands.has(file) || (PROGRAM_PATTERN.test(file) && !isTestFile(file)),
  )
  const programs = all.filter((file) => !SHARING_THREADS.has(file))
  const sharing = all.filter((file) => SHARING_THREADS.has(file))
  const modules = { ...sourcesByFile(each), ...Object.fromEntries(sharing.map((file) => [nameOf(file), [file]])) }
  const written = await Promise.all([
    Object.keys(modules).length === 0
      ? []
      : bundle(folder, modules, {
          name: 'pure-values',
          renderChunk: (code: string, { fileName }: RenderedChunk) => markPureValues(fileName, code),
        }),
    ...programs.map((file) => bundle(folder, { [nameOf(file)]: [file] })),
  ])
  const kept = new Set(written.flat().map((file) => `${folder}/dist/${file}`))
  // Behind the writing, so that a program that imports the package meanwhile finds its modules.
  for (const file of filesBelow(`${folder}/dist`))
    if (/\.(?:js|js\.map|json)$/u.test(file) && !kept.has(file)) rmSync(join(root, file))
    else if (file.endsWith('.d.ts')) leaveOutMap(file)
}

/** Writes the page of the studio, which its package serves as files. */
async function writePage(): Promise<void> {
  const folder = join(root, 'packages/studio/dist/page')
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of await buildPage()) writeFileSync(join(folder, name), content)
}

/** Leaves out the map of a declaration that only passes on names: it would take a block of the disk and lead nowhere. */
function leaveOutMap(file: string): void {
  const code = readFileSync(join(root, file), 'utf8')
  if (!passesOn(code)) return
  writeFileSync(join(root, file), code.replace(/^\/\/# sourceMappingURL=.*\n?/mu, ''))
  rmSync(join(root, `${file}.map`), { force: true })
}

/** The sources of the entries, from the root, by the file of `dist` that has them. */
function sourcesByFile(each: WorkspacePackage): Record<string, string[]> {
  const sources: Record<string, string[]> = {}
  for (const [entry, source] of Object.entries(entriesOf(each)))
    (sources[fileOf(each, entry)] ??= []).push(`${each.folder}/${source}`)
  return sources
}

/** The name below `dist` of the file that has an entry. */
function fileOf({ manifest }: WorkspacePackage, entry: string): string {
  const { default: file } = manifest.exports![entry] as { readonly default: string }
  return file.slice('./dist/'.length, -'.js'.length)
}

function specifiersOfMain(each: WorkspacePackage): [string, string][] {
  return Object.keys(entriesOf(each))
    .filter((entry) => entry !== '.' && fileOf(each, entry) === fileOf(each, '.'))
    .map((entry) => [posix.join(each.name, entry), each.name])
}

/**
 * Bundles sources of a package, from the root, by the names of the files to write, and returns what it has written. Other
 * packages stay imports: of each file once, whichever of its entries a source imports.
 */
async function bundle(
  folder: string,
  sources: Readonly<Record<string, readonly string[]>>,
  plugin?: Plugin,
): Promise<string[]> {
  const reading: Plugin = {
    name: 'reading',
    resolveId(id) {
      if (id.startsWith(ENTRIES_MODULE)) return id
      return PACKAGE_PATTERN.test(id) ? { id: mainBySpecifier.get(id) ?? id, external: true } : undefined
    },
    load(id) {
      if (id.startsWith(ENTRIES_MODULE)) return exportAll(sources[id.slice(ENTRIES_MODULE.length)]!)
      return CATALOGUE_PATTERN.test(id) ? { code: packCatalogue(id), moduleType: 'js' } : undefined
    },
  }
  const input = Object.keys(sources).map((name) => [
    name,
    sources[name]!.length > 1 ? `${ENTRIES_MODULE}${name}` : join(root, sources[name]![0]!),
  ])
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(input) as Record<string, string>,
    platform: 'neutral',
    tsconfig: false,
    // Node 22 does not know `using`.
    transform: { target: 'es2024' },
    plugins: [reading, plugin],
  })
  const { output } = await bundled.write({
    dir: join(root, folder, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    comments: { jsdoc: false },
    minifyInternalExports: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
  refuseNewNames(output.filter((each) => each.type === 'chunk'))
  return output.map(({ fileName }) => fileName)
}

/** The code of a module that has a table of models as one text, which an engine reads sooner than an object of many rows. */
function packCatalogue(file: string): string {
  const { date, models } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly date: string
    readonly models: Readonly<Record<string, string>>
  }
  const packed = JSON.stringify({ date, rows: packRows(models) })
  return `import { unpackCatalogue } from '@x/provider-kit'\nexport default unpackCatalogue(${packed})\n`
}

/** The code of a module that exports what several do. Fails where two export one name, which none of them would have. */
function exportAll(files: readonly string[]): string {
  const names = files.flatMap((file) =>
    parseSync(file, readFileSync(join(root, file), 'utf8')).module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ isType, exportName }) => (isType ? [] : [exportName.name])),
    ),
  )
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`cannot bundle ${files.join(' and ')}: both export \`${twice}\`; rename one of the two`)
  return files.map((file) => `export * from ${JSON.stringify(join(root, file))}\n`).join('')
}

/** Refuses a file whose entry exports something under a name that is not its own, because another thing has it. */
function refuseNewNames(chunks: readonly OutputChunk[]): void {
  const matches = chunks.flatMap(({ code }) => [...code.matchAll(RENAMED_EXPORT_PATTERN)])
  const renamed = new Set(matches.map(([, name]) => name))
  for (const { fileName, isEntry, exports } of chunks) {
    const name = isEntry && exports.find((each) => renamed.has(each))
    if (name)
      throw new Error(`cannot bundle ${fileName}: its export \`${name}\` gets another name; rename one of the two`)
  }
}

function ignoreUnreached(each: WorkspacePackage): void {
  const dist = `${each.folder}/dist`
  const packed = new Set(packedFiles(each))
  const ignored = [...filesBelow(dist), `${dist}/${BUILD_RECORD}`].filter((file) => !packed.has(file))
  // The leading slash excludes this path alone, not other files of the same name.
  const lines = new Set(ignored.map((file) => `/${file.slice(dist.length + 1)}\n`))
  writeFileSync(join(root, dist, '.npmignore'), [...lines].join(''))
}
