/**
 * A project outside the workspace, as a user has it: installs the packed tarballs with npm, type-checks every entry and
 * programs of the READMEs strictly (the packages' declarations included) with the oldest TypeScript that is supported
 * and with the newest, and runs them: the chat without a key, and with one against a server of this machine that answers
 * as OpenAI does; the code in whatever this machine keeps it apart by; the session twice, so that the second process
 * finds the chat of the first. Measures what the packages of a first program take on disk.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { closureOf } from './closures.ts'
import { pack } from './pack.ts'
import { entriesOf, readPackages, root } from './workspace.ts'

const CHAT = 'first-chat.ts'
const CODE = 'run-code.ts'
const SESSION = 'chat-session.ts'
/** Packages whose declarations need the types of Node. */
const OF_NODE = ['exec', 'mcp', 'session', 'testing']
/** Names under which the compilers are installed, and their versions: the oldest that is supported, and the newest. */
const COMPILERS = { 'typescript-oldest': '5.6', 'typescript-newest': 'latest' }
/** What a first program installs, as the README of `@x/agent` says it. */
const HELLO = ['agent', 'model', 'provider-openai']
/** Bytes that the packages of the framework may take on disk for it. */
const MOST_BYTES = 3_000_000
const BLOCK = 4096
const ANSWER = 'An answer over the wire. TERMINATE'

const project = mkdtempSync(join(tmpdir(), 'consumer-'))
const server = await serve()
try {
  const tarballs = pack(join(project, 'tarballs'))
  write('package.json', { private: true, type: 'module' })
  const strict = { strict: true, target: 'es2022', noEmit: true }
  write('tsconfig.json', {
    compilerOptions: { ...strict, module: 'nodenext', types: ['node'] },
    files: [CHAT, CODE, SESSION, 'entries.ts'],
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
  const ofWeb = packages.filter(({ folder }) => !OF_NODE.some((name) => folder.endsWith(`/${name}`)))
  for (const [file, imported] of [
    ['entries.ts', packages],
    ['entries-of-web.ts', ofWeb],
  ] as const) {
    const entries = imported.flatMap((each) =>
      Object.keys(entriesOf(each)).map((entry) => posix.join(each.name, entry)),
    )
    writeFileSync(join(project, file), entries.map((entry, at) => `export * as e${at} from '${entry}'\n`).join(''))
  }
  for (const program of [CHAT, CODE, SESSION]) cpSync(join(root, 'examples', program), join(project, program))
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
  const bytes = diskBytes(HELLO)
  if (bytes > MOST_BYTES)
    throw new Error(`npm install ${HELLO.join(' ')} brings ${bytes} bytes of ours, above ${MOST_BYTES}`)
  const { OPENAI_API_KEY: _, ...environment } = process.env
  const simulated = await run('node', [CHAT], environment)
  if (!simulated.includes('TERMINATE')) throw new Error(`without a key the program printed:\n${simulated}`)
  const { port } = server.address() as AddressInfo
  const OPENAI_BASE_URL = `http://127.0.0.1:${port}/v1`
  const real = await run('node', [CHAT], { ...environment, OPENAI_API_KEY: 'sk-any', OPENAI_BASE_URL })
  if (!real.includes(ANSWER)) throw new Error(`with a server the program printed:\n${real}`)
  const printed = await run('node', [CODE])
  if (!/^0 \[ 1, 4, 9 \] (?:sandbox|wasm)$/mu.test(printed)) throw new Error(`the code printed:\n${printed}`)
  for (const messages of [4, 8]) {
    const kept = await run('node', [SESSION], environment)
    const found = kept.match(/role: /g)?.length
    if (found !== messages) throw new Error(`the session has ${found} messages and not ${messages}:\n${kept}`)
  }
  console.log(`installed, type-checked and run; of ours, a first program installs ${bytes} bytes`)
} finally {
  server.close()
  rmSync(project, { recursive: true, force: true })
}

/** Runs a command in the project and gives what it printed; throws with that when it fails. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const options = { cwd: project, env, shell: process.platform === 'win32' }
  try {
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`\`${command}\` failed in a project outside the workspace:\n${stdout}${stderr}`, { cause: error })
  }
}

/** What these packages, and those of the framework that they need, take on a disk: files and folders fill blocks. */
function diskBytes(names: readonly string[]): number {
  const asked = readPackages().filter(({ folder }) => names.some((name) => folder.endsWith(`/${name}`)))
  const installed = new Set(asked.flatMap((each) => [each.name, ...closureOf(each).ours]))
  let blocks = 0
  for (const name of installed) {
    const folder = join(project, 'node_modules', name)
    blocks++
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      blocks += Math.ceil(statSync(join(folder, path)).size / BLOCK)
  }
  return blocks * BLOCK
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

/** Answers every completion alike. It is written out here, so that the packages are tried against something else. */
async function serve(): Promise<Server> {
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'gpt-5-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 },
  }
  const listening = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
}
