import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, type Host } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { startProxy, type TestProxy } from './proxy.fake.ts'
import type { TestServer } from './servers.fake.ts'

const PROGRAM = fileURLToPath(new URL('worker.fake.ts', import.meta.url))
/** Lease of the worker: a renewal without an answer is noticed in two thirds of it, and the chats are not lost. */
const LEASE_S = 3
/** Time-out of a call, as it is by default. */
const TIMEOUT_S = 10
/** Seconds after the end of a fault within which every chat goes on: the promise of `docs/watching-a-host.md`. */
const RECOVERY_S = 2 * LEASE_S + TIMEOUT_S
const SHORT_TIMEOUT_S = 3
/** Time-outs after which a worker has ended whose server is away: the promise of `docs/running-a-host.md`. */
const TIMEOUTS_TO_END = 2.5
/** Interval in which a process reports errors of one kind once. */
const WARNING_INTERVAL_S = 10
const CHAT_COUNT = 8
const onError = (): void => {}

/** The servers of a test. */
export interface Scene {
  /** URL for the worker. */
  readonly workerUrl: string
  /** URL for everybody else. */
  readonly url: string
  close(): Promise<void>
}

/** A fault in the middle of chats. */
export interface Fault<S extends Scene> {
  readonly title: string
  /** Time-out of the worker in seconds, which is started again with it before the fault. */
  readonly timeout?: number | undefined
  /** Brings the fault about; resolves when it is over. */
  readonly strike: (scene: S, worker: TestWorker) => void | Promise<void>
}

/** A worker in its own process. */
interface TestWorker {
  readonly isRunning: boolean
  /** Its `stderr` so far. */
  readonly warnings: string
  /** Starts it, or another one; `timeout`: that of its calls, in seconds. */
  start(timeout?: number): void
  /** Ends it as a service manager does, by `SIGTERM`; resolves when it has ended. */
  end(): Promise<void>
  kill(): void
}

/** A server with a proxy between it and the worker. */
export interface ProxiedScene extends Scene {
  readonly server: TestServer
  readonly proxy: TestProxy
}

/** Puts a proxy between a server and the worker. */
export async function sceneBehindProxy(server: TestServer): Promise<ProxiedScene> {
  const proxy = await startProxy(server.url)
  return {
    ...{ server, proxy, url: server.url, workerUrl: proxy.url },
    async close() {
      await proxy.close()
      await server.close()
    },
  }
}

/** Resolves after some milliseconds: so long does a fault last. */
export const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A server that refuses writes for two seconds. */
export const refusing = <S extends Scene>(
  title: string,
  refuse: (scene: S, isRefusing: boolean) => Promise<void>,
): Fault<S> => ({
  title,
  async strike(scene) {
    await refuse(scene, true)
    await later(2000)
    await refuse(scene, false)
  },
})

/** Networks and servers that go silent. */
export const SILENCES: readonly Fault<ProxiedScene>[] = [
  { title: 'all connections are half-open', strike: ({ proxy }) => proxy.halfOpen() },
  {
    title: 'new connections lead nowhere for a second',
    async strike({ proxy }) {
      proxy.halfOpen({ swallowNew: true })
      await later(1000)
      proxy.restore()
    },
  },
  {
    title: 'the server is stopped for a second',
    async strike({ server }) {
      server.pause()
      await later(1000)
      server.resume()
    },
  },
  { title: 'the link is slow', strike: ({ proxy }) => proxy.delay(() => 60) },
]

/** A service manager ends the worker while its server is away. */
export const END_WITHOUT_SERVER: Fault<ProxiedScene> = {
  title: 'the worker is ended while the server is away',
  timeout: SHORT_TIMEOUT_S,
  async strike({ server }, worker) {
    await server.kill()
    const startedAt = Date.now()
    await worker.end()
    const endedAt = Date.now()
    await server.start()
    worker.start()
    expect(endedAt - startedAt).toBeLessThan(TIMEOUTS_TO_END * SHORT_TIMEOUT_S * 1000)
  },
}

/** Options of {@link faultsSuite}. */
interface FaultsOptions<S extends Scene> {
  readonly start: () => Promise<S>
  readonly open: (url: string, options: { readonly onError: () => void }) => HostBackend
  /** The faults, which strike one after the other. */
  readonly faults: readonly Fault<S>[]
  /** Makes the server refuse writes, or take them again: many errors of a kind. */
  readonly refuseWrites?: ((scene: S, isRefusing: boolean) => Promise<void>) | undefined
}

/**
 * Tests that a worker outlives faults of its server and network: its chats go on in the promised time and end, each of them
 * pays once, nothing is lost, and errors of one kind are a line in ten seconds.
 */
export function faultsSuite<S extends Scene>(
  name: string,
  { start, open, faults, refuseWrites }: FaultsOptions<S>,
): void {
  const folder = mkdtempSync(join(tmpdir(), `${name}-faults-`))
  const log = join(folder, 'log')
  let scene: S
  let host: Host
  let worker: TestWorker
  let startedAt: number

  describe(`a worker on ${name}`, () => {
    beforeAll(async () => {
      scene = await start()
      host = createHost({ chats: [clerkChat()], at: open(scene.url, { onError }) })
      worker = testWorker(scene.workerUrl, log)
      startedAt = Date.now()
      worker.start()
    })
    afterAll(async () => {
      worker.kill()
      await host.close()
      await scene.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it.each(faults)('ends every chat once when $title', { timeout: 60_000 }, async ({ title, timeout, strike }) => {
      if (timeout !== undefined) worker.start(timeout)
      const prefix = title.replaceAll(' ', '-')
      const ids = await submitChats(host, prefix)
      // Half of the chats wait for a decision; the others are in their middle.
      await expect.poll(() => linesOf(log, prefix).length).toBeGreaterThan(CHAT_COUNT)
      await strike(scene, worker)
      const overAt = Date.now()
      await checkEnds(host, ids)
      await checkRecovery(host, ids, overAt)
      const paid = linesOf(log, prefix).filter((line) => line.startsWith('paid'))
      // One key for each chat, also where a payment was made again.
      expect(new Set(paid).size).toBe(ids.length)
      expect(paid.length - ids.length).toBeLessThanOrEqual(ids.length)
      expect(worker.isRunning).toBe(true)
    })

    it.runIf(refuseWrites)('tells errors of one kind at once, and then in one line for ten seconds', async () => {
      const ids = await submitChats(host, 'refused')
      await expect.poll(() => linesOf(log, 'refused').length).toBeGreaterThan(CHAT_COUNT)
      await refuseWrites!(scene, true)
      const limits = { timeout: 3 * WARNING_INTERVAL_S * 1000 }
      await expect.poll(() => worker.warnings, limits).toMatch(/\(\d+ more of this kind in 10 seconds\)/u)
      await refuseWrites!(scene, false)
      await checkEnds(host, ids)
      const intervals = 1 + (Date.now() - startedAt) / 1000 / WARNING_INTERVAL_S
      const lines = worker.warnings.split('\n').filter((line) => line.includes('Warning: '))
      const kinds = Map.groupBy(lines, (line) => line.replaceAll(/ \(\d+ more.*|`[^`]*`|\d+/gu, '#'))
      for (const [kind, { length }] of kinds) expect(length, kind).toBeLessThanOrEqual(intervals)
    })
  })
}

function testWorker(url: string, log: string): TestWorker {
  let child: ChildProcess | undefined
  let warnings = ''
  return {
    get isRunning() {
      return child?.exitCode === null && child.signalCode === null
    },
    get warnings() {
      return warnings
    },
    start(timeout = TIMEOUT_S) {
      child?.kill('SIGKILL')
      child = spawn(process.execPath, ['--conditions=@x/source', PROGRAM, url, log], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, LEASE: String(LEASE_S), TIMEOUT: String(timeout) },
      })
      child.stderr!.setEncoding('utf8').on('data', (text) => void (warnings += text))
    },
    async end() {
      child!.kill('SIGTERM')
      await once(child!, 'exit')
    },
    kill: () => void child?.kill('SIGKILL'),
  }
}

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
async function checkEnds(host: Host, ids: readonly string[]): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
    const chats = await Promise.all(ids.map((id) => host.get(id)))
    return chats.every((chat) => chat?.outcome)
  }
  await expect.poll(isDone, { timeout: 40_000, interval: 100 }).toBe(true)
  for (const [n, id] of ids.entries()) expect(await host.result(id)).toBe(`done: ${eurosOf(n)} euros`)
}

/** Checks that every chat that had not ended when a fault was over went on in time. */
async function checkRecovery(host: Host, ids: readonly string[], overAt: number): Promise<void> {
  const delaysMs: number[] = []
  for (const id of ids) {
    const times: number[] = []
    for await (const { event } of host.events(id)) times.push(event.time)
    const next = times.find((time) => time > overAt)
    if (next !== undefined) delaysMs.push(next - overAt)
  }
  expect(delaysMs).not.toEqual([])
  expect(Math.max(...delaysMs)).toBeLessThan(RECOVERY_S * 1000)
}
