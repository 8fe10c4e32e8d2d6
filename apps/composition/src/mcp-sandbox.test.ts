import { sandboxCommand } from '@x/exec'
import { mcp } from '@x/mcp'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'x-mcp-sandbox-'))
writeFileSync(join(folder, 'data'), 'the data')
afterAll(() => rmSync(folder, { recursive: true }))

/** A server whose one tool reads a file, and that goes on when its input has ended. */
const SERVER = `
const { readFileSync } = require('node:fs')
const read = (path) => { try { return readFileSync(path, 'utf8') } catch (error) { return error.code } }
const answers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { path } }) => ({ content: [{ type: 'text', text: read(path) }] }),
}
setInterval(() => {}, 1000)
require('node:readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const its = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...its }))
})`

/** Whether bubblewrap starts here: a kernel may refuse it. */
function works(): boolean {
  try {
    const { command, args } = sandboxCommand()({ command: 'true', args: [], env: {} })
    return spawnSync(command, args, { env: {} }).status === 0
  } catch {
    return false
  }
}

it.skipIf(!works())('a server in a sandbox sees what it was given, and is gone with its connection', async () => {
  const start = async (readOnly: readonly string[]) =>
    await mcp({
      ...{ name: 's', command: process.execPath, args: ['-e', SERVER, folder] },
      sandbox: sandboxCommand({ readOnly }),
    })
  const path = join(folder, 'data')
  {
    await using its = await start([folder])
    expect((await its.callTool('read', { path })).text).toBe('the data')
    expect((await its.callTool('read', { path: import.meta.filename })).text).toBe('ENOENT')
  }
  {
    await using its = await start([])
    expect((await its.callTool('read', { path })).text).toBe('ENOENT')
  }
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  // Every process of a server has the folder in its command line.
  expect(stdout.split('\n').filter((line) => line.includes(folder) && !line.includes('vitest'))).toEqual([])
})
