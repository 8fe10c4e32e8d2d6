/**
 * Measures a forest whose jobs run on workers, beside the same forest in one process: wall time, median of alternating rounds,
 * and the processor time of the server for a call, on Linux. The trees are compared byte by byte.
 *
 * The overhead of a wave of calls does not depend on the time of the calls. Models take longer than both defaults.
 *
 *   pnpm bench hosted-search [-- milliseconds of a call [sqlite,redis,postgres]]     default: 100,300 on all
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, sqlite, type Host } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import { randomParts, searchChats, searchTrees, type SearchInput } from '../src/thinking.ts'

const CALL_TIMES_MS = (process.argv[2] ?? '100,300').split(',').map(Number)
const BACKENDS = (process.argv[3] ?? 'sqlite,redis,postgres').split(',')
const WORKER_COUNT = 4
const ROUND_COUNT = 11
/** Number of rounds that are not counted, until programs and connections are warm. */
const WARM_UP_ROUNDS = 3
const WORKER_PROGRAM = fileURLToPath(new URL('../src/worker-process.ts', import.meta.url))
const SERVER_PROGRAM = fileURLToPath(
  new URL('../../../packages/host-servers/src/server-process.fake.ts', import.meta.url),
)
const NODE_ARGS = ['--conditions=@x/source']

const inputOf = (round: number): SearchInput => ({ method: 'forest', seed: 100 + round })
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** Returns the milliseconds of processor time of a process and the processes that it has started, each with all of its threads. */
function processorTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  const times = threads.map((thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
  const children = threads.flatMap((thread) => readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean))
  return sum([...times, ...children.map((child) => processorTime(Number(child)))])
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Runs alternating rounds, in process and hosted, and prints a row. `server`: the process that has started the server. */
async function measure(name: string, host: Host, ms: number, server?: number): Promise<void> {
  const [solve] = searchChats((seed) => randomParts({ seed, ms }))
  const rows: { alone: number; hosted: number; calls: number; server: number }[] = []
  for (let round = -WARM_UP_ROUNDS; round < ROUND_COUNT; round++) {
    const input = inputOf(round)
    let calls = 0
    const begin = performance.now()
    const parts = randomParts({ seed: input.seed, ms, onCall: () => calls++ })
    const expected = await searchTrees(input, { parts })
    const middle = performance.now()
    const before = server === undefined ? 0 : processorTime(server)
    const { id } = await host.submit(solve, { ...input })
    const trees = await host.result(id)
    const end = performance.now()
    if (trees !== expected) throw new Error(`${name}: the trees of round ${round} differ`)
    if (round >= 0) {
      const used = server === undefined ? 0 : processorTime(server) - before
      rows.push({ alone: middle - begin, hosted: end - middle, calls, server: used })
    }
  }
  const [alone, hosted] = [median(rows.map((row) => row.alone)), median(rows.map((row) => row.hosted))]
  const factor = median(rows.map((row) => row.hosted / row.alone))
  const perCall = sum(rows.map((row) => row.server)) / sum(rows.map(({ calls }) => calls))
  const cells = [median(rows.map(({ calls }) => calls)), Math.round(alone), Math.round(hosted), factor.toFixed(2)]
  if (server !== undefined) cells.push(perCall.toFixed(2))
  console.log(name.padEnd(24), ...cells.map((cell) => String(cell).padStart(11)))
}

/** Measures in one process with a file. */
async function embedded(ms: number): Promise<void> {
  const chats = searchChats((seed) => randomParts({ seed, ms }), 64)
  const host = createHost({ chats, at: sqlite(join(folder, `${ms}.db`)) })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await measure('SQLite, in process', host, ms)
  stop.abort()
  await work
  await host.close()
}

/** Measures with several workers and a separate server. */
async function overWorkers(kind: 'redis' | 'postgres', ms: number): Promise<void> {
  const server = spawn(process.execPath, [...NODE_ARGS, SERVER_PROGRAM, kind], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  if (url === 'missing') {
    console.log(`${kind}: not installed`)
    return
  }
  const workers = Array.from({ length: WORKER_COUNT }, () =>
    spawn(process.execPath, [...NODE_ARGS, WORKER_PROGRAM, url, String(ms)], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  await Promise.all(workers.map(({ stdout }) => once(stdout, 'data')))
  const chats = searchChats((seed) => randomParts({ seed, ms }))
  const host = createHost({ chats, at: kind === 'redis' ? redis(url) : postgres(url) })
  await measure(`${kind}, ${WORKER_COUNT} workers`, host, ms, server.pid)
  await Promise.all(
    workers.map(async (worker) => {
      worker.kill('SIGKILL')
      await once(worker, 'close')
    }),
  )
  await host.close()
  server.stdin.end()
  await once(server, 'close')
}

const folder = mkdtempSync(join(tmpdir(), 'forest-'))
for (const ms of CALL_TIMES_MS) {
  console.log(`a forest of 5 trees, calls of ${ms} ms`.padEnd(24))
  console.log(
    ' '.repeat(24),
    ...['calls', 'alone, ms', 'hosted, ms', 'factor', 'server, ms'].map((cell) => cell.padStart(11)),
  )
  if (BACKENDS.includes('sqlite')) await embedded(ms)
  for (const kind of ['redis', 'postgres'] as const) if (BACKENDS.includes(kind)) await overWorkers(kind, ms)
}
rmSync(folder, { recursive: true, force: true })
