import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isXError } from '@x/kernel'
import { mcp, type McpConnection, type McpOptions, type McpResult } from '../index.ts'

const SERVER = fileURLToPath(new URL('stdio-server.fake.ts', import.meta.url))

const connect = async (how: string, more: Partial<McpOptions> = {}): Promise<McpConnection> =>
  await mcp({ name: 's', command: process.execPath, args: [SERVER, how], ...more })

/** Counts the threads of a process; none on systems without `/proc`. */
const threads = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`).length
  } catch {
    return 0
  }
}

/** True if a process runs; a zombie does not. */
const runs = (pid: number): boolean => {
  const status = `/proc/${pid}/status`
  if (!existsSync('/proc/self/status')) {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  return existsSync(status) && !/^State:\s+Z/mu.test(readFileSync(status, 'utf8'))
}

describe('a started server', () => {
  it.each(['plain', 'noisy', 'exits'])('speaks: %s', async (how) => {
    await using its = await connect(how)
    expect(its.info).toMatchObject({ name: 'stdio', protocolVersion: '2025-06-18' })
    expect((await its.callTool('echo', { a: 1 })).text).toBe('{"a":1}')
  })

  it('ignores unknown messages, and is treated as an older server', async () => {
    await using its = await connect('silent', { connectTimeout: 9 })
    expect((await its.callTool('echo', { a: 1 })).text).toBe('{"a":1}')
  })

  it('has a short environment and the given variables', async () => {
    process.env['CANARY_KEY'] = 'sk-canary-of-the-program'
    try {
      await using its = await connect('plain', { env: { TOKEN: 'given-to-it' } })
      const env = JSON.parse((await its.callTool('env')).text) as Record<string, string>
      expect(env).toMatchObject({ TOKEN: 'given-to-it', PATH: process.env['PATH'] })
      expect(Object.keys(env)).not.toContain('CANARY_KEY')
    } finally {
      delete process.env['CANARY_KEY']
    }
  })

  it('dies in a call: the error has its last output without secrets, and the next call restarts it', async () => {
    await using its = await connect('plain', { env: { TOKEN: 'canary-1234567' } })
    const [first] = JSON.parse((await its.callTool('pids')).text) as [number]
    const died = await its.callTool('die').catch((error: unknown) => error as Error)
    expect(died).toMatchObject({ code: 'connection-failed', details: { mayHaveRun: true } })
    expect((died as Error).message).toMatch(/exit status 7; it wrote: began with \[redacted\]/u)
    const [second] = JSON.parse((await its.callTool('pids')).text) as [number]
    expect([runs(first), runs(second)]).toEqual([false, true])
  })

  it('tells no secret that it was given in its arguments or in a URL of a variable', async () => {
    const script =
      'console.error(["--keys", ...process.argv.slice(1), "pass-of-args", "pass-of-env"].join(" ")); process.exit(1)'
    const secrets = ['--api-key=of-the-argument', '--token', 'behind-it', 'redis://me:pass-of-args@host/?sig=signed-1']
    const failed = mcp({
      ...{ name: 's', command: process.execPath, args: ['-e', script, '--', ...secrets, '--lang=english', 'ordinary'] },
      env: { STORE: 'postgres://me:pass-of-env@host/db' },
    })
    await expect(failed).rejects.toThrow(/it wrote: --keys .*--lang=english ordinary \[redacted\] \[redacted\]/u)
    await expect(failed).rejects.not.toThrow(/of-the-argument|behind-it|pass-of|signed-1/u)
  })

  it('has died unnoticed: the next call restarts it', async () => {
    await using its = await connect('plain')
    const [first] = JSON.parse((await its.callTool('pids')).text) as [number]
    process.kill(first, 'SIGKILL')
    // The event loop gets no turn, in which it would report the end. The pipes stay open as long as the process has threads.
    while (runs(first) || threads(first) > 1);
    const [second] = JSON.parse((await its.callTool('pids')).text) as [number]
    expect([runs(first), runs(second)]).toEqual([false, true])
  })

  it('sends more than the limit: the connection ends, and the next call works', async () => {
    await using its = await connect('plain', { maxMessageBytes: 100_000 })
    await expect(its.callTool('flood')).rejects.toThrow(/more than 100000 bytes/u)
    expect((await its.callTool('echo')).text).toBe('{}')
  })

  it('answers otherwise than the protocol has it: the call fails at once', async () => {
    await using its = await connect('plain')
    for (const name of ['mangle', 'forge'])
      await expect(its.callTool(name)).rejects.toMatchObject({ code: 'server-refused' })
    expect((await its.callTool('echo')).text).toBe('{}')
  })

  it('ends with all its children, even one that ignores the end of its input', { timeout: 30_000 }, async () => {
    const its = await connect('stubborn')
    const pids = JSON.parse((await its.callTool('pids')).text) as number[]
    expect(pids.map(runs)).toEqual([true, true])
    await its.close()
    expect(pids.map(runs)).toEqual([false, false])
  })

  const METHODS = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call']
  const FAULTS = ['quits', 'hangs', 'stammers', 'babbles', 'closes']

  it.each(METHODS.flatMap((method) => FAULTS.map((how) => [method, how] as const)))(
    'at %s %s: what is asked ends in an error of ours or works, and nothing is left',
    async (method, how) => {
      const before = process.getActiveResourcesInfo().length
      const options = { name: 's', command: process.execPath, args: [SERVER, how, method], connectTimeout: 1.5 }
      const its = await mcp(options).catch((error: unknown) => error)
      if (its instanceof Error) expect(isXError(its)).toBe(true)
      else {
        const connection = its as McpConnection
        const called = await connection.callTool('echo', {}, { timeout: 0.3 }).catch((error: unknown) => error)
        expect(called instanceof Error ? isXError(called) : (called as McpResult).text).toBe(
          called instanceof Error ? true : '{}',
        )
        await connection.close()
      }
      while (process.getActiveResourcesInfo().length > before) await new Promise(setImmediate)
    },
  )

  it('cannot be started: the error names the program', async () => {
    const failure = await mcp({ name: 's', command: 'no-such-program' }).catch((error: unknown) => error as Error)
    expect(failure).toMatchObject({ code: 'connection-failed' })
    expect((failure as Error).message).toContain('no-such-program')
  })

  it('runs as the sandbox says', async () => {
    let seen: unknown
    await using its = await connect('plain', {
      sandbox: (command) => ((seen = command), { ...command, env: { ...command.env, TOKEN: 'inside' } }),
    })
    expect(JSON.parse((await its.callTool('env')).text)).toMatchObject({ TOKEN: 'inside' })
    expect(seen).toMatchObject({ command: process.execPath, args: [SERVER, 'plain'] })
  })

  it('is closed: later requests are refused', async () => {
    const its = await connect('plain')
    await its.close()
    await its.close()
    await expect(its.callTool('echo')).rejects.toMatchObject({ code: 'invalid-state' })
  })
})
