import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import { seededRandom } from '@x/reasoning'
import { chaos } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { METHODS, randomParts, searchChats, searchTrees } from './thinking.ts'

const WORKER_PROGRAM = fileURLToPath(new URL('worker-process.ts', import.meta.url))
const SERVER_PROGRAM = fileURLToPath(
  new URL('../../../packages/host-servers/src/server-process.fake.ts', import.meta.url),
)
const SEED = Number(process.env['SEED'] ?? 22)
const WORKER_COUNT = 4
/** Most concurrent jobs in a worker. */
const JOBS_PER_WORKER = 16

const folder = mkdtempSync(join(tmpdir(), 'hosted-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A separate server. */
interface Server {
  readonly url: string
  /** Crashes the server, and starts it again with the data on its disk. */
  crash(): Promise<void>
}

/** Starts a server; undefined when it is not installed. */
async function startServer(kind: string): Promise<Server | undefined> {
  const child = spawn(process.execPath, ['--conditions=@x/source', SERVER_PROGRAM, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterAll(async () => {
    if (child.exitCode !== null) return
    child.stdin.end()
    await once(child, 'close')
  })
  const line = async (): Promise<string> =>
    ((await once(child.stdout.setEncoding('utf8'), 'data')) as [string])[0].trim()
  const url = await line()
  if (url === 'missing') return undefined
  return {
    url,
    async crash() {
      child.stdin.write('crash\n')
      await line()
    },
  }
}

const start = (url: string, log: string) =>
  spawn(process.execPath, ['--conditions=@x/source', WORKER_PROGRAM, url, '100', '1.5', log], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })

const linesOf = (log: string): string[] =>
  existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []

for (const kind of ['redis', 'postgres'] as const) {
  const server = await startServer(kind)
  if (!server) {
    const debianPackage = kind === 'redis' ? 'redis-server' : 'postgresql'
    describe(kind, () => it.skip(`is not installed: apt-get install ${debianPackage}`))
    continue
  }
  const { url } = server
  /** Makes names unique when a test is repeated. */
  let tries = 0
  describe(kind, () => {
    it('random searches over four workers, which die at random, have the same trees as in one process', async () => {
      const searches = fc.record({ method: fc.constantFrom(...Object.keys(METHODS)), seed: fc.nat(10_000) })
      const distinct = fc.uniqueArray(searches, { minLength: 6, maxLength: 6, selector: ({ seed }) => seed })
      const [inputs] = fc.sample(distinct, { numRuns: 1, seed: SEED }) as [{ method: string; seed: number }[]]
      const [solve, think] = searchChats((seed) => randomParts({ seed }))
      const host = createHost({ chats: [solve, think], at: kind === 'redis' ? redis(url) : postgres(url) })
      const name = `${kind}-${tries++}`
      const log = join(folder, name)
      try {
        for (const [n, input] of inputs.entries()) await host.submit(solve, { ...input }, { id: `${name}-${n}` })
        let numbers = 0
        const random = seededRandom(SEED)
        const report = await chaos({
          start: () => start(url, log),
          workers: WORKER_COUNT,
          most: 24,
          every: 0.6,
          timeout: 90,
          random: () => random(String(numbers++)),
          async isDone() {
            for await (const { id, outcome } of host.list()) if (!outcome && !id.includes('/')) return false
            return true
          },
        })
        expect(report.starts).toBeGreaterThanOrEqual(WORKER_COUNT)
        const expectedCalls: string[] = []
        for (const [n, input] of inputs.entries()) {
          const parts = randomParts({ seed: input.seed, onCall: (key) => expectedCalls.push(JSON.stringify(key)) })
          expect(await host.result(`${name}-${n}`)).toBe(await searchTrees(input, { parts }))
        }
        // All calls of one process are made, and only calls in flight in a worker that was hit are repeated.
        const lines = linesOf(log)
        expect(new Set(lines)).toEqual(new Set(expectedCalls))
        const hit = report.kills + report.stops + report.ends
        expect(lines.length - expectedCalls.length).toBeLessThanOrEqual(2 * JOBS_PER_WORKER * hit)
      } finally {
        await host.close()
      }
    }, 120_000)

    it('searches have the same trees as in one process when their server crashes and loses what it may', async () => {
      const [solve, think] = searchChats((seed) => randomParts({ seed }))
      const onError = (): void => {}
      const at = kind === 'redis' ? redis(url, { onError }) : postgres(url, { onError })
      const host = createHost({ chats: [solve, think], at })
      const name = `${kind}-${tries++}`
      const log = join(folder, name)
      const inputs = Object.keys(METHODS).map((method, seed) => ({ method, seed }))
      try {
        for (const input of inputs) await host.submit(solve, input, { id: `${name}-${input.seed}` })
        const crashes = [20, 60, 90]
        await chaos({
          ...{ start: () => start(url, log), workers: WORKER_COUNT, most: 0, every: 0.1, timeout: 90, random: () => 1 },
          async isDone() {
            if (linesOf(log).length >= crashes[0]!) {
              crashes.shift()
              await server.crash()
            }
            try {
              const chats = await Promise.all(inputs.map(({ seed }) => host.get(`${name}-${seed}`)))
              return chats.every((chat) => chat?.outcome)
            } catch {
              return false
            }
          },
        })
        expect(crashes).toEqual([])
        for (const input of inputs) {
          const expected = await searchTrees(input, { parts: randomParts({ seed: input.seed }) })
          expect(await host.result(`${name}-${input.seed}`)).toBe(expected)
        }
      } finally {
        await host.close()
      }
    }, 120_000)
  })
}
