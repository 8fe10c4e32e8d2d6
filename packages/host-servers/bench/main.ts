/**
 * Measures hosted chats beside the same chats in process, in one run. It starts a separate Redis and Postgres, if they are
 * installed.
 *
 *   pnpm bench host-servers [-- rounds [chats [cpu,append,events,talk,scaling]]]     default: 5 rounds of 500 chats, all parts
 */
import type { HostBackend } from '@x/interfaces'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, findProgram, startPostgres, startRedis, type TestServer } from '../src/servers.fake.ts'
import { openBackend } from './backends.ts'
import { messageTimes } from './conversation.ts'
import { appendTimes, hosted, inProcess, withoutEvents, type Took } from './measure.ts'
import { report } from './report.ts'
import { rateOf } from './scaling.ts'

const rounds = Number(process.argv[2] ?? 5)
const chats = Number(process.argv[3] ?? 500)
const parts = (process.argv[4] ?? 'cpu,append,events,talk,scaling').split(',')

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const servers: TestServer[] = []
const urls = new Map([['sqlite', join(folder, 'chats.db')]])
const redisServer = findProgram('redis-server')
const postgresPrograms = findPostgres()
if (redisServer) servers.push(await startRedis(redisServer))
if (postgresPrograms) servers.push(await startPostgres(postgresPrograms))
for (const { url } of servers) urls.set(url.split(':')[0]!, url)
for (const name of ['redis', 'postgres']) if (!urls.has(name)) console.log(`${name} is not installed: left out`)

/** Number of messages of a long conversation. */
const LONG_TALK = 2000

/** Limits of the figures of each backend; without one, a figure is only printed. */
const FIGURE_LIMITS: Readonly<Record<string, { cpu?: number; append: number; scaling?: number }>> = {
  sqlite: { append: 0.1 },
  redis: { cpu: 1.2, append: 0.3, scaling: 0.9 },
  postgres: { cpu: 2.5, append: 1, scaling: 0.8 },
}

console.log(`${rounds} rounds of ${chats} chats; load of the machine: ${loadavg()[0]!.toFixed(1)}\n`)
const least = (all: readonly Took[]): number => Math.min(...all.map(({ cpu }) => cpu))
const most = (all: readonly Took[]): number => Math.max(...all.map(({ chatsPerSecond }) => chatsPerSecond))
const backends = new Map([...urls].map(([name, url]): [string, HostBackend] => [name, openBackend(url)]))
const limit = (value: number | undefined) => (value === undefined ? undefined : { most: value })

if (parts.includes('cpu')) {
  const plain: Took[] = []
  const took = new Map<string, Took[]>([...backends.keys()].map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    const own = await inProcess(chats)
    if (round >= 0) plain.push(own)
    for (const [name, at] of backends) {
      const each = await hosted(at, chats)
      if (round >= 0) took.get(name)!.push(each)
    }
  }
  report('processor time of a chat in process', least(plain), 'ms')
  for (const [name, all] of took) {
    report(`more on ${name}`, least(all) - least(plain), 'ms', limit(FIGURE_LIMITS[name]!.cpu))
    report(`chats on ${name}`, most(all), '/s')
  }
}
if (parts.includes('append')) {
  for (const [name, at] of backends) {
    await appendTimes(at, 200)
    const { p50, p99 } = await appendTimes(at, 2000)
    report(`an entry on ${name}, half of them`, p50, 'ms', { most: FIGURE_LIMITS[name]!.append })
    report(`an entry on ${name}, 99 of 100`, p99, 'ms')
  }
}
if (parts.includes('talk')) {
  for (const [name, at] of backends) {
    const { second, last } = await messageTimes(at, LONG_TALK)
    report(`message 2 of a conversation on ${name}`, second, 'ms')
    report(`message ${LONG_TALK} of a conversation on ${name}`, last, 'ms')
    report(`message ${LONG_TALK} against message 2 on ${name}`, last / second, '', { most: 2 })
  }
}
if (parts.includes('events')) {
  for (const [name, at] of backends) {
    const ratios: Record<'unread' | 'followed', number[]> = { unread: [], followed: [] }
    for (let round = -1; round < rounds; round++) {
      const none = await hosted(withoutEvents(at), chats)
      const unread = await hosted(at, chats)
      const followed = await hosted(at, chats, true)
      if (round < 0) continue
      ratios.unread.push(1 - unread.chatsPerSecond / none.chatsPerSecond)
      ratios.followed.push(1 - followed.chatsPerSecond / none.chatsPerSecond)
    }
    const middle = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1]! * 100
    report(`chats a second that events cost on ${name}`, middle(ratios.unread), '%', { most: 15 })
    report(`the same, each chat followed by a reader`, middle(ratios.followed), '%')
  }
}
if (parts.includes('scaling')) {
  for (const [name, url] of urls) {
    if (name === 'sqlite') continue
    const one = await rateOf(url, 1, 8)
    const four = await rateOf(url, 4, 8)
    report(`chats of slow models on ${name}, one worker`, one, '/s')
    report(`four workers, as a part of four times that`, four / one / 4, '', { least: FIGURE_LIMITS[name]!.scaling! })
  }
}

for (const at of backends.values()) await at.close()
for (const server of servers) await server.close()
rmSync(folder, { recursive: true, force: true })
