/**
 * The web example under load, with faults: web servers and workers in processes of their own, a fake provider that fails and
 * bills, and people who talk, decide and come back.
 *
 *   pnpm load [--seconds 600] [--rate 2] [--servers 2] [--workers 3] [--requests 720] [--at redis://… | postgres://…] [--seed 1]
 *
 * Meanwhile workers and web servers are killed and ended, connections to the database are cut, and the provider is
 * overloaded. It ends with tables, and with exit code 1 if a chat or a letter was lost or doubled, if the budget does not
 * hold what the provider bills, if the limits of the provider were exceeded, or if a process keeps memory (from eight
 * minutes on).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ChatIds } from '../src/chat-ids.ts'
import { Processes, type RunningProcess } from '../src/processes.ts'
import { findRedis, startRedis } from '../src/redis-server.ts'
import { openChatHost, readSettings } from '../src/settings.ts'
import { cutConnections, usedBytes } from './database.ts'
import { MemoryWatch } from './memory.ts'
import { holdChat, type Address, type SeenChat } from './person.ts'
import { startProvider, type FaultyProvider } from './provider.ts'
import { CHAT_BUDGET, plan, PRICE, recipientOf, WISHES } from './script.ts'

/** How far the limit may be exceeded: a worker whose connection is cut counts its requests alone until it is back. */
const LIMIT_TOLERANCE = 1.05

/** Seconds for which chats may go on behind the load. */
const DRAIN_S = 120

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '2' },
    servers: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
    requests: { type: 'string' },
    seed: { type: 'string', default: '1' },
    at: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const rate = Number(values.rate)
const random = randomNumbers(Number(values.seed))
/** Requests in a minute that all workers together may send: about twice as many as the chats need. */
const requestLimit = values.requests === undefined ? Math.ceil(rate * 60 * 6) : Number(values.requests)

process.env['OPENAI_API_KEY'] = 'sk-load'
await using cleanup = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'web-chat-load-'))
cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
const address = values.at ?? cleanup.use(await startRedis(findRedis(), join(folder, 'redis'))).address
const provider = cleanup.use(await startProvider(random))
const settings = readSettings([
  ...['--folder', folder, '--base-url', provider.url, '--model', 'fake', '--price', PRICE.join(','), '--pages', '2000'],
  ...['--chat-budget', String(CHAT_BUDGET), '--day-budget', '10000', '--requests', String(requestLimit)],
  ...['--monitor', '0', '--lease', '10'],
])
const processes = cleanup.use(new Processes({ settings, address, log: () => {} }))
const start = async (count: string, each: () => Promise<RunningProcess>): Promise<RunningProcess[]> =>
  await Promise.all(Array.from({ length: Number(count) }, each))
const servers = await start(values.servers, () => processes.startServer(0))
const workers = await start(values.workers, () => processes.startWorker())
const memory = new MemoryWatch([
  ...servers.map((each, at) => [`web server ${at + 1}`, each] as const),
  ...workers.map((each, at) => [`worker ${at + 1}`, each] as const),
])
cleanup.use(memory)

const blows = { killed: 0, ended: 0, cut: 0, storms: 0 }
const bytesBefore = await usedBytes(address)
const chats = await load()
const bytesAfter = await usedBytes(address)
const host = openChatHost(settings, address)
cleanup.defer(() => host.host.close())
const used = (await host.day!.state()).used
report(chats)

/** Begins chats at the rate, strikes meanwhile, and returns all chats when they have ended or are late. */
async function load(): Promise<SeenChat[]> {
  const addresses = servers.map(({ url }): Address => ({
    origin: new URL(url).origin,
    token: new URL(url).hash.slice(1),
  }))
  const ids = new ChatIds(addresses[0]!.token)
  const late = AbortSignal.timeout((seconds + DRAIN_S) * 1000)
  const stop = AbortSignal.timeout(seconds * 1000)
  const striking = strike(stop, provider)
  const held: Promise<SeenChat>[] = []
  const begun = performance.now()
  while (!stop.aborted) {
    const wait = begun + (held.length * 1000) / rate - performance.now()
    if (wait > 0) await setTimeout(wait)
    held.push(holdChat(plan(held.length), ids.create('assistant'), addresses, late))
    if (held.length % Math.ceil(rate * 30) === 0) console.log(`${held.length} chats begun, ${JSON.stringify(blows)}`)
  }
  await striking
  return await Promise.all(held)
}

/** Kills, ends, cuts and overloads until the signal aborts; the first web server and the first worker are left alone. */
async function strike(stop: AbortSignal, overloaded: FaultyProvider): Promise<void> {
  const victims = [...workers.slice(1), ...workers.slice(1), ...servers.slice(1)]
  const every = async (from: number, to: number, act: () => Promise<void> | void): Promise<void> => {
    while (!stop.aborted) {
      await setTimeout((from + random() * (to - from)) * 1000, undefined, { signal: stop }).catch(() => {})
      if (!stop.aborted) await act()
    }
  }
  await Promise.all([
    every(10, 30, () => {
      const [signal, name] = random() < 0.5 ? (['SIGKILL', 'killed'] as const) : (['SIGTERM', 'ended'] as const)
      if (victims[Math.floor(random() * victims.length)]?.child.kill(signal)) blows[name]++
    }),
    every(20, 40, async () => {
      blows.cut += await cutConnections(address)
    }),
    every(30, 60, async () => {
      overloaded.storm = true
      blows.storms++
      await setTimeout(8000, undefined, { signal: stop }).catch(() => {})
      overloaded.storm = false
    }),
  ])
  overloaded.faults = false
}

/** Prints the tables, and sets the exit code. */
function report(seen: readonly SeenChat[]): void {
  const problems: string[] = []
  const expect = (good: boolean, problem: string): void => void (good || problems.push(problem))
  const { requests, faults, billed, unforeseen, mostInMinute } = provider.counts
  console.log(
    `\n${seen.length} chats in ${seconds} s on ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}`,
  )
  console.log(
    `${blows.killed} processes killed, ${blows.ended} ended, ${blows.cut} connections cut, ${blows.storms} storms of 503`,
  )
  console.log(
    `faults of the provider: ${JSON.stringify(faults)}; pages connected again: ${seen.reduce((sum, each) => sum + each.reconnects, 0)}`,
  )

  table(
    ['chats', 'begun', 'right', 'wrong', 'doubled', 'lost'],
    WISHES.map((wish) => {
      const of = seen.filter(({ chat }) => chat.wish === wish)
      const count = (end: SeenChat['end']): number => of.filter((each) => each.end === end).length
      return [wish, of.length, count('right'), count('wrong'), count('doubled'), count('lost')]
    }),
  )
  for (const { chat, lines, end } of seen.filter((each) => each.end !== 'right')) {
    problems.push(`chat ${chat.number} (${chat.wish}) is ${end}`)
    if (problems.length < 10) console.log(end, JSON.stringify(chat), JSON.stringify(lines).slice(0, 2000))
  }

  const [allowed, got] = [
    seen
      .filter(({ chat, end }) => chat.wish === 'letter' && chat.allows && end !== 'lost')
      .map(({ chat }) => recipientOf(chat)),
    lettersSent(),
  ]
  const lost = allowed.filter((to) => !got.includes(to)).length
  const doubled = got.length - new Set(got).size
  const unwanted = got.filter((to) => !allowed.includes(to)).length
  table(
    ['letters', 'allowed', 'sent', 'lost', 'doubled', 'unwanted'],
    [['', allowed.length, got.length, lost, doubled, unwanted]],
  )
  expect(lost + doubled + unwanted === 0, `letters: ${lost} lost, ${doubled} doubled, ${unwanted} that nobody allowed`)

  const firstTokens = seen.flatMap((each) => each.firstTokens)
  const turns = seen.flatMap((each) => each.turns)
  const row = (name: string, all: readonly number[]): (string | number)[] => [
    name,
    ...[0.5, 0.95, 0.99, 1].map((share) => (percentile(all, share) / 1000).toFixed(2)),
  ]
  table(['seconds', 'p50', 'p95', 'p99', 'most'], [row('first line', firstTokens), row('turn', turns)])

  const shown = seen.reduce((sum, { cost }) => sum + cost, 0)
  const dollars = (amount: number): string => `$${amount.toFixed(4)}`
  table(['cost', 'billed', 'budget', 'pages'], [['', dollars(billed), dollars(used.cost), dollars(shown)]])
  expect(
    used.cost >= (billed - unforeseen) * 0.99,
    `the provider bills ${dollars(billed)}, ${dollars(unforeseen)} of it unforeseen, and the budget has counted ${dollars(used.cost)}`,
  )
  expect(used.cost <= billed * 1.5, `the budget has counted ${dollars(used.cost)} of ${dollars(billed)}`)
  table(['requests', 'sent', 'most in a minute', 'limit'], [['', requests, mostInMinute, requestLimit]])
  expect(
    mostInMinute <= requestLimit * LIMIT_TOLERANCE,
    `${mostInMinute} requests in a minute, and the limit is ${requestLimit}`,
  )

  const perChat = (bytesAfter - bytesBefore) / seen.length
  console.log(`\ndatabase: ${(bytesAfter / 2 ** 20).toFixed(0)} MB, ${(perChat / 1024).toFixed(0)} kB for each chat`)
  table(['memory, MB', 'starts', 'first', 'most', 'last', 'heap, 2nd quarter', 'heap, last quarter'], memory.rows())
  problems.push(...memory.leaks())

  for (const problem of problems) console.log(`FAIL ${problem}`)
  console.log(problems.length === 0 ? 'ok' : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

/** Recipients of the letters that were sent. */
function lettersSent(): string[] {
  const letters = join(folder, 'letters')
  return readdirSync(letters)
    .filter((name) => name.endsWith('.json'))
    .map((name) => (JSON.parse(readFileSync(join(letters, name), 'utf8')) as { readonly to: string }).to)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => String(row[column]).length)))
  console.log('')
  for (const row of all) {
    console.log(
      row.map((cell, at) => (at ? String(cell).padStart(widths[at]!) : String(cell).padEnd(widths[at]!))).join('  '),
    )
  }
}

/** Returns the value that a share of the values does not exceed (nearest rank). NaN for no values. */
function percentile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

/** Makes a function that returns the same numbers in [0, 1) for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
