/**
 * Tries the packages as a user has them: a project outside the workspace installs the packed tarballs with npm.
 *
 * - Every entry and programs of the READMEs type-check strictly, the packages' declarations included, with the oldest
 *   supported TypeScript and with the newest.
 * - The programs run: the chat without a key, and with one against a local server that answers as OpenAI does; the code
 *   in a sandbox of this machine; the session twice, so that the second process finds the chat of the first.
 * - Every module and declaration has a map to a TypeScript source of its package, and a stack trace names such sources.
 * - The packages of a first program stay below a size on disk.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { closureOf } from './closures.ts'
import { pack } from './pack.ts'
import { sourceMapFaults } from './packed-files.ts'
import { entriesOf, readPackages, root } from './workspace.ts'

const CHAT_PROGRAM = 'first-chat.ts'
const CODE_PROGRAM = 'run-code.ts'
const SESSION_PROGRAM = 'chat-session.ts'
const FAILING_PROGRAM = 'failing.mjs'
/** Fails inside `@x/agent`, and prints the stack of the error. */
const FAILING_SOURCE = `import { AssistantAgent, UserProxyAgent } from '@x/agent'
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' })
const assistant = new AssistantAgent({ name: 'assistant' })
await user.initiateChat(assistant, { message: { role: 'user' } }).catch((error) => console.log(error.stack))
`
/** Packages whose declarations need the types of Node. */
const NODE_PACKAGES = ['exec', 'mcp', 'session', 'testing']
/** Versions of the compilers, the oldest that is supported and the newest, by the names under which they are installed. */
const COMPILERS = { 'typescript-oldest': '5.6', 'typescript-newest': 'latest' }
/** The packages that a first program installs, as in the README of `@x/agent`. */
const FIRST_INSTALL = ['agent', 'model', 'provider-openai']
/** Limit for the packages of the framework that a first program installs: code, declarations, sources and their maps. */
const MAX_INSTALLED_BYTES = 6_390_000
const DISK_BLOCK_BYTES = 4096
const SERVER_ANSWER = 'An answer over the wire. TERMINATE'

const project = mkdtempSync(join(tmpdir(), 'consumer-'))
const server = await serve()
try {
  const tarballs = pack(join(project, 'tarballs'))
  write('package.json', { private: true, type: 'module' })
  const strict = { strict: true, target: 'es2022', noEmit: true }
  write('tsconfig.json', {
    compilerOptions: { ...strict, module: 'nodenext', types: ['node'] },
    files: [CHAT_PROGRAM, CODE_PROGRAM, SESSION_PROGRAM, 'entries.ts'],
  })
  write('tsconfig.web.json', {
    compilerOptions: {
      ...strict,
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    },
    files: ['entries-of-web.ts'],
  })
  const packages = readPackages()
  const webPackages = packages.filter(({ folder }) => !NODE_PACKAGES.some((name) => folder.endsWith(`/${name}`)))
  for (const [file, imported] of [
    ['entries.ts', packages],
    ['entries-of-web.ts', webPackages],
  ] as const) {
    const entries = imported.flatMap((each) =>
      Object.keys(entriesOf(each)).map((entry) => posix.join(each.name, entry)),
    )
    writeFileSync(join(project, file), entries.map((entry, at) => `export * as e${at} from '${entry}'\n`).join(''))
  }
  for (const program of [CHAT_PROGRAM, CODE_PROGRAM, SESSION_PROGRAM])
    cpSync(join(root, 'examples', program), join(project, program))
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    `@types/node@${catalogVersion('@types/node')}`,
    ...Object.entries(COMPILERS).map(([name, version]) => `${name}@npm:typescript@${version}`),
    ...tarballs.values(),
  ])
  for (const compiler of Object.keys(COMPILERS))
    for (const config of ['tsconfig.json', 'tsconfig.web.json'])
      await run('node', [`node_modules/${compiler}/bin/tsc`, '-p', config])
  const { OPENAI_API_KEY: _, ...environment } = process.env
  const bytes = diskBytes(FIRST_INSTALL)
  if (bytes > MAX_INSTALLED_BYTES)
    throw new Error(
      `npm install ${FIRST_INSTALL.join(' ')} brings ${bytes} bytes of ours, above ${MAX_INSTALLED_BYTES}`,
    )
  for (const { name } of packages) checkSourceMaps(name)
  writeFileSync(join(project, FAILING_PROGRAM), FAILING_SOURCE)
  checkStack(await run('node', ['--enable-source-maps', FAILING_PROGRAM], environment))
  const simulated = await run('node', [CHAT_PROGRAM], environment)
  if (!simulated.includes('TERMINATE')) throw new Error(`without a key the program printed:\n${simulated}`)
  const { port } = server.address() as AddressInfo
  const OPENAI_BASE_URL = `http://127.0.0.1:${port}/v1`
  const real = await run('node', [CHAT_PROGRAM], { ...environment, OPENAI_API_KEY: 'sk-any', OPENAI_BASE_URL })
  if (!real.includes(SERVER_ANSWER)) throw new Error(`with a server the program printed:\n${real}`)
  const printed = await run('node', [CODE_PROGRAM])
  if (!/^0 \[ 1, 4, 9 \] (?:sandbox|wasm)$/mu.test(printed)) throw new Error(`the code printed:\n${printed}`)
  for (const messages of [4, 8]) {
    const kept = await run('node', [SESSION_PROGRAM], environment)
    const found = kept.match(/role: /g)?.length
    if (found !== messages) throw new Error(`the session has ${found} messages and not ${messages}:\n${kept}`)
  }
  console.log(`installed, type-checked and run; of ours, a first program installs ${bytes} bytes`)
} finally {
  server.close()
  rmSync(project, { recursive: true, force: true })
}

/** Runs a command in the project and returns its standard output; throws with all of its output when it fails. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const options = { cwd: project, env, shell: process.platform === 'win32' }
  try {
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`\`${command}\` failed in a project outside the workspace:\n${stdout}${stderr}`, { cause: error })
  }
}

/** Checks that every module and declaration of an installed package leads to a TypeScript source in it. */
function checkSourceMaps(name: string): void {
  const folder = join(project, 'node_modules', name)
  const files = filesOf(folder)
  const faults = sourceMapFaults(files, (file) => readFileSync(join(folder, file), 'utf8'))
  if (!files.some((file) => file.endsWith('.map'))) faults.push('no file has a map')
  if (faults.length > 0) throw new Error(`\`${name}\` as installed:\n${faults.join('\n')}`)
}

/** Checks that the frames of the packages in a stack name TypeScript sources that are installed, with a line that they have. */
function checkStack(stack: string): void {
  const frames = [...stack.matchAll(/([^\s(]*[\\/]node_modules[\\/]@x[\\/][^:)]+):(\d+):\d+/gu)]
  const isSource = ([, path = '', line]: RegExpExecArray): boolean => {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path
    return /[\\/]src[\\/].+\.ts$/u.test(file) && Number(line) <= readFileSync(file, 'utf8').split('\n').length
  }
  const inAgent = frames.some(([frame]) => /[\\/]@x[\\/]agent[\\/]src[\\/]/u.test(frame))
  if (!inAgent || !frames.every(isSource)) throw new Error(`the stack names no sources of @x/agent:\n${stack}`)
}

/** The files of a folder, with forward slashes. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}

/** The bytes that packages, with those of the framework that they need, take on disk: files and folders fill blocks. */
function diskBytes(names: readonly string[]): number {
  const asked = readPackages().filter(({ folder }) => names.some((name) => folder.endsWith(`/${name}`)))
  const installed = new Set(asked.flatMap((each) => [each.name, ...closureOf(each).ours]))
  let blocks = 0
  for (const name of installed) {
    const folder = join(project, 'node_modules', name)
    blocks++
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      blocks += Math.ceil(statSync(join(folder, path)).size / DISK_BLOCK_BYTES)
  }
  return blocks * DISK_BLOCK_BYTES
}

/** The version that the workspace's catalog pins. */
function catalogVersion(name: string): string {
  const line = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    .split('\n')
    .find((each) => each.trim().startsWith(`'${name}':`))
  const version = line?.split(':')[1]?.trim()
  if (!version) throw new Error(`the catalog of pnpm-workspace.yaml has no \`${name}\``)
  return version
}

function write(file: string, content: unknown): void {
  writeFileSync(join(project, file), JSON.stringify(content, null, 2))
}

/** Answers every completion alike. Written out here, so that the packages meet a server that is not theirs. */
async function serve(): Promise<Server> {
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'gpt-5-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: SERVER_ANSWER }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 },
  }
  const listening = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
}
