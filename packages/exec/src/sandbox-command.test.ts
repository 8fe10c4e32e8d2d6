import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sandboxCommand, type CommandLine, type CommandSandboxOptions } from './sandbox-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'x-command-'))
for (const name of ['seen', 'given', 'hidden']) {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'file'), `content of ${name}`)
}
afterAll(() => rmSync(folder, { recursive: true }))

const line = (command: string, ...args: string[]): CommandLine => ({
  ...{ command, args },
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', TOKEN: 'hunter2-hunter2' },
})

/** Runs a script of the shell in a sandbox. */
function run(script: string, options: CommandSandboxOptions = {}, more: Partial<CommandLine> = {}) {
  const { command, args, env, cwd } = sandboxCommand(options)({ ...line('sh', '-c', script), ...more })
  const { status, stdout, stderr } = spawnSync(command, args, { env, cwd, encoding: 'utf8', input: 'said' })
  return { status, out: stdout.trim(), err: stderr }
}

/** True if bubblewrap starts here: a kernel may refuse it. */
function works(): boolean {
  try {
    return run('true').status === 0
  } catch {
    return false
  }
}

const isThere = works()
if (!isThere && (process.env['X_CI_EXPECTS'] ?? '').split(',').includes('bubblewrap')) {
  throw new Error('CI expects bubblewrap')
}

describe.skipIf(!isThere)('a command in a sandbox', () => {
  it('has input, output and an environment that is on no command line', () => {
    expect(run('read -r word; echo "$word $TOKEN"; pwd')).toMatchObject({
      status: 0,
      out: 'said hunter2-hunter2\n/home',
    })
    expect(sandboxCommand()(line('sh')).args.join(' ')).not.toContain('hunter2')
  })

  it('reads and changes the given paths, and no others', () => {
    const [seen, given, hidden] = ['seen', 'given', 'hidden'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const options = { readOnly: [seen], writable: [given] }
    expect(run(`cat ${seen}/file ${given}/file`, options).out).toBe('content of seencontent of given')
    expect(run(`cat ${hidden}/file`, options).status).not.toBe(0)
    expect(run(`echo x > ${seen}/file`, options).status).not.toBe(0)
    expect(run(`echo changed > ${given}/file`, options).status).toBe(0)
    expect(readFileSync(join(given, 'file'), 'utf8')).toBe('changed\n')
    expect(run('pwd', options, { cwd: given }).out).toBe(given)
    expect(run('pwd; ls -A', options, { cwd: hidden }).out).toBe('/home')
    expect(run('echo x > /etc/x || echo x > /usr/x').status).not.toBe(0)
  })

  it('makes no system calls but those of the list', () => {
    expect(run('unshare --user true 2>&1').out).toMatch(/not permitted/u)
    expect(run('grep Seccomp: /proc/self/status').out).toMatch(/2$/u)
  })

  it('sees no other processes and has no privileges', () => {
    expect(run(`kill -0 ${process.pid}`).status).not.toBe(0)
    expect(run('id -u; grep CapEff /proc/self/status').out).toMatch(/^65534\nCapEff:\s*0+$/u)
  })

  it('has the network only if the option allows it', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const connect = `require('node:net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(9))`
      for (const [network, expected] of [
        ['none', 9],
        ['host', 0],
      ] as const) {
        const wrapped = sandboxCommand({ network })({ ...line(process.execPath, '-e', connect) })
        const child = spawn(wrapped.command, wrapped.args, { env: wrapped.env, cwd: wrapped.cwd, stdio: 'ignore' })
        expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(expected)
      }
    } finally {
      server.close()
    }
  })
})

it('refuses missing and relative paths, and unknown options', () => {
  for (const options of [{ readOnly: ['/no/such/path'] }, { writable: ['folder'] }, { readonly: ['/usr'] }]) {
    expect(() => sandboxCommand(options as CommandSandboxOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  }
})
