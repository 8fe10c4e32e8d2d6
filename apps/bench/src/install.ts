/** Installs the contestants outside the workspace, at the exact versions of their lock files. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appFolder } from './host.ts'

/** The contestant of our own packages: it takes them from tarballs. */
const OURS = 'x'

/** The manifest of a contestant. */
export interface ContestantManifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
}

/** One contestant to install. */
export interface Entry {
  readonly name: string
  /** Folder of `contestants` that it is made from. */
  readonly from: string
  /** Folder of packed tarballs, for our own packages. */
  readonly tarballs?: string
}

/** The entries of names: a name of `beside` is our own packages from another folder of tarballs. */
export function entriesOf(
  names: readonly string[],
  tarballs: string,
  beside: Readonly<Record<string, string>>,
): readonly Entry[] {
  return names.map((name): Entry => {
    const other = beside[name]
    if (other !== undefined) return { name, from: OURS, tarballs: other }
    return name === OURS ? { name, from: OURS, tarballs } : { name, from: name }
  })
}

/** Installs contestants into a folder; what is there at the same versions stays. Gives what cannot be installed, by name. */
export function install(scratch: string, entries: readonly Entry[]): Record<string, string> {
  rmSync(join(scratch, 'src'), { recursive: true, force: true })
  cpSync(join(appFolder, 'src'), join(scratch, 'src'), { recursive: true })
  writeFileSync(join(scratch, 'package.json'), '{ "private": true, "type": "module" }\n')
  const failures: Record<string, string> = {}
  for (const entry of entries) {
    const failure = installOne(scratch, entry)
    if (failure !== undefined) failures[entry.name] = failure
  }
  return failures
}

function installOne(scratch: string, { name, from, tarballs }: Entry): string | undefined {
  const source = join(appFolder, 'contestants', from)
  const folder = join(scratch, 'contestants', name)
  mkdirSync(folder, { recursive: true })
  cpSync(join(source, 'index.mjs'), join(folder, 'index.mjs'))
  const manifest = readManifest(source)
  const packed = tarballs === undefined ? {} : dependenciesOf(tarballs)
  const dependencies = { ...manifest.dependencies, ...packed }
  const lock = join(source, 'package-lock.json')
  const locked = tarballs === undefined && existsSync(lock)
  const stamp = createHash('sha256').update(JSON.stringify({ ...manifest, dependencies }))
  if (locked) stamp.update(readFileSync(lock))
  for (const file of Object.values(packed)) stamp.update(readFileSync(file.slice('file:'.length)))
  const wanted = stamp.digest('hex')
  const stampFile = join(folder, '.installed')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return undefined
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  rmSync(join(folder, 'package-lock.json'), { force: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`)
  if (locked) cpSync(lock, join(folder, 'package-lock.json'))
  if (Object.keys(dependencies).length > 0) {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { status, stderr } = spawnSync('npm', [locked ? 'ci' : 'install', ...quiet], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (status !== 0) return `npm cannot install it: ${stderr.slice(0, 600)}`
  }
  writeFileSync(stampFile, wanted)
  return undefined
}

/** The manifest of a folder. */
export function readManifest(folder: string): ContestantManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ContestantManifest
}

/** Every tarball of a folder as a dependency, by the name of its package. */
function dependenciesOf(folder: string): Record<string, string> {
  const packed = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.tgz')) : []
  if (packed.length === 0)
    throw new Error(`cannot install our packages: no tarballs in ${folder}; run \`pnpm tarballs\``)
  return Object.fromEntries(packed.map((file) => [nameIn(join(folder, file)), `file:${join(folder, file)}`]))
}

/** The name of the package in a tarball. */
function nameIn(tarball: string): string {
  const { status, stdout, stderr } = spawnSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cannot read the name of the package in ${tarball}: ${stderr}`)
  return (JSON.parse(stdout) as { name: string }).name
}
