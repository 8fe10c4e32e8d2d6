import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mcp } from '@x/mcp'
import { Command } from 'commander'
import { afterAll, describe, expect, it } from 'vitest'
import { addMcp } from './mcp-command.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const FILE = fileURLToPath(new URL('../../../examples/mcp-server.ts', import.meta.url))

describe('x mcp', { timeout: 60_000 }, () => {
  it('serves the agents of a file, with nothing else on its output', async () => {
    const lines = ['yes', 'yes', '']
    const io = { input: () => lines.shift() ?? '' }
    const command = { command: process.execPath, args: ['--conditions=@x/source', MAIN, 'mcp', FILE] }
    await using its = await mcp({ name: 's', ...command, elicitation: true, io })
    expect(its.info?.name).toBe('shop')
    expect((await its.callTool('clerk', { task: 'Refund order 17.' })).text).toContain('order 17 was refunded')
  })

  it('says what is wrong with a file that serves nothing', async () => {
    const command = {
      command: process.execPath,
      args: ['--conditions=@x/source', MAIN, 'mcp', MAIN.replace('main.ts', 'chat-lines.ts')],
    }
    await expect(mcp({ name: 's', ...command })).rejects.toThrow(/it exports no `server`/u)
  })
})

it('an address to listen on needs a port', async () => {
  const program = new Command()
  addMcp(program)
  await expect(program.parseAsync(['mcp', FILE, '--host', '127.0.0.1'], { from: 'user' })).rejects.toThrow(
    /give `--port` too/u,
  )
})

describe('x chat --mcp', { timeout: 60_000 }, () => {
  const SERVER = fileURLToPath(new URL('../../mcp/src/client/stdio-server.fake.ts', import.meta.url))

  /** Runs `x chat` with some servers, types these lines, and gives all that it prints. */
  async function chat(lines: string, ...servers: string[]): Promise<{ text: string; status: number | null }> {
    const words = [
      '--conditions=@x/source',
      MAIN,
      'chat',
      '--chats',
      folder,
      ...servers.flatMap((its) => ['--mcp', its]),
    ]
    const child = spawn(process.execPath, words, { stdio: 'pipe' })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
    child.stdin.end(lines)
    const [status] = (await once(child, 'close')) as [number | null]
    return { text, status }
  }
  const folder = mkdtempSync(join(tmpdir(), 'chats-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('connects to servers for the chat, and leaves none behind', async () => {
    const { text, status } = await chat(
      'Hello\n',
      `${process.execPath} ${SERVER} plain`,
      `${process.execPath} '${SERVER}' stubborn`,
    )
    expect(text).toContain('I am a simulated model.')
    expect(status).toBe(0)
  })

  it('says which server could not be reached', async () => {
    const { text, status } = await chat('Hello\n', 'no-such-program-at-all')
    expect(text).toMatch(/^connection-failed: .*MCP server `no-such-program-at-all`/mu)
    expect(status).toBe(1)
  })
})
