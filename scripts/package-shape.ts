/**
 * Checks the files, dependency ranges and links of every packed tarball, and runs `publint --strict` on it, and what the
 * command `attw` does (Are the types wrong?) if it can be imported.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { relativeLinks } from './absolute-links.ts'
import { pack } from './pack.ts'
import { packedFiles, tarballFaults } from './packed-files.ts'
import { readPackages, type Manifest } from './workspace.ts'

/** A packed package. */
interface Tarball {
  readonly name: string
  readonly file: string
}

/** Ways to find modules that packages of ES modules alone need not support: the profile `esm-only` of the command `attw`. */
const UNSUPPORTED_RESOLUTIONS: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

const folder = mkdtempSync(join(tmpdir(), 'tarballs-'))
try {
  const tarballs = pack(folder)
  for (const each of readPackages()) {
    const file = tarballs.get(each.name)
    if (!file) continue
    const expected = packedFiles(each).map((path) => path.slice(each.folder.length + 1))
    const manifest = JSON.parse(tar('-xzOf', file, 'package/package.json')) as Manifest
    const links = relativeLinks(tar('-xzOf', file, 'package/README.md'))
    const faults = [
      ...tarballFaults(filesOf(file), expected, manifest),
      ...links.map((link) => `README.md links to ${link}, which leads nowhere in a package`),
    ]
    if (faults.length === 0) continue
    process.exitCode = 1
    console.error(`${each.name} as packed:\n${faults.join('\n')}`)
  }
  const packed = readPackages().flatMap(({ name, manifest }) => {
    const file = tarballs.get(name)
    return file === undefined ? [] : [{ name, file, canBeImported: manifest.exports !== undefined }]
  })
  console.log(`${tarballs.size} packages`)
  await Promise.all([lintAll(packed), checkTypesOfAll(packed.filter(({ canBeImported }) => canBeImported))])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function filesOf(tarball: string): string[] {
  const paths = tar('-tzf', tarball).split('\n').filter(Boolean)
  return paths.map((path) => path.replace(/^package\//u, ''))
}

function tar(...args: string[]): string {
  return execFileSync('tar', args, { encoding: 'utf8' })
}

/** Reports what `publint` finds in each package. */
async function lintAll(packed: readonly Tarball[]): Promise<void> {
  for (const { name, file } of packed) {
    const output = await failureOf('publint', [file, '--strict'])
    if (output !== undefined) report('publint', name, output)
  }
}

/** Reports what is wrong with the types of each package. All in one process, which loads TypeScript once. */
async function checkTypesOfAll(packed: readonly Tarball[]): Promise<void> {
  for (const { name, file } of packed) {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(file)))
    if (!analysis.types) {
      report('attw', name, 'it has no types')
      continue
    }
    const problems = analysis.problems.filter(
      (each) => !('resolutionKind' in each && UNSUPPORTED_RESOLUTIONS.has(each.resolutionKind)),
    )
    if (problems.length > 0) report('attw', name, problems.map((each) => JSON.stringify(each)).join('\n'))
  }
}

function report(tool: string, name: string, output: string): void {
  process.exitCode = 1
  console.error(`${tool} on ${name}:\n${output}`)
}

/** Runs a command and returns its output if it fails, otherwise undefined. */
async function failureOf(command: string, args: readonly string[]): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile(command, args, { shell: process.platform === 'win32' }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` || error.message : undefined),
    )
  })
}
