/**
 * Measures a forest whose jobs are performed by workers, beside the same forest in one process: wall time, median of some
 * rounds that alternate. The trees are compared byte by byte.
 *
 *   pnpm bench hosted-search [-- milliseconds of a call [sqlite,redis,postgres]]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, sqlite, type Host } from '@x/host'
import { postgres, redis } from '@x/host-bullmq'
import { randomParts, searchChats, searchTrees, type SearchInput } from '../src/thinking.ts'

const MS = Number(process.argv[2] ?? 100)
const PLACES = (process.argv[3] ?? 'sqlite,redis,postgres').split(',')
const WORKERS = 4
const ROUNDS = 7
const WORKER = fileURLToPath(new URL('../src/worker-process.ts', import.meta.url))
const SERVER = fileURLToPath(new URL('../../../packages/host-bullmq/src/server-process.fake.ts', import.meta.url))
const NODE = ['--conditions=@x/source']

const inputOf = (round: number): SearchInput => ({ method: 'forest', seed: 100 + round })
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** Runs rounds in process and hosted, one after the other; gives a row. */
async function measure(name: string, host: Host): Promise<void> {
  const [solve] = searchChats((seed) => randomParts({ seed, ms: MS }))
  const rows: { alone: number; hosted: number; calls: number }[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const input = inputOf(round)
    let calls = 0
    const begin = performance.now()
    const parts = randomParts({ seed: input.seed, ms: MS, asked: () => calls++ })
    const expected = await searchTrees(input, { parts })
    const middle = performance.now()
    const { id } = await host.submit(solve, { ...input })
    const found = await host.result(id)
    const end = performance.now()
    if (found !== expected) throw new Error(`${name}: the trees of round ${round} differ`)
    // The first round warms up.
    if (round >= 0) rows.push({ alone: middle - begin, hosted: end - middle, calls })
  }
  const [alone, hosted] = [median(rows.map((row) => row.alone)), median(rows.map((row) => row.hosted))]
  const factor = median(rows.map((row) => row.hosted / row.alone))
  const cells = [median(rows.map(({ calls }) => calls)), Math.round(alone), Math.round(hosted), factor.toFixed(2)]
  console.log(name.padEnd(24), ...cells.map((cell) => String(cell).padStart(11)))
}

console.log(`a forest of 5 trees, calls of ${MS} ms`.padEnd(24))
console.log(' '.repeat(24), ...['calls', 'alone, ms', 'hosted, ms', 'factor'].map((cell) => cell.padStart(11)))
const folder = mkdtempSync(join(tmpdir(), 'forest-'))
if (PLACES.includes('sqlite')) {
  const chats = searchChats((seed) => randomParts({ seed, ms: MS }), 64)
  const host = createHost({ chats, at: sqlite(join(folder, 'chats.db')) })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await measure('SQLite, in process', host)
  stop.abort()
  await work
  await host.close()
}
for (const kind of ['redis', 'postgres'] as const) {
  if (!PLACES.includes(kind)) continue
  const server = spawn(process.execPath, [...NODE, SERVER, kind], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  if (url === 'missing') {
    console.log(`${kind}: not installed`)
    continue
  }
  const workers = Array.from({ length: WORKERS }, () =>
    spawn(process.execPath, [...NODE, WORKER, url, String(MS)], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  await Promise.all(workers.map(({ stdout }) => once(stdout, 'data')))
  const chats = searchChats((seed) => randomParts({ seed, ms: MS }))
  const host = createHost({ chats, at: kind === 'redis' ? redis(url) : postgres(url) })
  await measure(`${kind}, ${WORKERS} workers`, host)
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
rmSync(folder, { recursive: true, force: true })
