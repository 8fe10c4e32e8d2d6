/**
 * Measures many chats at once in one process, beside a hand-written loop on the bare SDK.
 *
 *   pnpm bench load [-- chats [rounds]]     default: 1000 chats, 3 rounds
 */
import { loadavg } from 'node:os'
import { atOnce, type Load } from '../src/at-once.ts'
import { weigh } from '../src/memory.ts'
import { percentile } from '../src/percentile.ts'
import { startLoadServer } from '../src/server.ts'
import { waysOn, type Ways } from '../src/ways.ts'

const chats = Number(process.argv[2] ?? 1000)
const rounds = Number(process.argv[3] ?? 3)
/** Average milliseconds of a model call; 0 when throughput is measured. Long enough for the calls of all chats. */
const MODEL_CALL_MS = Math.max(2000, chats / 2)

await using server = await startLoadServer()
const ways = waysOn(server.url)
const names = Object.keys(ways) as (keyof Ways)[]
const loads = (): Record<keyof Ways, Load[]> => ({ agents: [], agentsStreamed: [], loop: [], loopStreamed: [] })
const [full, burst, spread] = [loads(), loads(), loads()]

console.log(`${chats} chats at once, ${rounds} rounds; load of the machine: ${loadavg()[0]!.toFixed(1)}`)
await server.set({ think: 0, hold: 0 })
for (const name of names) await atOnce(ways[name], Math.min(chats, 300), { think: 0 })
for (let round = 0; round < rounds; round++) {
  // In turns, with another one first in each round, so that other load of the machine affects all of them.
  const inTurn = names.map((_, index) => names[(index + round) % names.length]!)
  await server.set({ think: 0, hold: 0 })
  for (const name of inTurn) full[name].push(await atOnce(ways[name], chats, { think: 0 }))
  await server.set({ think: MODEL_CALL_MS, hold: 0 })
  for (const name of inTurn) burst[name].push(await atOnce(ways[name], chats, { think: MODEL_CALL_MS }))
  for (const name of inTurn)
    spread[name].push(await atOnce(ways[name], chats, { think: MODEL_CALL_MS, spread: MODEL_CALL_MS }))
}

// The best of the rounds, because other load of the machine can only make them worse.
const least = (runs: readonly Load[], of: (run: Load) => number): number => Math.min(...runs.map(of))
const p99 = (runs: readonly Load[]): string => `${least(runs, ({ added }) => percentile(added, 0.99)).toFixed(1)} ms`
const row = (cells: readonly string[]): void =>
  console.log(cells.map((cell, index) => (index ? cell.padStart(16) : cell.padEnd(16))).join(''))

row(['', 'chats/s', 'cpu/chat', 'p99 in a burst', 'p99 spread', 'memory/chat', 'left/chat'])
const kB = (bytes: number): string => `${(bytes / 1024).toFixed(1)} kB`
for (const name of names) {
  const { open, left } = await weigh(ways[name], chats, server)
  row([
    name,
    (chats / least(full[name], ({ seconds }) => seconds)).toFixed(0),
    `${least(full[name], ({ cpu }) => cpu).toFixed(2)} ms`,
    p99(burst[name]),
    p99(spread[name]),
    kB(open),
    kB(left),
  ])
}
console.log('p99: 99th percentile of the milliseconds per chat beside those of the model')
