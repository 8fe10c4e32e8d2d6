/**
 * Type-checks five first programs in ours and in the peers, and writes their numbers of lines into `docs/first-programs.md`.
 *
 *   pnpm first-programs             writes the document
 *   pnpm first-programs --check     fails if the document is stale
 *   pnpm first-programs --newest    takes the newest versions of the peers before
 *
 * The peers are installed with npm outside the workspace, at the versions of `examples/first-programs/peers.json` and with
 * what they depend on as of its date. Ours are checked on the sources of the workspace. A program that does not type-check,
 * or a peer that cannot be installed, fails the command, and nothing is written.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import {
  FIRST_PROGRAMS_DOCUMENT,
  FIRST_PROGRAMS_FOLDER,
  OURS,
  PEERS_FILE,
  type Peer,
  type Peers,
  programsIn,
  readPeers,
  withFirstPrograms,
} from './first-programs-table.ts'
import { root } from './workspace.ts'

/** Compiler options for every program: strict, for Node. */
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
}

/** Options that ours need in addition, since their packages are the sources of the workspace. */
const SOURCE_OPTIONS = { customConditions: ['@x/source'], allowImportingTsExtensions: true }

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, newest: { type: 'boolean', default: false } },
})
const scratch = mkdtempSync(join(tmpdir(), 'first-programs-'))
try {
  const versions = values.newest ? await newest(readPeers()) : readPeers()
  const passed = await Promise.all([
    passes('ours', checkOurs()),
    ...Object.entries(versions.peers).map(([folder, peer]) =>
      passes(peer.name, checkPeer(folder, peer, versions.date)),
    ),
  ])
  if (passed.includes(false)) process.exitCode = 1
  else if (values.check) checkDocument()
  else write(versions)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Prints how the check of a framework ends, and returns false if it fails. */
async function passes(name: string, check: Promise<number>): Promise<boolean> {
  try {
    console.log(`${name}: ${await check} programs type-check`)
    return true
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`)
    return false
  }
}

async function checkOurs(): Promise<number> {
  const folder = copyPrograms(OURS, {}, SOURCE_OPTIONS)
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(join(root, 'node_modules/@types'), join(modules, '@types'), 'junction')
  const installed = join(root, 'examples/node_modules')
  for (const name of readdirSync(installed))
    if (!name.startsWith('.')) symlinkSync(join(installed, name), join(modules, name), 'junction')
  return await typeCheck(folder)
}

async function checkPeer(name: string, { packages }: Peer, date: string): Promise<number> {
  const folder = copyPrograms(name, { ...packages, '@types/node': versionOf('@types/node') })
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await run('npm', ['install', ...quiet, `--before=${date}T23:59:59Z`], folder).catch((error: Error) => {
    throw new Error(`the packages cannot be installed, for which npm must reach its registry\n${error.message}`)
  })
  return await typeCheck(folder)
}

/** Copies the programs of a framework into a project of their own, and returns its folder. */
function copyPrograms(name: string, dependencies: Readonly<Record<string, string>>, options: object = {}): string {
  const folder = join(scratch, name)
  cpSync(join(root, FIRST_PROGRAMS_FOLDER, name), folder, { recursive: true })
  writeJson(join(folder, 'package.json'), { private: true, type: 'module', dependencies })
  writeJson(join(folder, 'tsconfig.json'), {
    compilerOptions: { ...COMPILER_OPTIONS, ...options },
    files: programsIn(name),
  })
  return folder
}

/** Type-checks the programs of a folder with the workspace's TypeScript, and returns their number. */
async function typeCheck(folder: string): Promise<number> {
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'], folder)
  return readdirSync(folder).filter((file) => file.endsWith('.ts')).length
}

function checkDocument(): void {
  const document = readDocument()
  if (document === withFirstPrograms(document)) return
  console.error(`${FIRST_PROGRAMS_DOCUMENT} is stale: run \`pnpm first-programs\``)
  process.exitCode = 1
}

function write(versions: Peers): void {
  if (values.newest) writeJson(join(root, PEERS_FILE), versions)
  writeFileSync(join(root, FIRST_PROGRAMS_DOCUMENT), withFirstPrograms(readDocument(), versions))
}

/** The peers with the newest versions of their packages. */
async function newest({ peers }: Peers): Promise<Peers> {
  const newestOf = async (name: string): Promise<[string, string]> => [
    name,
    (await run('npm', ['view', name, 'version'], scratch)).trim(),
  ]
  const renewed = Object.entries(peers).map(async ([folder, { name, packages }]): Promise<[string, Peer]> => [
    folder,
    { name, packages: Object.fromEntries(await Promise.all(Object.keys(packages).map(newestOf))) },
  ])
  return { date: new Date().toISOString().slice(0, 10), peers: Object.fromEntries(await Promise.all(renewed)) }
}

/** Runs a command and returns its output; throws with all of its output when it fails. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const shell = command === 'npm' && process.platform === 'win32'
    return (await promisify(execFile)(command, args, { cwd, shell })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`.trim() || String(error), { cause: error })
  }
}

/** The version of a package that the workspace has installed. */
function versionOf(name: string): string {
  const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

function readDocument(): string {
  return readFileSync(join(root, FIRST_PROGRAMS_DOCUMENT), 'utf8')
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
