import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost } from '@x/host'
import type { HostBackend } from '@x/interfaces'
import { chaos } from '@x/testing/hosting'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startProxy } from './proxy.fake.ts'
import type { TestServer } from './servers.fake.ts'

const SCALE = Number(process.env['CHAOS'] ?? 1)
const SEED = Number(process.env['SEED'] ?? 22)
const PROGRAM = fileURLToPath(new URL('limits-worker.fake.ts', import.meta.url))
const LIMITS = { inFlight: 10, requests: 60, per: 1 }
const WORKER_COUNT = 3
const CALLS_PER_WORKER = 8
const CALL_DURATION_MS = 60
const onError = (): void => {}

/** Tests that budgets and limits hold whatever happens to workers, connections and the server, and that no call waits for ever. */
export function limitsSuite(
  name: string,
  start: () => Promise<TestServer>,
  open: (url: string, options: { readonly onError: () => void }) => HostBackend,
): void {
  describe(`limits and budgets on ${name}`, () => {
    const randomNumbers = (): (() => number) => {
      const random = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 20_000, seed: SEED }).values()
      return () => random.next().value!
    }
    /** Returns the tokens that the provider has counted. */
    const paidIn = (log: string): number => {
      const amounts = (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(Boolean)
      return amounts.reduce((sum, line) => sum + Number(line.split(' ')[3]), 0)
    }
    const workerAt = (url: string, log: string, tokens: number, strict = true): ChildProcess =>
      spawn(
        process.execPath,
        ['--conditions=@x/source', PROGRAM, url, log, String(CALLS_PER_WORKER), String(CALL_DURATION_MS)],
        {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: {
            ...process.env,
            TOKENS: String(tokens),
            STRICT: strict ? 'yes' : 'no',
            LIMITS: JSON.stringify(LIMITS),
          },
        },
      )

    it('hold while workers are killed and stopped and connections are cut', { timeout: 300_000 }, async () => {
      const next = randomNumbers()
      const server = await start()
      const proxy = await startProxy(server.url)
      proxy.delay(() => next() * 3)
      const folder = mkdtempSync(join(tmpdir(), `${name}-limits-`))
      const log = join(folder, 'log')
      const limit = 3000 * SCALE
      const host = createHost({ chats: [], at: open(server.url, { onError }) })
      const budget = host.budget('team', { tokens: limit, strict: true, lease: 1.5, onError })
      try {
        let looks = 0
        const report = await chaos({
          start: () => workerAt(proxy.url, log, limit),
          workers: WORKER_COUNT,
          async isDone() {
            if (++looks % 5 === 0) proxy.cut()
            const { left, open: held } = await budget.state()
            return left.tokens! < 10 && held.calls === 0
          },
          blows: ['SIGKILL', 'SIGSTOP'],
          most: 6 * SCALE,
          every: 0.8,
          stopped: 2.5,
          timeout: 60 * SCALE + 120,
          random: next,
        })
        expect(report.kills + report.stops).toBeGreaterThan(1)
        expect(proxy.cuts).toBeGreaterThan(0)
        const paid = paidIn(log)
        expect(paid).toBeLessThanOrEqual(limit)
        const { used } = await budget.state()
        expect(used.tokens).toBeGreaterThanOrEqual(paid)
        expect(used.tokens).toBeLessThanOrEqual(limit)
      } finally {
        await proxy.close()
        await host.close()
        await server.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })

    it.each([
      ['is never exceeded', true],
      ['is exceeded by the calls in flight at most', false],
    ])(
      'hold while their server is killed: the budget %s, and nobody waits for ever',
      { timeout: 300_000 },
      async (_, strict) => {
        const server = await start()
        const folder = mkdtempSync(join(tmpdir(), `${name}-limits-`))
        const log = join(folder, 'log')
        const limit = 1200 * SCALE
        const host = createHost({ chats: [], at: open(server.url, { onError }) })
        const budget = host.budget('team', { tokens: limit, strict, lease: 1.5, onError })
        const children = Array.from({ length: WORKER_COUNT }, () => workerAt(server.url, log, limit, strict))
        try {
          // A worker ends when the budget is used up.
          const exits = Promise.all(children.map(async (child) => (await once(child, 'exit')) as [number | null]))
          for (const share of [0.3, 0.6]) {
            await expect.poll(() => paidIn(log), { timeout: 60_000 }).toBeGreaterThan(share * limit)
            await server.kill()
            await server.start()
          }
          expect((await exits).map(([status]) => status)).toEqual(Array.from(children, () => 0))
          const paid = paidIn(log)
          const excess = strict ? 0 : WORKER_COUNT * CALLS_PER_WORKER * 4
          expect(paid).toBeLessThanOrEqual(limit + excess)
          // The server has lost nothing: it has counted all tokens that were paid for.
          expect(await budget.state()).toMatchObject({ used: { tokens: paid }, open: { tokens: 0, calls: 0 } })
        } finally {
          for (const child of children) child.kill('SIGKILL')
          await host.close()
          await server.close()
          rmSync(folder, { recursive: true, force: true })
        }
      },
    )
  })
}
