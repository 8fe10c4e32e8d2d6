/** Checks the files, dependency ranges and links of every packed tarball, and runs `publint --strict` on it, and `attw` if it can be imported. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { relativeLinks } from './absolute-links.ts'
import { pack } from './pack.ts'
import { packedFiles, tarballFaults } from './packed-files.ts'
import { readPackages, type Manifest } from './workspace.ts'

type Tool = readonly [tool: string, ...flags: string[]]

const PUBLINT: Tool = ['publint', '--strict']
const ATTW: Tool = ['attw', '--profile', 'esm-only', '--no-emoji', '--no-color']

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
  const work = readPackages().flatMap(({ name, manifest }) => {
    const file = tarballs.get(name)
    const tools = manifest.exports ? [PUBLINT, ATTW] : [PUBLINT]
    return file === undefined ? [] : tools.map((tool) => ({ name, file, tool }))
  })
  console.log(`${tarballs.size} packages`)
  // Each tool uses one core, so two at once use a small machine fully.
  await Promise.all([workThrough(work), workThrough(work)])
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

async function workThrough(work: { name: string; file: string; tool: Tool }[]): Promise<void> {
  for (let next = work.shift(); next; next = work.shift()) {
    const { name, file, tool } = next
    const [command, ...flags] = tool
    const output = await failureOf(command, [file, ...flags])
    if (output === undefined) continue
    process.exitCode = 1
    console.error(`${command} on ${name}:\n${output}`)
  }
}

/** Runs a command and returns its output if it fails, otherwise undefined. */
async function failureOf(command: string, args: readonly string[]): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile(command, args, { shell: process.platform === 'win32' }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` || error.message : undefined),
    )
  })
}
