import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Tool } from '@x/interfaces'
import { contentOfResult } from '@x/kernel/tool-content'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { mcp, type McpConnection, type McpOptions } from './index.ts'
import { mcpServer } from './server.ts'

const run = promisify(execFile)
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const peers = process.env['X_MCP_PEERS']
const python = process.env['X_MCP_PYTHON']
if (!peers) console.warn('skipped: servers and clients of others; install them by: eval "$(.ci/install-mcp)"')
if (peers && !python) console.warn('skipped: Python, which is not installed')

const reference = (name: string): string =>
  join(peers!, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js')
const folder = mkdtempSync(join(tmpdir(), 'mcp-files-'))
const running: ChildProcess[] = []

afterEach(async () => {
  for (const child of running.splice(0)) await end(child)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a listening program, and connects as soon as it listens. */
async function started(command: string, args: readonly string[], port: number, path = '/mcp'): Promise<McpConnection> {
  running.push(spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' }))
  while (!(await listens(port))) expect(running.at(-1)!.exitCode).toBeNull()
  return await mcp({ name: 's', url: `http://127.0.0.1:${port}${path}` })
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

describe.skipIf(!peers)('reference servers', { timeout: 60_000 }, () => {
  it('everything', async () => {
    const lines = ['no']
    const io = { input: () => lines.shift() ?? '' }
    const command = { command: process.execPath, args: [reference('everything')] }
    await using its = await mcp({ name: 's', ...command, elicitation: true, io })
    expect((await its.callTool('echo', { message: 'hi' })).text).toBe('Echo: hi')
    expect((await its.callTool('get-tiny-image')).media).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
    const [tiny] = its.tools({ allow: ['get-tiny-image'] })
    const picture = contentOfResult(await tiny!.execute({}, { run: undefined, key: 'k' }))
    expect(picture).toContainEqual({
      type: 'image_url',
      image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/u) },
    })
    expect((await its.callTool('get-structured-content', { location: 'Chicago' })).structured).toHaveProperty(
      'temperature',
    )
    expect((await its.callTool('trigger-elicitation-request')).text).toMatch(/declin/iu)
    expect((await its.callTool('get-resource-links', { count: 2 })).links).toHaveLength(2)
    const events: unknown[] = []
    const [long] = its.tools({ allow: ['trigger-long-running-operation'] })
    const emit = (event: unknown): void => void events.push(event)
    await long!.execute({ duration: 0.2, steps: 2 }, { run: undefined, key: 'k', emit })
    expect(events).toMatchObject([
      { type: 'toolProgress', progress: 1 },
      { type: 'toolProgress', progress: 2 },
    ])
    expect((await its.prompts()).length).toBeGreaterThan(2)
    const [first] = await its.resources()
    expect((await its.readResource(first!.uri))[0]!.text).toBeTypeOf('string')
  })

  it.each(['streamableHttp', 'sse'])('everything over %s, killed and restarted', async (how) => {
    const port = await freePort()
    const args = [reference('everything'), how]
    await using its = await started(process.execPath, args, port, how === 'sse' ? '/sse' : '/mcp')
    expect((await its.callTool('echo', { message: 'one' })).text).toBe('Echo: one')
    await end(running[0]!)
    const again = await started(process.execPath, args, port, how === 'sse' ? '/sse' : '/mcp')
    await again.close()
    expect((await its.callTool('echo', { message: 'two' })).text).toBe('Echo: two')
  })

  it('filesystem', async () => {
    writeFileSync(join(folder, 'a.txt'), 'inside')
    await using its = await mcp({ name: 's', command: process.execPath, args: [reference('filesystem'), folder] })
    expect((await its.callTool('read_text_file', { path: join(folder, 'a.txt') })).text).toBe('inside')
    expect((await its.callTool('read_text_file', { path: '/etc/passwd' })).isError).toBe(true)
    const asks = its.definitions.filter(({ readOnly }) => !readOnly).map(({ originalName }) => originalName)
    expect(asks).toEqual(expect.arrayContaining(['write_file', 'edit_file', 'move_file']))
  })

  it('memory', async () => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
    await using its = await mcp({ name: 's', command: process.execPath, args: [reference('memory')], env })
    const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea'] }
    await its.callTool('create_entities', { entities: [ann] })
    expect((await its.callTool('read_graph')).structured).toMatchObject({ entities: [ann] })
  })
})

const echo: Tool<{ text: string }> = {
  name: 'echo',
  description: 'Says the same.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => text,
}

describe.skipIf(!python)('Python', { timeout: 60_000 }, () => {
  const check = async (its: McpConnection): Promise<void> => {
    expect((await its.callTool('add', { a: 1, b: 2 })).text).toBe('3')
    expect(await its.callTool('fail')).toMatchObject({ isError: true })
    const events: unknown[] = []
    const [slow] = its.tools({ allow: ['slow'] })
    const emit = (event: unknown): void => void events.push(event)
    expect(await slow!.execute({}, { run: undefined, key: 'k', emit })).toBe('done')
    expect(events).toMatchObject([{ type: 'toolProgress', progress: 1, total: 2, message: 'half' }])
  }

  it('is a server over stdio', async () => {
    await using its = await mcp({ name: 's', command: python!, args: [here('foreign-server.fake.py')] })
    await check(its)
  })

  it('is a server over HTTP', async () => {
    const port = await freePort()
    await using its = await started(python!, [here('foreign-server.fake.py'), String(port)], port)
    await check(its)
  })

  it.each([
    ['auto', false],
    ['legacy', true],
  ])('is a client in the mode %s, with sessions: %s', async (mode, sessions) => {
    await using server = mcpServer({ name: 'ours', tools: [echo] as Tool[], sessions })
    const { url } = await server.listen()
    const { stdout } = await run(python!, [here('foreign-client.fake.py'), url, mode])
    expect(JSON.parse(stdout)).toEqual([['echo'], 'from Python'])
  })
})

describe.skipIf(!peers)('the inspector', { timeout: 60_000 }, () => {
  it('is a client', async () => {
    await using server = mcpServer({ name: 'ours', tools: [echo] as Tool[] })
    const { url } = await server.listen()
    const inspector = join(peers!, 'node_modules/.bin/mcp-inspector')
    const words = ['--cli', `${url}/mcp`, '--transport', 'http', '--method']
    const { stdout: list } = await run(inspector, [...words, 'tools/list'])
    expect(JSON.parse(list)).toMatchObject({ tools: [{ name: 'echo' }] })
    const { stdout } = await run(inspector, [...words, 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hi'])
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text', text: 'hi' }] })
  })
})

/** The child processes of this process, its open files, and the resources that keep it alive. */
const held = (): [children: number, files: number, active: number] => [
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).length,
  readdirSync('/proc/self/fd').length,
  process.getActiveResourcesInfo().filter((each) => each !== 'Immediate').length,
]

describe.skipIf(process.platform !== 'linux')('after many connections', { timeout: 120_000 }, () => {
  const SERVER = here('client/stdio-server.fake.ts')

  it('1,000 connections by address and 40 by program leave nothing behind, whatever ended them', async () => {
    await using server = mcpServer({ name: 'ours', tools: [echo] as Tool[], requestsPerMinute: Infinity })
    const { url } = await server.listen()
    const once = async (options: McpOptions, round: number): Promise<void> => {
      const stop = new AbortController()
      const making = mcp({ ...options, signal: stop.signal })
      if (round % 4 === 1) stop.abort()
      const its = await making.catch(() => undefined)
      if (round % 4 === 2) await its!.callTool('no-such-tool').catch(() => {})
      if (round % 4 === 3) await its!.callTool('echo', { text: 'x' })
      await its?.close()
    }
    const all = async (count: number, options: McpOptions): Promise<void> => {
      for (let round = 0; round < count; round += 10) {
        await Promise.all(Array.from({ length: 10 }, async (_, index) => await once(options, round + index)))
      }
    }
    const stdio = { name: 's', command: process.execPath, args: [SERVER, 'plain'] }
    await all(10, { name: 's', url })
    await all(10, stdio)
    const before = held()
    await all(1000, { name: 's', url })
    await all(40, stdio)
    while (held().some((count, index) => count > before[index]!)) await new Promise(setImmediate)
  })

  it('no server outlives a killed program', async () => {
    const ways = ['plain', 'stubborn']
    const client = spawn(process.execPath, ['--conditions=@x/source', here('killed-client.fake.ts'), SERVER, ...ways])
    running.push(client)
    const line = await new Promise<string>((resolve) => client.stdout.setEncoding('utf8').once('data', resolve))
    const pids = JSON.parse(line) as number[]
    const runs = (pid: number): boolean => {
      try {
        return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      } catch {
        return false
      }
    }
    expect(pids.map(runs)).toEqual([true, true])
    await end(client)
    while (pids.some(runs)) await new Promise(setImmediate)
  })
})
