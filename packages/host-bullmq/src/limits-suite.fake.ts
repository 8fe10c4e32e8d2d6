import { spawn, type ChildProcess } from 'node:child_process'
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
const onError = (): void => {}

/** Tests that a strict budget is not exceeded whatever happens to workers and connections, and that nothing of it gets stuck. */
export function limitsSuite(
  name: string,
  start: () => Promise<TestServer>,
  open: (url: string, options: { readonly onError: () => void }) => HostBackend,
): void {
  describe(`limits and budgets on ${name}`, () => {
    it('hold while workers are killed and stopped and connections are cut', { timeout: 300_000 }, async () => {
      const random = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 20_000, seed: SEED }).values()
      const next = (): number => random.next().value!
      const server = await start()
      const proxy = await startProxy(server.url, 3, next)
      const folder = mkdtempSync(join(tmpdir(), `${name}-limits-`))
      const log = join(folder, 'log')
      const limit = 3000 * SCALE
      const host = createHost({ chats: [], at: open(server.url, { onError }) })
      const options = { tokens: limit, strict: true, lease: 1.5, whenFull: 'refuse', onError } as const
      const budget = host.budget('team', options)
      const env = {
        ...process.env,
        TOKENS: String(limit),
        LIMITS: JSON.stringify({ inFlight: 10, requests: 60, per: 1 }),
      }
      try {
        let looks = 0
        const report = await chaos({
          start: (): ChildProcess =>
            spawn(process.execPath, ['--conditions=@x/source', PROGRAM, proxy.url, log, '8', '60'], {
              stdio: ['ignore', 'ignore', 'inherit'],
              env,
            }),
          workers: 3,
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
        const amounts = (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(Boolean)
        const paid = amounts.reduce((sum, line) => sum + Number(line.split(' ')[3]), 0)
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
  })
}
