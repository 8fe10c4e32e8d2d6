import { expect, test } from 'vitest'
import { mcp } from './mcp.ts'

test.each<[unknown, string]>([
  [
    { mcpServers: { files: { command: 'npx' } } },
    "call `mcp` for each server: mcp({ name: 'files', command: 'npx', args: ['-y', 'a-server'] })",
  ],
  [
    { name: 'x', transport: 'stdio', command: 'x' },
    'leave `transport` out: `command` starts a program, and `url` is the address of a server',
  ],
  [
    { name: 'x', type: 'http', url: 'http://127.0.0.1:9' },
    'leave `type` out: `command` starts a program, and `url` is the address of a server',
  ],
  [{ name: 'x', command: 'x', timeout: 30 }, 'write `connectTimeout`, in seconds; calls have a `timeout` of their own'],
  [{ name: 'x', url: 'http://127.0.0.1:9', header: {} }, 'did you mean `headers`?'],
  ['http://127.0.0.1:9/mcp', "give an object, as in { name: 'files', url: 'http://localhost:3000/mcp' }"],
  [{ url: 'http://127.0.0.1:9/mcp' }, 'give `name`'],
  [{ name: 'x', url: 'localhost:3000' }, '`url` is not an address; give one that begins with https:// or http://'],
])('%j: the error says what to write', async (options, text) => {
  await expect(mcp(options as never)).rejects.toThrow(text)
})

test.each([['no-such-server-of-2026'], ['npx -y a-server']])(
  'a command that is not there is told as one: %s',
  async (command) => {
    await expect(mcp({ name: 'x', command })).rejects.toMatchObject({
      code: 'connection-failed',
      message: expect.stringContaining(
        'The program was not found: give the name or the path of one that is installed as `command`, and its arguments as `args`',
      ),
    })
  },
)
