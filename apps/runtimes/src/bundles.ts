import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scratch } from './scratch.ts'

/** Flags of esbuild by the target of a bundle. */
const ESBUILD_FLAGS = {
  node: ['--platform=node', '--format=esm'],
  'node-cjs': ['--platform=node', '--format=cjs'],
  page: ['--platform=browser', '--format=esm'],
  worker: ['--platform=browser', '--format=esm', '--conditions=worker,browser'],
} as const

/** Bundles a program of the project, packages and all, by esbuild; gives the path of the bundle. */
export async function byEsbuild(scratch: Scratch, program: string, place: keyof typeof ESBUILD_FLAGS): Promise<string> {
  const file = join('out', place, `${program}.${place === 'node-cjs' ? 'cjs' : 'mjs'}`)
  const flags = [...ESBUILD_FLAGS[place], '--bundle', `--outfile=${file}`, '--log-level=error']
  await promisify(execFile)(scratch.tool('esbuild'), [`${program}.ts`, ...flags], { cwd: scratch.project })
  return join(scratch.project, file)
}

/** Bundles a program for a server by vite, packages and all; gives the path of the bundle. */
export async function byVite(scratch: Scratch, program: string): Promise<string> {
  const config = { logLevel: 'error', ssr: { noExternal: true }, build: { ssr: `${program}.ts`, outDir: 'out/vite' } }
  const file = join(scratch.project, 'vite.config.mjs')
  writeFileSync(file, `export default ${JSON.stringify(config)}`)
  await promisify(execFile)(scratch.tool('vite'), ['build'], { cwd: scratch.project })
  return join(scratch.project, 'out/vite', `${program}.js`)
}
