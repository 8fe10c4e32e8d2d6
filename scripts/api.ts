/**
 * Keeps the public API of every package in `etc/api/<package>/`: the declarations that the entries of the package reach.
 *
 *   pnpm api        writes the declarations
 *   api.ts --check  compares them with the sources, and shows the differences
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { entriesOf, readPackages, root, shortName, type WorkspacePackage } from './workspace.ts'

const SNAPSHOT_FOLDER = 'etc/api'

mkdirSync(join(root, '.turbo'), { recursive: true })
// Inside the workspace, so that `tsc` finds the packages and their dependencies.
const work = mkdtempSync(join(root, '.turbo', 'api-'))
try {
  const packages = readPackages()
  declare(packages)
  for (const each of packages) copyReachable(each)
  if (process.argv.includes('--check')) process.exitCode = compare()
  else {
    rmSync(join(root, SNAPSHOT_FOLDER), { recursive: true, force: true })
    cpSync(join(work, 'api'), join(root, SNAPSHOT_FOLDER), { recursive: true })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Emits the declarations of everything the entries import; one run of `tsc` for all packages. */
function declare(packages: readonly WorkspacePackage[]): void {
  const sources = packages.flatMap((each) =>
    Object.entries(entriesOf(each)).map(([entry, file]) => ({
      specifier: posix.join(each.name, entry),
      file: join(root, each.folder, file),
    })),
  )
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      declarationMap: false,
      emitDeclarationOnly: true,
      removeComments: true,
      rootDir: root,
      outDir: join(work, 'all'),
      typeRoots: [join(root, 'node_modules/@types')],
      // `tsc` may treat a file that it reaches through `node_modules` as foreign and leave it out.
      paths: Object.fromEntries(sources.map(({ specifier, file }) => [specifier, [file]])),
    },
    files: sources.map(({ file }) => file),
  }
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config))
  const { status, stdout } = spawnSync('tsc', ['-p', work], { encoding: 'utf8', shell: process.platform === 'win32' })
  // The build reports compile errors; `tsc` writes declarations in spite of them.
  if (status !== 0) console.error(stdout)
}

/** Copies the declarations of the entries and everything that they import, directly or by others. */
function copyReachable(each: WorkspacePackage): void {
  const pending = Object.values(entriesOf(each)).map(declarationOf)
  const seen = new Set<string>()
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const source = join(work, 'all', each.folder, file)
    if (!existsSync(source))
      throw new Error(
        `\`${each.name}\` cannot be copied to ${SNAPSHOT_FOLDER}: \`tsc\` wrote no \`${file}\`; mend its compile errors`,
      )
    const text = readFileSync(source, 'utf8')
    const target = join(work, 'api', shortName(each.name), file.replace(/^src\//, ''))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      pending.push(declarationOf(posix.join(posix.dirname(file), specifier!)))
    }
  }
}

function declarationOf(file: string): string {
  return file.replace(/(?:\.d)?\.(?:ts|js)$/, '.d.ts')
}

function compare(): number {
  const { status, stdout } = spawnSync(
    'git',
    [
      '--no-pager',
      'diff',
      '--no-index',
      '--no-color',
      '--no-prefix',
      SNAPSHOT_FOLDER,
      relative(root, join(work, 'api')),
    ],
    { cwd: root, encoding: 'utf8' },
  )
  if (status === 0) return 0
  console.error(stdout)
  console.error('The public API differs from `etc/api`. If you meant to change it, run `pnpm api` and add a changeset.')
  return 1
}
