/** The weight of a contestant: import, clean install, bundle. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { ContestantInfo } from './contestant.ts'
import { environment, onCore } from './host.ts'
import { readManifest } from './install.ts'
import type { Sample } from './statistics.ts'

/** Milliseconds that npm has for a clean install. */
const INSTALL_TIMEOUT_MS = 400_000

/** Packages that are named as the heaviest of a bundle. */
const HEAVIEST_COUNT = 6

/** One import of a contestant's packages in a fresh process. */
export function importTime(folder: string, specifiers: readonly string[], core: number): Promise<Sample> {
  return fresh(folder, core, specifiers.map((name) => `await import(${JSON.stringify(name)})`).join('\n'))
}

/** Import and first answer of a contestant in a fresh process: counts what is loaded when it is needed. */
export function firstAnswer(folder: string, baseURL: string, core: number): Promise<Sample> {
  return fresh(
    folder,
    core,
    `const { create } = await import('./index.mjs')
const contestant = await create({ baseURL: ${JSON.stringify(baseURL)}, apiKey: 'sk-mock' })
const text = await contestant.call({ model: 'mock', system: 'hello', user: 'hello' })
if (text.length !== 160) throw new Error('wrong answer')`,
  )
}

function fresh(cwd: string, core: number, work: string): Promise<Sample> {
  const code = `const start = performance.now()
${work}
const ms = performance.now() - start
const { rss } = process.memoryUsage()
const { user, system } = process.cpuUsage()
process.stdout.write(JSON.stringify({ ms, rss, cpu: (user + system) / 1000 }), () => process.exit(0))`
  const [command, args] = onCore(core, ['--input-type=module', '-e', code])
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let problem = ''
    child.stdout.on('data', (data) => (out += String(data)))
    child.stderr.on('data', (data) => (problem += String(data)))
    child.on('close', (status) => {
      const process_ms = performance.now() - start
      if (status !== 0) return reject(new Error(problem))
      const { ms, rss, cpu } = JSON.parse(out) as { ms: number; rss: number; cpu: number }
      resolve({ ms, process_ms, cpu_ms: cpu, rss_mb: rss / 2 ** 20 })
    })
  })
}

/** The contents of a clean install. */
export interface InstallSize {
  readonly packages: number
  /** Mebibytes of the files. */
  readonly mb: number
  readonly files: number
}

/** Installs the packages of a contestant into an empty folder, and weighs it. */
export function installSize(folder: string, info: ContestantInfo): InstallSize {
  const own = readManifest(folder)
  const dependencies = Object.fromEntries(
    Object.entries(own.dependencies ?? {}).filter(([name]) => info.packages?.includes(name) ?? true),
  )
  if (Object.keys(dependencies).length === 0) return { packages: 0, mb: 0, files: 0 }
  const scratch = mkdtempSync(join(tmpdir(), 'bench-install-'))
  try {
    const manifest = { private: true, dependencies, overrides: own.overrides }
    writeFileSync(join(scratch, 'package.json'), JSON.stringify(manifest))
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const options = { cwd: scratch, encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS } as const
    const { status, stderr } = spawnSync('npm', ['install', ...quiet], options)
    if (status !== 0) throw new Error(stderr)
    const modules = join(scratch, 'node_modules')
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    return { packages: Object.keys(lock.packages).length, mb: bytes / 2 ** 20, files: files.length }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The contents of a bundle. */
export interface BundleSize {
  readonly kb: number
  readonly gzip_kb: number
  readonly modules: number
  /** Kilobytes by package, of the heaviest. */
  readonly top_kb: Readonly<Record<string, number>>
}

/** The smallest program of a contestant as a single minified file. */
export async function bundleSize(folder: string, { hello, external = [] }: ContestantInfo): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: hello, resolveDir: folder, loader: 'js' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'silent',
    outfile: 'out.mjs',
    external: [...external],
    loader: { '.node': 'empty' },
  })
  const bytes = outputFiles[0]!.contents
  const { inputs } = Object.values(metafile.outputs)[0]!
  const shares: Record<string, number> = {}
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const [scope, name] = file.split('node_modules/').at(-1)!.split('/')
    const owner = scope!.startsWith('@') ? `${scope}/${name}` : scope!
    const key = file.includes('node_modules/') ? owner : 'own code'
    shares[key] = (shares[key] ?? 0) + bytesInOutput
  }
  const heaviest = Object.entries(shares)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, HEAVIEST_COUNT)
  return {
    kb: bytes.length / 1024,
    gzip_kb: gzipSync(bytes).length / 1024,
    modules: Object.keys(inputs).length,
    top_kb: Object.fromEntries(heaviest.map(([name, share]) => [name, Math.round(share / 1024)])),
  }
}
