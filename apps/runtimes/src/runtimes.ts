import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { byEsbuild, byVite } from './bundles.ts'
import { inChromium, missingChromium } from './chromium.ts'
import { rowsOf } from './programs.ts'
import type { Scratch } from './scratch.ts'
import type { Row } from './try-all.ts'
import { inWorkerd } from './workerd.ts'

/** A runtime of the packages: returns its rows, or the reason why it is missing here. */
export type Runtime = (scratch: Scratch, url: string) => Promise<readonly Row[] | string>

/** An old worker, without `MessageChannel`. */
const OLD_WORKER = { compatibilityDate: '2024-01-01', compatibilityFlags: [] }
const NODE_WORKER = { compatibilityDate: '2026-04-01', compatibilityFlags: ['nodejs_compat'] }

/** All of them, by name. `docs/installing.md` has the same names in its table. */
export const RUNTIMES: Readonly<Record<string, Runtime>> = {
  Node: async ({ project }, url) => await rowsOf(process.execPath, ['in-process.ts', url], project),
  'Node 22.19': async ({ oldestNode, project }, url) =>
    oldestNode
      ? [...(await rowsOf(oldestNode, ['in-process.ts', url], project)), await everyFileIn(oldestNode, project)]
      : 'the registry has it for Linux on x64 alone',
  Bun: async ({ tool, project }, url) => await rowsOf(tool('bun'), ['in-process.ts', url], project),
  Deno: async ({ tool, project }, url) =>
    await rowsOf(tool('deno'), ['run', '-A', '--no-lock', 'in-process.ts', url], project),
  'Node, bundled by esbuild': async (scratch, url) =>
    await rowsOf(process.execPath, [await byEsbuild(scratch, 'in-process', 'node'), url], scratch.project),
  'Node, bundled by esbuild as CommonJS': async (scratch, url) =>
    await rowsOf(process.execPath, [await byEsbuild(scratch, 'in-process', 'node-cjs'), url], scratch.project),
  'Node, bundled by vite': async (scratch, url) =>
    await rowsOf(process.execPath, [await byVite(scratch, 'in-process'), url], scratch.project),
  'Node, a bundle alone': async (scratch, url) => await alone(await byEsbuild(scratch, 'in-bundle-alone', 'node'), url),
  workerd: async (scratch, url) =>
    await inWorkerd(scratch, await byEsbuild(scratch, 'in-worker', 'worker'), OLD_WORKER, url),
  'workerd with Node compatibility': async (scratch, url) =>
    await inWorkerd(scratch, await byEsbuild(scratch, 'in-worker', 'worker'), NODE_WORKER, url),
  Chromium: async (scratch, url) =>
    missingChromium() ?? (await inChromium(await byEsbuild(scratch, 'in-page', 'page'), url)),
}

/** Parses every file of the packages: it may be written in a newer language than the runtime knows. */
async function everyFileIn(node: string, project: string): Promise<Row> {
  const packages = join(project, 'node_modules/@x')
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter((file) => /dist.*\.js$/u.test(file))
  const faults = await Promise.all(
    files.map((file) =>
      promisify(execFile)(node, ['--check', join(packages, file)]).then(
        () => [],
        (error: Error) => [error.message],
      ),
    ),
  )
  return { name: 'parses every file', fault: faults.flat().join('\n') || null }
}

/** Runs a bundle where no package is installed. */
async function alone(bundle: string, url: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-alone-'))
  try {
    cpSync(dirname(bundle), folder, { recursive: true })
    return await rowsOf(process.execPath, [join(folder, basename(bundle)), url], folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
