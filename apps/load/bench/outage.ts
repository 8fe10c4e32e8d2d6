/**
 * An hour of 503s over thousands of hosted chats, with workers that are killed meanwhile, on each store.
 *
 *   pnpm outage [--chats 2100] [--workers 3] [--outage 180] [--blows 12] [--at sqlite,redis,postgres] [--seed 1]
 *
 * The hour is scaled to `--outage` seconds, and with it every delay of the chats and of the client: 3600 are the hour itself.
 * Leases, time-outs and the machine are not, so the load is as many times that of the hour. It ends with exit code 1 if a
 * chat has not ended with its value, or has not paid exactly once.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runOutage, type OutageReport } from '../src/outage/run-outage.ts'
import { startStore, STORES, type StoreName } from '../src/outage/store-server.ts'

const { values } = parseArgs({
  options: {
    chats: { type: 'string', default: '2100' },
    workers: { type: 'string', default: '3' },
    outage: { type: 'string', default: '180' },
    blows: { type: 'string', default: '12' },
    at: { type: 'string', default: STORES.join(',') },
    seed: { type: 'string', default: '1' },
  },
})
const HOUR_S = 3600
const outage = Number(values.outage)
const scale = HOUR_S / outage

for (const name of values.at.split(',') as StoreName[]) {
  await using store = await startStore(name)
  if (!store) {
    console.log(`${name} is not installed: left out`)
    continue
  }
  const began = performance.now()
  const log = (line: string): void => console.log(`${((performance.now() - began) / 1000).toFixed(0)} s: ${line}`)
  console.log(`\n${name}, ${availableParallelism()} cores, an hour in ${outage} s`)
  print(
    await runOutage({
      ...{ store: store.url, commands: () => store.commands(), chats: Number(values.chats), outage, scale, log },
      // A file of SQLite has one worker.
      workers: name === 'sqlite' ? 1 : Number(values.workers),
      ...{ blows: Number(values.blows), seed: Number(values.seed) },
    }),
  )
}

function print({
  byStage,
  wrong,
  payments,
  requests,
  chaos,
  memoryMB,
  lastEnd,
  commandsPerRequest,
}: OutageReport): void {
  const rows: readonly (readonly [string, string])[] = [
    ...Object.entries(byStage).map(([stage, { chats, right }]) => [stage, `${right} of ${chats} right`] as const),
    ['payments', JSON.stringify(payments)],
    ['workers', JSON.stringify(chaos)],
    ['requests', `${requests.all}, of which ${requests.refused} refused`],
    ['requests of the hour, a second', (requests.whileDown / scale).toFixed(1)],
    ['most of them after it, a second', (requests.mostAfter / scale).toFixed(1)],
    ['commands for a request', commandsPerRequest?.toFixed(1) ?? 'not counted'],
    ['most memory of workers, MB', memoryMB.map((each) => each.toFixed(0)).join(', ')],
    ['last end after the hour, minutes', ((lastEnd * scale) / 60).toFixed(1)],
  ]
  for (const [what, figure] of rows) console.log(`${what.padEnd(34)} ${figure}`)
  for (const { end, id, count } of wrong) console.log(`FAIL ${count} chats, such as ${id}, end with ${end}`)
  const isWhole = wrong.length === 0 && payments.missing + payments.doubled === 0
  console.log(isWhole ? 'ok' : 'FAIL')
  if (!isWhole) process.exitCode = 1
}
