/**
 * Makes the modules that packages ship, after `tsc -b` has written their declarations: a file for each entry, and one
 * with what entries share, so that an import reads few files and not hundreds. A file that a thread or a process runs is
 * complete in itself, at its path below `src`. Then it writes into `dist/.npmignore` every file that no entry reaches:
 * declarations of internal modules, what an earlier build left. `npm pack` and `pnpm pack` obey it.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown, type OutputChunk, type Plugin, type RenderedChunk } from 'rolldown'
import { packedFiles } from './packed-files.ts'
import { markPureValues } from './pure-values.ts'
import { entriesOf, filesBelow, isTestFile, readPackages, root, type WorkspacePackage } from './workspace.ts'

/** Files that threads and processes run. The code that starts one finds it by its path below `dist`. */
const PROGRAM_PATTERN = /-(?:worker|child)\.ts$/u

/** What is imported from another package: it begins like no path, also of Windows. */
const PACKAGE_PATTERN = /^(?![./]|[a-z]:[\\/])/iu

/** An export whose own name has got a number. */
const RENAMED_EXPORT_PATTERN = /\b(\w+)\$\d+ as \1\b/gu

const packages = readPackages()
await Promise.all(packages.map(bundlePackage))
for (const each of packages) ignoreUnreached(each)

async function bundlePackage(each: WorkspacePackage): Promise<void> {
  const { folder } = each
  const entries = Object.values(entriesOf(each)).map((file) => `${folder}/${file}`)
  const programs = filesBelow(`${folder}/src`).filter((file) => PROGRAM_PATTERN.test(file) && !isTestFile(file))
  const pure = {
    name: 'pure-values',
    renderChunk: (code: string, { fileName }: RenderedChunk) => markPureValues(fileName, code),
  }
  const written = await Promise.all([bundle(folder, entries, pure), ...programs.map((file) => bundle(folder, [file]))])
  const kept = new Set(written.flat().map((file) => `${folder}/dist/${file}`))
  // Behind the writing, so that a program that imports the package meanwhile finds its modules.
  for (const file of filesBelow(`${folder}/dist`))
    if (/\.(?:js|js\.map|json)$/u.test(file) && !kept.has(file)) rmSync(join(root, file))
}

/** Bundles files of a package, by paths from the root, and returns what it has written; other packages stay imports. */
async function bundle(folder: string, files: readonly string[], plugin?: Plugin): Promise<string[]> {
  const inSource = `${folder}/src/`.length
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(files.map((file) => [file.slice(inSource, -'.ts'.length), join(root, file)])),
    platform: 'neutral',
    external: PACKAGE_PATTERN,
    tsconfig: false,
    plugins: [plugin],
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
  const ignored = filesBelow(dist).filter((file) => !packed.has(file))
  // The leading slash excludes this path alone, not other files of the same name.
  const lines = ignored.map((file) => `/${file.slice(dist.length + 1)}\n`)
  writeFileSync(join(root, dist, '.npmignore'), lines.join(''))
}
