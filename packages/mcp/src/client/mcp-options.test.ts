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
  [{ servers: {} }, 'call `mcp` for each server'],
  [{ id: 'x', command: 'x' }, 'the option `id` is unknown; write `name`'],
  [{ name: 'x', cmd: 'x' }, 'write `command`, the program alone, and `args`'],
  [{ name: 'x', server_params: {} }, 'write `command`, the program alone, and `args`'],
  [{ name: 'x', serverUrl: 'http://127.0.0.1:9' }, 'write `url`'],
  [
    { name: 'x', url: 'http://127.0.0.1:9', apiKey: 'sesame-open' },
    'write `headers: { authorization: `Bearer ${token}` }`',
  ],
  [{ name: 'x', url: 'http://127.0.0.1:9', requestInit: {} }, 'write `headers`'],
  [{ name: 'x', url: 'http://127.0.0.1:9', authProvider: {} }, 'write `auth`'],
  [{ name: 'x', command: 'x', workingDirectory: '/' }, 'write `cwd`'],
  [{ name: 'x', command: 'x', allowedTools: [] }, "as in `connection.tools({ allow: ['read_file'] })`"],
  [{ name: 'x', command: 'x', args: '-y x' }, "give a list of texts, as in ['-y', 'a-server']"],
  ['npx -y a-server', "give an object, as in { name: 'files', command: 'npx', args: ['-y', 'a-server'] }"],
  ['http://127.0.0.1:9/mcp', "give an object, as in { name: 'files', url: 'http://localhost:3000/mcp' }"],
  [{ url: 'http://127.0.0.1:9/mcp' }, 'give `name`'],
  [{ name: 'x', url: 'https://me:pass@host/mcp' }, '`url` has a name or a password; give them in `headers`'],
  [{ name: 'x', url: 'https://:pass@host/mcp' }, '`url` has a name or a password; give them in `headers`'],
  [{ name: 'x', url: 'localhost:3000' }, '`url` is not an address; give one that begins with https:// or http://'],
])('%j: the error says what to write', async (options, text) => {
  await expect(mcp(options as never)).rejects.toThrow(text)
  await expect(mcp(options as never)).rejects.not.toThrow('sesame')
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
