import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { XError } from '@x/kernel'

/** The Redis of the example. Disposing of it ends the process; the data stays in its folder. */
export interface RedisServer extends AsyncDisposable {
  readonly address: string
}

/**
 * Shell script that runs the server until its input ends, which happens when the parent process has ended in any way, and ends
 * with the server: `$0` is the program and `$1` its file.
 */
const RUN_UNTIL_INPUT_ENDS_SH = `
exec 3<&0
"$0" "$1" 3<&- &
server=$!
{ cat >/dev/null; kill "$server"; } <&3 &
exec 3<&-
wait "$server" 2>/dev/null
kill "$!" 2>/dev/null`

/** Highest port to try, below those that systems assign to connections: a connection could take one before the server does. */
const LAST_PORT = 32_000
const PORTS = 12_000

/** Finds `redis-server` or `valkey-server`; fails with `invalid-state` and says what to install. */
export function findRedis(): string {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch {
      // Tries the next name.
    }
  }
  throw new XError(
    'invalid-state',
    'cannot start Redis: there is no `redis-server` on this machine; install it (`apt-get install redis-server` on Debian and Ubuntu), or name a server by `--at redis://…` or `--at postgres://…`',
  )
}

/**
 * Starts a Redis for this user alone: on 127.0.0.1, with a random password, and with its data in a folder. Fails with
 * `invalid-state`, and what the program printed, when it does not start.
 */
export async function startRedis(program: string, folder: string): Promise<RedisServer> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let tries = 1; ; tries++) {
    const started = await tryToStart(program, folder)
    if (typeof started === 'object') return started
    // Another program got the port in the meantime.
    if (tries < 5 && /address already in use/iu.test(started)) continue
    throw new XError('invalid-state', `\`${program}\` did not start; it printed: ${started.slice(-1000)}`)
  }
}

/** Starts it on a port that is free now; returns what it printed when it has ended instead. */
async function tryToStart(program: string, folder: string): Promise<RedisServer | string> {
  const [port, password] = [await freePort(), randomBytes(24).toString('hex')]
  const file = join(folder, 'redis.conf')
  const settings = {
    ...{ bind: '127.0.0.1', port, requirepass: password, dir: JSON.stringify(folder) },
    ...{ appendonly: 'yes', save: '""', 'maxmemory-policy': 'noeviction' },
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  const child = spawn('sh', ['-c', RUN_UNTIL_INPUT_ENDS_SH, program, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  let printed = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += String(text)
    if (/Ready to accept/u.test(printed)) break
  }
  if (!/Ready to accept/u.test(printed)) {
    child.stdin.destroy()
    return printed
  }
  child.stdout.resume()
  return {
    address: `redis://:${password}@127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.stdin.end()
      await exit
    },
  }
}

/** Returns a free port of the loopback interface. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer()
    const port = LAST_PORT - randomInt(PORTS)
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
