import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { afterAll, describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { startProxy, type TestProxy } from './proxy.fake.ts'
import type { TestServer } from './servers.fake.ts'

const PROGRAM = fileURLToPath(new URL('worker.fake.ts', import.meta.url))
/** Lease of the worker: a renewal without an answer is noticed in 7/12 of it, and the chats are not lost. */
const LEASE_S = 4
const CHAT_COUNT = 8
const onError = (): void => {}

/** A fault of the network or server in the middle of chats: `strike` returns when it is over. */
interface Fault {
  readonly title: string
  readonly strike: (proxy: TestProxy, server: TestServer) => void | Promise<void>
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const FAULTS: readonly Fault[] = [
  { title: 'all connections are half-open', strike: (proxy) => proxy.halfOpen() },
  {
    title: 'new connections lead nowhere for a second',
    async strike(proxy) {
      proxy.halfOpen({ swallowNew: true })
      await later(1000)
      proxy.restore()
    },
  },
  {
    title: 'the server is stopped for a second',
    async strike(_, server) {
      server.pause()
      await later(1000)
      server.resume()
    },
  },
  { title: 'the link is slow', strike: (proxy) => proxy.delay(() => 60) },
]

/**
 * Tests that a worker goes on when its network is silent: its chats end in about a lease, each of them pays once, and nothing
 * is lost.
 */
export async function silenceSuite(
  name: string,
  start: () => Promise<TestServer>,
  open: (url: string, options: { readonly onError: () => void }) => HostBackend,
  faults: readonly Fault[] = [],
): Promise<void> {
  const server = await start()
  const proxy = await startProxy(server.url)
  const folder = mkdtempSync(join(tmpdir(), `${name}-silence-`))
  const log = join(folder, 'log')
  const host = createHost({ chats: [clerkChat()], at: open(server.url, { onError }) })
  const worker = startWorker(proxy.url, log)
  afterAll(async () => {
    worker.kill('SIGKILL')
    await host.close()
    await proxy.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe(`a silent network before ${name}`, () => {
    it.each([...FAULTS, ...faults])(
      'ends every chat once when $title',
      { timeout: 60_000 },
      async ({ title, strike }) => {
        const prefix = title.replaceAll(' ', '-')
        const ids = await submitChats(host, prefix)
        // Half of the chats wait for a decision; the others are in their middle.
        await expect.poll(() => linesOf(log, prefix).length).toBeGreaterThan(CHAT_COUNT)
        await strike(proxy, server)
        await checkEnds(host, ids, log)
        expect(linesOf(log, prefix).filter((line) => line.startsWith('paid'))).toHaveLength(CHAT_COUNT)
        expect(worker.exitCode).toBeNull()
      },
    )
  })
}

/** Starts a worker in its own process. */
const startWorker = (url: string, log: string): ChildProcess =>
  spawn(process.execPath, ['--conditions=@x/source', PROGRAM, url, log], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, LEASE: String(LEASE_S) },
  })

/** Returns the lines of a log about the chats with a prefix. */
const linesOf = (log: string, prefix: string): string[] =>
  (existsSync(log) ? readFileSync(log, 'utf8') : '')
    .split('\n')
    .filter((line) => line.split(' ')[1]?.startsWith(prefix))

async function submitChats(host: Host, prefix: string): Promise<string[]> {
  const ids = Array.from({ length: CHAT_COUNT }, (_, n) => `${prefix}-${n}`)
  await Promise.all(ids.map((id, n) => host.submit(clerkChat(), { euros: eurosOf(n) }, { id })))
  return ids
}

const eurosOf = (n: number): number => (n % 2 ? 25 : 5)

/** Decides what the chats wait for, and checks their values. */
async function checkEnds(host: Host, ids: readonly string[], log: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
    const chats = await Promise.all(ids.map((id) => host.get(id)))
    return chats.every((chat) => chat?.outcome)
  }
  await expect.poll(isDone, { timeout: 40_000, interval: 100 }).toBe(true)
  for (const [n, id] of ids.entries()) expect(await host.result(id)).toBe(`done: ${eurosOf(n)} euros`)
  const keys = linesOf(log, ids[0]!.slice(0, -2)).filter((line) => line.startsWith('paid'))
  expect(new Set(keys).size).toBe(ids.length)
}
