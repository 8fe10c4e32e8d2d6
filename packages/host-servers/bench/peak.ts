/**
 * Measures the peak of a million chats a day: two workers run chats of half a minute at an even rate, and their usage and that
 * of the server are measured when as many chats end as begin. It starts a separate Redis or Postgres. On Linux.
 *
 *   node --conditions=@x/source packages/host-servers/bench/peak.ts [chats a second [backend]]     default: 120 redis
 */
import { createHost } from '@x/host'
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostgres, findProgram, startPostgres, startRedis } from '../src/servers.fake.ts'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'
import { report } from './report.ts'

const rate = Number(process.argv[2] ?? 120)
const name = process.argv[3] ?? 'redis'

/** Times of a model and a tool: three answers and two tools take half a minute. */
const SLOW_PACE = { model: 8000, tool: 3000 }
const WORKER_COUNT = 2
/** Time until as many chats end as begin. */
const WARM_UP_S = 36
/** Time of the measurement. */
const MEASUREMENT_S = 30
const SUBMISSIONS_PER_SECOND = 20
/** Unit of the processor times of a process on Linux. */
const CLOCK_TICKS_PER_SECOND = 100

const program = name === 'redis' ? findProgram('redis-server') : findPostgres()
if (!program) throw new Error(`${name} is not installed`)
const server = await (name === 'redis' ? startRedis : startPostgres)(program)
const port = new URL(server.url).port

/** Returns the processor time of a process, in seconds. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

/** Returns the resident memory of a process, in bytes. */
const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

/** Returns the bytes that the workers use after garbage collection. */
async function usedBytes(): Promise<number> {
  const answers = workers.map(async (worker) => {
    const answer = once(worker, 'message') as Promise<[number]>
    worker.send('memory')
    return (await answer)[0]
  })
  return sum(await Promise.all(answers))
}

/** Returns the processes of the server, including those of its connections. */
function serverProcesses(): number[] {
  const pgrep = (args: readonly string[]): number[] =>
    execFileSync('pgrep', args, { encoding: 'utf8' }).split('\n').filter(Boolean).map(Number)
  const mains = pgrep(['-f', name === 'redis' ? `redis-server.*:${port}` : `postgres .*port=${port}`])
  return name === 'redis' ? mains : mains.flatMap((pid) => [pid, ...pgrep(['-P', String(pid)])])
}

/** Updates the statistics of Postgres, as Postgres does by itself within a minute. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('ANALYZE')
  await client.end()
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const workers: ChildProcess[] = Array.from({ length: WORKER_COUNT }, () =>
  fork(
    fileURLToPath(new URL('worker.ts', import.meta.url)),
    [server.url, SLOW_PACE.model, SLOW_PACE.tool, rate * 60].map(String),
    { execArgv: ['--conditions=@x/source', '--expose-gc'] },
  ),
)
await Promise.all(workers.map((worker) => once(worker, 'message')))
const pids = workers.map(({ pid }) => pid!)
const host = createHost({ chats: [clerkChat(SLOW_PACE)], at: openBackend(server.url) })
try {
  await host.submit(clerkChat(SLOW_PACE), { order: 'first' })
  await pause(3000)
  const empty = await usedBytes()
  let submitted = 0
  const began = performance.now()
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * rate)
    for (; submitted < due; submitted++) void host.submit(clerkChat(SLOW_PACE), { order: String(submitted) })
  }, 1000 / SUBMISSIONS_PER_SECOND)
  await pause(WARM_UP_S * 1000)
  if (name === 'postgres') await analyze(server.url)
  const counted = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const { state, count } of await host.counts()) counts[state] = (counts[state] ?? 0) + count
    return counts
  }
  const before = await counted()
  const [from, own, others] = [performance.now(), pids.map(processorTime), serverProcesses()]
  const server0 = sum(others.map(processorTime))
  await pause(MEASUREMENT_S * 1000)
  const seconds = (performance.now() - from) / 1000
  const used = (sum(pids.map(processorTime)) - sum(own)) / seconds
  const server1 = (sum(serverProcesses().map(processorTime)) - server0) / seconds
  const after = await counted()
  clearInterval(timer)
  console.log(
    `${name}: ${rate} chats a second of ${(3 * SLOW_PACE.model + 2 * SLOW_PACE.tool) / 1000} s, ${WORKER_COUNT} workers`,
  )
  report('chats that end', ((after['done'] ?? 0) - (before['done'] ?? 0)) / seconds, '/s', { least: rate * 0.95 })
  report('chats in flight', after['running'] ?? 0, '')
  report('chats that wait for a worker', after['waiting'] ?? 0, '', { most: rate })
  report('processor time of both workers', used, 'cores')
  report('processor time of the server', server1, 'cores')
  report('memory that both workers hold', sum(pids.map(residentBytes)) / 1e6, 'MB')
  report('memory that a chat in flight needs', ((await usedBytes()) - empty) / (after['running'] ?? 1) / 1000, 'kB')
} finally {
  for (const worker of workers) worker.kill('SIGKILL')
  await Promise.all(workers.map(async (worker) => await once(worker, 'exit')))
  await host.close().catch(() => {})
  await server.close()
}
