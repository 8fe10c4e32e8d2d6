/**
 * Measures limits over workers: the share of each of four processes, and the time of a permit and a reservation.
 *
 *   node --conditions=@x/source packages/host-servers/bench/limits.ts [seconds]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHost, sqlite, type Host } from '@x/host'
import type { RateLimits } from '@x/interfaces'
import { postgres, redis } from '../src/index.ts'
import { findPostgres, findProgram, startPostgres, startRedis, type TestServer } from '../src/servers.fake.ts'

const MEASUREMENT_S = Number(process.argv[2] ?? 10)
const WORKER_PROGRAM = fileURLToPath(new URL('../src/limits-worker.fake.ts', import.meta.url))

const RATE_LIMITS: readonly (readonly [string, RateLimits])[] = [
  ['50 requests a second', { requests: 50, per: 1 }],
  ['1,200 requests a minute', { requests: 1200 }],
  ['20 calls in flight', { inFlight: 20 }],
]

/** Lets four processes make calls as fast as they may; returns the calls of each, and the maximum in a period. */
async function share(server: TestServer, limits: RateLimits): Promise<{ counts: number[]; most: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'))
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const env = { ...process.env, LIMITS: JSON.stringify(limits) }
  const workers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--conditions=@x/source', WORKER_PROGRAM, server.url, log, '25', '300'], {
      stdio: 'ignore',
      env,
    }),
  )
  const sent = (): { at: number; pid: number }[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('sent'))
      .map((line) => ({ at: Number(line.split(' ')[0]), pid: Number(line.split(' ')[1]) }))
  // Starts when all processes have begun.
  while (new Set(sent().map(({ pid }) => pid)).size < 4) await later(50)
  const from = Math.max(...workers.map(({ pid }) => sent().find((each) => each.pid === pid)!.at))
  await later(MEASUREMENT_S * 1000)
  for (const worker of workers) worker.kill('SIGKILL')
  await Promise.all(workers.map(async (worker) => await once(worker, 'close')))
  const all = sent()
  rmSync(folder, { recursive: true, force: true })
  const counts = workers.map(
    ({ pid }) =>
      all.filter((each) => each.pid === pid && each.at >= from && each.at < from + MEASUREMENT_S * 1000).length,
  )
  const per = (limits.per ?? 60) * 1000
  const most = Math.max(...all.map(({ at }) => all.filter((each) => each.at >= at && each.at < at + per).length))
  return { counts, most }
}

/** Returns the milliseconds of wall clock and processor of a permit with its end, and of a reservation with its end. */
async function costs(host: Host): Promise<string> {
  const limiter = host.limiter({ m: { inFlight: 1000 } })
  const budget = host.budget('team', { cost: 1000 })
  const call = { cost: 0.001, tokens: 1, calls: 1 }
  const kinds: readonly (readonly [string, () => Promise<void>])[] = [
    ['permit', async () => (await limiter.acquire({ model: 'm', account: 'one', tokens: 1 })).end()],
    ['reservation', async () => (await budget.reserve(call)).settle(call)],
  ]
  const figures: string[] = []
  for (const [name, once] of kinds) {
    for (let n = 0; n < 200; n++) await once()
    const times: number[] = []
    const cpu = process.cpuUsage()
    for (let n = 0; n < 1000; n++) {
      const start = performance.now()
      await once()
      times.push(performance.now() - start)
    }
    const { user, system } = process.cpuUsage(cpu)
    times.sort((a, b) => a - b)
    figures.push(
      `${name} p50 ${times[500]!.toFixed(2)} p99 ${times[990]!.toFixed(2)} processor ${((user + system) / 1e6).toFixed(2)} ms`,
    )
  }
  return figures.join(', ')
}

const folder = mkdtempSync(join(tmpdir(), 'limits-'))
const file = createHost({ chats: [], at: sqlite(join(folder, 'chats.db')) })
console.log(`sqlite: ${await costs(file)}`)
await file.close()
rmSync(folder, { recursive: true, force: true })

const redisProgram = findProgram('redis-server')
const postgresPrograms = findPostgres()
const servers = [
  redisProgram && ({ start: () => startRedis(redisProgram), open: redis, name: 'redis' } as const),
  postgresPrograms && ({ start: () => startPostgres(postgresPrograms), open: postgres, name: 'postgres' } as const),
]
for (const each of servers) {
  if (!each) continue
  const { name, start, open } = each
  const server = await start()
  const host = createHost({ chats: [], at: open(server.url) })
  console.log(`${name}: ${await costs(host)}`)
  await host.close()
  for (const [label, limits] of RATE_LIMITS) {
    const { counts, most } = await share(server, limits)
    const least = Math.min(...counts) / (counts.reduce((sum, count) => sum + count, 0) / counts.length)
    console.log(
      `${name}, ${label}, four workers in ${MEASUREMENT_S} s: [${counts.join(', ')}], the least ${least.toFixed(2)} of its share, most in a period ${most}`,
    )
  }
  await server.close()
}
