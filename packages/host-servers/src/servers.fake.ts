import { execFileSync, type ExecFileSyncOptions, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'

/** A database server for tests, which can be killed and started again with the data on its disk. */
export interface TestServer {
  readonly url: string
  /** Ends the process as `kill -9` does. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops all of its processes, which keep their connections, as `kill -STOP` does. */
  pause(): void
  /** Lets its processes go on. */
  resume(): void
  /** Ends the process and deletes its files. */
  close(): Promise<void>
}

/** Returns the path of a program; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/**
 * Returns a free port of the loopback interface. It is below the ports that the system assigns, so that no other program gets
 * it before the server listens, or while the server is down; and 64 ports from those of the test processes that were started
 * beside this one.
 */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 199) * 64; ; port++) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Skips the tests of a server that is not installed, with a line that says so; throws if CI should have installed it. */
export function skipWithout(server: 'redis' | 'postgres'): void {
  if ((process.env['X_CI_EXPECTS'] ?? '').split(',').includes(server)) throw new Error(`CI expects ${server}`)
  describe(server, () =>
    it.skip(`is not installed: apt-get install ${server === 'redis' ? 'redis-server' : 'postgresql'}`),
  )
}

/** Starts a separate Redis, which writes its data to the disk every second; `primary`: the server that it replicates. */
export async function startRedis(program: string, primary?: TestServer): Promise<TestServer> {
  const settings = primary ? ['--replicaof', '127.0.0.1', new URL(primary.url).port] : []
  return await startRedisProcess(program, (folder) => [
    ...['--dir', folder, '--appendonly', 'yes', '--save', '', '--repl-diskless-sync-delay', '0', ...settings],
  ])
}

/** Starts a sentinel that promotes a replica when the primary `chats` has not answered for a second. */
export async function startSentinel(program: string, primary: TestServer): Promise<TestServer> {
  return await startRedisProcess(program, (folder) => {
    const file = join(folder, 'sentinel.conf')
    const settings = [
      `dir ${folder}`,
      `sentinel monitor chats 127.0.0.1 ${new URL(primary.url).port} 1`,
      'sentinel down-after-milliseconds chats 1000',
      // Two of these times lie between two attempts.
      'sentinel failover-timeout chats 4000',
    ]
    writeFileSync(file, settings.join('\n'))
    return [file, '--sentinel']
  })
}

/** Starts a program of Redis with the arguments for its folder. */
async function startRedisProcess(
  program: string,
  argumentsFor: (folder: string) => readonly string[],
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const args = [...argumentsFor(folder), '--port', String(port), '--bind', '127.0.0.1']
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    for await (const text of child.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += String(text)
      if (/Ready to accept|Sentinel ID/u.test(printed)) break
    }
    if (!/Ready to accept|Sentinel ID/u.test(printed)) throw new Error(`${program} did not start: ${printed}`)
    child.stdout!.resume()
  }
  const kill = async (): Promise<void> => {
    if (child!.exitCode !== null || child!.signalCode !== null) return
    const exit = once(child!, 'exit')
    child!.kill('SIGKILL')
    await exit
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    pause: () => void child!.kill('SIGSTOP'),
    resume: () => void child!.kill('SIGCONT'),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Sends a signal to a process and its children: Postgres has a process for each connection. */
function signalFamily(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const each of [String(pid), ...children]) process.kill(Number(each), signal)
}

/** Returns the folder of the programs of Postgres, which Debian does not put in the path; undefined when it is not installed. */
export const findPostgres = (): string | undefined => globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)

/**
 * Starts a separate Postgres; for root as another user, because Postgres refuses to run as root. `primary`: the server of
 * which it is a standby.
 */
export async function startPostgres(programs: string, primary?: TestServer): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['postgres', folder])
  const data = join(folder, 'data')
  const as = (program: string, ...args: readonly string[]): [string, string[]] => {
    const path = join(programs, program)
    return isRoot
      ? ['setpriv', ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', path, ...args]]
      : [path, [...args]]
  }
  const options: ExecFileSyncOptions = { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }
  if (primary) execFileSync(...as('pg_basebackup', '-D', data, '-d', primary.url, '-R', '-c', 'fast'), options)
  else execFileSync(...as('initdb', '-D', data, '-A', 'trust', '-U', 'test', '-E', 'UTF8', '--locale=C'), options)
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=200',
  ]
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(...as('postgres', '-D', data, ...settings.flatMap((each) => ['-c', each])), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    for await (const text of child.stderr!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += String(text)
      if (/ready to accept/u.test(printed)) break
    }
    if (!/ready to accept/u.test(printed)) throw new Error(`postgres did not start: ${printed}`)
    child.stderr!.resume()
  }
  // An immediate shutdown: for clients it is like a crash, but it leaves no shared memory behind.
  const kill = async (): Promise<void> => {
    if (child!.exitCode !== null || child!.signalCode !== null) return
    const exit = once(child!, 'exit')
    child!.kill('SIGQUIT')
    await exit
  }
  await start()
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    kill,
    start,
    pause: () => signalFamily(child!.pid!, 'SIGSTOP'),
    resume: () => signalFamily(child!.pid!, 'SIGCONT'),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
