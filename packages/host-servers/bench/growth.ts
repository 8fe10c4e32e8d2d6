/**
 * Measures many suspended chats: memory or disk of each, the time to list and count them, an idle worker beside them, and
 * readers of their events. It starts a separate Redis and Postgres, if they are installed.
 *
 *   node --conditions=@x/source packages/host-servers/bench/growth.ts [chats [backends]]     default: 100000 sqlite,redis,postgres
 */
import { ChatJournal } from '@x/agent'
import { createHost, type Host } from '@x/host'
import type { HostBackend, JournalEntry, XEvent } from '@x/interfaces'
import { Redis } from 'ioredis'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres, findProgram, startPostgres, startRedis, type TestServer } from '../src/servers.fake.ts'
import { openBackend } from './backends.ts'
import { clerkChat } from './clerk.ts'
import { report } from './report.ts'

const chats = Number(process.argv[2] ?? 100_000)
const names = (process.argv[3] ?? 'sqlite,redis,postgres').split(',')
/** Time for which an idle worker, and readers, are measured. */
const IDLE_S = 10
/** Most readers, each of another chat. */
const MAX_READERS = 1000
/** Time after which Postgres has counted what its connections did before. */
const COUNTED_S = 12

const chat = clerkChat({ model: 0, tool: 0 })

/** Entries of a chat that waits for a decision on its third answer: 4 to 5 kB. */
const ENTRIES: JournalEntry[] = []
const journal = new ChatJournal({ onEntry: (entry) => void ENTRIES.push(entry) })
for (let n = 0; n < 5; n++) {
  const content = 'The lamp came broken on Friday, and the customer wants five euros back. '.repeat(12)
  const action = { kind: 'tool', name: 'refund', arguments: { euros: 25 } }
  const [kind, value] = n === 4 ? (['question', { agent: 'user', action }] as const) : (['model', { content }] as const)
  await journal.keep({ place: `1.${n}`, kind, value, checksum: '' })
}

/** Events before each entry. */
const EVENTS = Array.from({ length: 7 }, (_, n): XEvent => {
  const text = `Something happened in the chat, and this is the event number ${n} that tells of it, as usual.`
  const place = { runId: 'chat', seq: n, time: n, chatId: '1', agentPath: ['clerk'], parentId: '1.chat' }
  return { type: 'warning', ...place, agent: 'clerk', text, topic: 'growth' }
})

async function suspend({ store }: HostBackend, id: string): Promise<void> {
  await store.submit({ id, name: chat.name, version: chat.version, input: { order: id } })
  const claim = (await store.claim(id, 600))!
  for (const entry of ENTRIES) await store.append(claim, [entry], EVENTS)
  await store.suspend(claim, 0)
}

async function timed<T>(act: () => Promise<T>): Promise<[ms: number, value: T]> {
  const began = performance.now()
  const value = await act()
  return [performance.now() - began, value]
}

/** Bytes of the chats by what holds them, and the number of commands that the server has got. */
interface Probes {
  readonly bytes: () => Promise<Record<string, number>>
  readonly commands?: () => Promise<number>
}

async function measure(name: string, url: string, { bytes, commands }: Probes): Promise<void> {
  const at = openBackend(url)
  const host = createHost({ chats: [chat], at })
  const before = await bytes()
  const [took] = await timed(async () => {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < chats) await suspend(at, `chat-${next++}`)
    }
    await Promise.all(Array.from({ length: 200 }, lane))
  })
  console.log(
    `\n${name}: ${chats} suspended chats of ${ENTRIES.length} entries and ${ENTRIES.length * EVENTS.length} events`,
  )
  report('chats made', (chats / took) * 1000, '/s')
  for (const [what, after] of Object.entries(await bytes())) {
    report(`${what}, for each chat`, (after - (before[what] ?? 0)) / chats / 1024, 'kB')
  }
  const [page] = await timed(async () => await at.store.list({ state: 'suspended', limit: 100 }))
  report('a page of 100 chats', page, 'ms')
  const [deep] = await timed(async () => await at.store.list({ state: 'suspended', after: 'chat-9', limit: 100 }))
  report('a page of 100 chats, near the end', deep, 'ms')
  const [questions] = await timed(async () => await at.store.pending(null, 100))
  report('a page of 100 questions', questions, 'ms')
  const [all, count] = await timed(async () => {
    let seen = 0
    for await (const _ of host.pending()) seen++
    return seen
  })
  if (count !== chats) throw new Error(`${count} questions of ${chats} chats`)
  report('all questions', all, 'ms')
  const [metrics] = await timed(() => host.metrics())
  report('metrics', metrics, 'ms')
  const stop = new AbortController()
  const work = host.work({ concurrency: 100, signal: stop.signal })
  await pause(2000)
  report('processor time of an idle worker beside them', await idleShare(), '%')
  stop.abort()
  await work
  await measureReaders(host, commands)
  await host.close()
}

/** Measures readers of chats in which nothing happens. */
async function measureReaders(host: Host, commands: Probes['commands']): Promise<void> {
  const count = Math.min(chats, MAX_READERS)
  const stop = new AbortController()
  const readers = Array.from({ length: count }, async (_, n) => {
    for await (const _event of host.events(`chat-${n}`, { signal: stop.signal }));
  })
  const left = Promise.allSettled(readers)
  await pause(COUNTED_S * 1000)
  const before = await commands?.()
  report(`processor time of ${count} readers`, await idleShare(), '%')
  if (before !== undefined) report('commands of these readers', ((await commands!()) - before) / IDLE_S, '/s')
  stop.abort()
  await left
}

/** Returns how much of a processor this process takes while it is left alone. */
async function idleShare(): Promise<number> {
  const before = process.cpuUsage()
  await pause(IDLE_S * 1000)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / IDLE_S / 10_000
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`)
const folder = mkdtempSync(join(tmpdir(), 'growth-'))
const servers: TestServer[] = []
if (names.includes('sqlite')) {
  const file = join(folder, 'chats.db')
  const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  await measure('SQLite', file, { bytes: async () => ({ 'bytes of the file': size(file) }) })
}
const redisServer = findProgram('redis-server')
if (names.includes('redis') && redisServer) {
  const server = await startRedis(redisServer)
  servers.push(server)
  const client = new Redis(server.url)
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/u.exec(await client.info('stats'))![1])
  const bytes = async (): Promise<Record<string, number>> => {
    const used = Number(/used_memory:(\d+)/u.exec(await client.info('memory'))![1])
    const of = async (...keys: readonly string[]): Promise<number> => {
      let sum = 0
      for (const key of keys) sum += (await client.memory('USAGE', `{chats}:${key}:chat-7`)) ?? 0
      return sum * chats
    }
    return {
      'memory of the server': used,
      'memory of journals': await of('entries', 'identities'),
      'memory of events': await of('events'),
      'memory of records': await of('chat', 'asks'),
    }
  }
  await measure('Redis', server.url, { bytes, commands })
  client.disconnect()
}
const programs = findPostgres()
if (names.includes('postgres') && programs) {
  const server = await startPostgres(programs)
  servers.push(server)
  const client = new pg.Client(server.url)
  await client.connect()
  const commands = async (): Promise<number> => {
    const { rows } = await client.query('SELECT sum(xact_commit) AS count FROM pg_stat_database')
    return Number(rows[0].count)
  }
  const bytes = async (): Promise<Record<string, number>> => {
    const { rows } = await client.query<{ name: string; bytes: string }>(
      "SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace('chats')",
    )
    return Object.fromEntries(rows.map((row) => [`table ${row.name}, with indexes`, Number(row.bytes)]))
  }
  await measure('Postgres', server.url, { bytes, commands })
  await client.end()
}
for (const server of servers) await server.close()
rmSync(folder, { recursive: true, force: true })
