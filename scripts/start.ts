/**
 * Follows `docs/start.md` as a reader does, with the packed packages: saves its files, runs its commands in one terminal after
 * the other, and compares what they print.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pack } from './pack.ts'
import { root } from './workspace.ts'

const DOCUMENT = 'docs/start.md'
/** A block of code, with the comment above it. */
const BLOCK = /(?:<!-- (?<note>[^\n]*) -->\n+)?```(?<language>\w+)\n(?<code>[^]*?)```/gu
/** The ports that the document names: the test takes free ones instead. */
const PORTS = ['4010', '3000', '8080']

/** The packages that the document installs by name. */
const INSTALLED = new Set(['@x/kit', '@x/testing'])

/** A terminal: where it stands, and what is set in it. */
interface Terminal {
  folder: string
  settings: NodeJS.ProcessEnv
}

const scratch = mkdtempSync(join(tmpdir(), 'start-'))
const running: ChildProcess[] = []
try {
  const tarballs = pack(join(scratch, 'tarballs'))
  const state = join(scratch, 'state')
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, ...settings } = process.env
  const terminal: Terminal = { folder: join(scratch, 'home'), settings }
  mkdirSync(terminal.folder)
  let printed = ''
  let steps = 0
  for (const { groups = {} } of (await withFreePorts(readFileSync(join(root, DOCUMENT), 'utf8'))).matchAll(BLOCK)) {
    const { note = '', language, code = '' } = groups
    const file = /^from (\S+)$/u.exec(note)?.[1]
    if (file) writeFileSync(join(terminal.folder, basename(file)), code)
    else if (language === 'text') compare(printed, code)
    else if (language === 'sh' && note === 'runs until the end') running.push(await start(code, terminal))
    else if (language === 'sh') printed = run(withTarballs(code, tarballs), terminal, state)
    else throw new Error(`${DOCUMENT}: nobody knows what to do with this block:\n${code}`)
    steps++
  }
  console.log(`${DOCUMENT}: ${steps} blocks saved, run or compared`)
} finally {
  for (const child of running) child.kill()
  rmSync(scratch, { recursive: true, force: true })
}

/** Runs commands, and returns what they print; the terminal is left where they leave it. */
function run(commands: string, terminal: Terminal, state: string): string {
  const script = `set -e\n${commands}\npwd >"${state}"\nenv -0 >>"${state}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: terminal.folder,
    env: terminal.settings,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${DOCUMENT}: this fails:\n${commands}\n${stdout}${stderr}`)
  const [folder = '', settings = ''] = readFileSync(state, 'utf8').split(/\n([^]*)/u)
  terminal.folder = folder
  terminal.settings = Object.fromEntries(settings.split('\0').map((line) => line.split(/=([^]*)/u).slice(0, 2)))
  return stdout
}

/** Starts a command that goes on, and waits until it prints something. */
async function start(command: string, { folder, settings }: Terminal): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', `exec env ${command}`], { cwd: folder, env: settings })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const [ended] = await Promise.race([
    once(child.stdout, 'data').then(() => [false]),
    once(child, 'exit').then(() => [true]),
  ])
  if (ended) throw new Error(`${DOCUMENT}: this ends at once:\n${command}\n${said}`)
  return child
}

function compare(printed: string, expected: string): void {
  if (printed.trim() !== expected.trim())
    throw new Error(`${DOCUMENT}: a step prints\n${printed.trim()}\nand not\n${expected.trim()}`)
}

/**
 * Installs the packed packages in the place of those of a registry. What they need of each other comes by overrides of the
 * manifest, where npm refuses those that are installed by name.
 */
function withTarballs(commands: string, tarballs: ReadonlyMap<string, string>): string {
  const needed = [...tarballs].filter(([name]) => !INSTALLED.has(name))
  const overrides = JSON.stringify(Object.fromEntries(needed.map(([name, path]) => [name, `file:${path}`])))
  return commands.replaceAll(/^npm install .*$/gmu, (line) => {
    const installed = line.replaceAll(/@x\/[\w-]+/gu, (name) => `${name}@file:${tarballs.get(name)}`)
    return `npm pkg set --json 'overrides=${overrides}'\n${installed} --no-audit --no-fund --prefer-offline`
  })
}

async function withFreePorts(document: string): Promise<string> {
  let text = document
  for (const port of PORTS) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    text = text.replaceAll(port, String((server.address() as AddressInfo).port))
    server.close()
  }
  return text
}
