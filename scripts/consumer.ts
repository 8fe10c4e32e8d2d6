/**
 * A project outside the workspace, as a user has it: installs the packed tarballs with npm, type-checks programs of
 * the READMEs strictly (the packages' declarations included) and runs them: the chat without a key, and with one against
 * a server of this machine that answers as OpenAI does; the code in whatever this machine keeps it apart by; the session
 * twice, so that the second process finds the chat of the first.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pack } from './pack.ts'
import { root, shortName, type Manifest } from './workspace.ts'

const CHAT = 'first-chat.ts'
const CODE = 'run-code.ts'
const SESSION = 'chat-session.ts'
const INSTALLED = ['agent', 'exec', 'model', 'provider-openai', 'session', 'testing']
const ANSWER = 'An answer over the wire. TERMINATE'

const project = mkdtempSync(join(tmpdir(), 'consumer-'))
const server = await serve()
try {
  const tarballs = new Map([...pack(join(project, 'tarballs'))].map(([name, file]) => [shortName(name), file]))
  write('package.json', { private: true, type: 'module' })
  write('tsconfig.json', {
    compilerOptions: { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] },
    files: [CHAT, CODE, SESSION],
  })
  for (const program of [CHAT, CODE, SESSION]) cpSync(join(root, 'examples', program), join(project, program))
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    `@types/node@${catalogVersion('@types/node')}`,
    ...needed(INSTALLED).map((name) => tarballs.get(name) ?? missing(name)),
  ])
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'])
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
  console.log('installed, type-checked and run')
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

/** The packages named and what they depend on, inside the workspace. */
function needed(names: readonly string[]): string[] {
  const all = new Set<string>()
  const add = (name: string): void => {
    if (all.has(name)) return
    all.add(name)
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest
    for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
      if (version.startsWith('workspace:')) add(shortName(dependency))
    }
  }
  for (const name of names) add(name)
  return [...all]
}

function missing(name: string): never {
  throw new Error(`\`${name}\` was not packed: are its entries written?`)
}

/** The version that the workspace's catalog pins. */
function catalogVersion(name: string): string {
  const line = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    .split('\n')
    .find((each) => each.trim().startsWith(`'${name}':`))
  return line?.split(':')[1]?.trim() ?? missing(name)
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
