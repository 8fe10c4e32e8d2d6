import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chaos, type StorePoint } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { findFaults, logOf } from './event-laws.fake.ts'
import { createHost, sqlite, type Host } from './index.ts'
import { talkChat, talkMessages, talkValue } from './talk.fake.ts'

const PROGRAM = fileURLToPath(new URL('worker.fake.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'host-killed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

interface Place {
  readonly file: string
  readonly log: string
  readonly host: Host
}

/** A file of chats; this process reads it and decides. */
function place(): Place {
  const file = join(folder, `${files++}.db`)
  return { file, log: `${file}.log`, host: createHost({ chats: [clerkChat()], at: sqlite(file) }) }
}

const worker = ({ file, log }: Place, ...point: readonly string[]): ChildProcess =>
  spawn(process.execPath, ['--conditions=@x/source', PROGRAM, file, log, ...point], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })

const linesOf = ({ log }: Place): string[] =>
  existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []

async function decideAll(
  { host }: Place,
  decide: typeof host.decide = (...args) => host.decide(...args),
): Promise<void> {
  for await (const { chat, pending } of host.pending()) await decide(chat, pending.id, { allow: true })
}

const LARGE = { order: '17', euros: 25 }

describe.each<[StorePoint, repeated: boolean, times: number]>([
  ['after-claim', false, 1],
  ['before-append', true, 2],
  ['after-append', false, 2],
  ['before-finish', false, 1],
  ['after-finish', false, 1],
])('a worker that is killed %s', (point, repeated, times) => {
  it('has lost nothing, and no recorded answer is asked for again', { timeout: 120_000 }, async () => {
    const its = place()
    await its.host.submit(clerkChat(), LARGE, { id: 'a' })
    let kills = 0
    for (;;) {
      // The last worker is not killed.
      const child = worker(its, ...(kills < 4 ? [point, String(times)] : []))
      const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
      while (child.exitCode === null && child.signalCode === null && !(await its.host.get('a'))!.outcome) {
        await decideAll(its)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      if ((await its.host.get('a'))!.outcome && point !== 'after-finish') child.kill('SIGTERM')
      const [status, signal] = await exit
      expect(status).toBe(null)
      if (signal === 'SIGKILL') kills++
      if ((await its.host.get('a'))!.outcome) break
    }
    expect(kills).toBeGreaterThan(0)
    expect(await its.host.result('a')).toBe('done: 25 euros')
    const lines = linesOf(its)
    expect(new Set(lines)).toEqual(
      new Set([
        'asked a Order 17 came broken.',
        'asked a order 17',
        expect.stringMatching(/^paid a a\//u),
        'asked a 25 euros',
      ]),
    )
    expect(lines.length - 4).toBeLessThanOrEqual(repeated ? kills : 0)
    await its.host.close()
  })
})

const POINTS: readonly StorePoint[] = ['after-claim', 'before-append', 'after-append', 'before-finish', 'after-finish']

describe('a conversation whose worker is killed again and again', () => {
  it.each(POINTS)(
    '%s ends with the right state, and pays once for each message',
    { timeout: 120_000 },
    async (point) => {
      const its = place()
      const messages = talkMessages(6)
      await its.host.submit(talkChat(), {} as never, { id: 'a' })
      let [sent, starts] = [0, 0]
      const report = await chaos({
        // The moment moves, so that each step of a message is hit; one worker in four is not killed.
        start: () => worker(its, ...(++starts % 4 ? [point, String(1 + (starts % 5))] : [])),
        workers: 1,
        async isDone() {
          await decideAll(its)
          const { state, outcome } = (await its.host.get('a'))!
          if (state === 'suspended' && sent < messages.length)
            await its.host.send('a', messages[sent]!, { id: `${sent++}` })
          return outcome !== null
        },
        most: 0,
        every: 0.05,
        timeout: 100,
        random: () => 0.5,
      })
      expect(await its.host.result('a')).toEqual(talkValue(6))
      expect(report.starts).toBeGreaterThan(1)
      const lines = linesOf(its)
      expect(new Set(lines.filter((line) => line.startsWith('paid'))).size).toBe(6)
      expect(new Set(lines).size).toBe(3 * 6)
      expect(lines.length - 3 * 6).toBeLessThanOrEqual(point === 'before-append' ? starts : 0)
      expect(findFaults(await logOf(its.host, 'a'), 'killed')).toEqual([])
      await its.host.close()
    },
  )
})

describe('one file', () => {
  it('has one worker, and other processes that submit, read and decide', { timeout: 60_000 }, async () => {
    const its = place()
    const first = worker(its)
    for (let n = 0; n < 5; n++) await its.host.submit(clerkChat(), { order: String(n), euros: 5 }, { id: `chat-${n}` })
    await its.host.submit(clerkChat(), LARGE, { id: 'large' })
    for (let n = 0; n < 5; n++) expect(await its.host.result(`chat-${n}`)).toBe('done: 5 euros')
    await expect(its.host.work()).rejects.toThrow('another worker has them')
    const read = (async () => {
      let last = ''
      for await (const { event } of its.host.events('large')) last = event.type
      return last
    })()
    while (!(await its.host.get('large'))!.outcome) {
      await decideAll(its)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await read).toBe('chatEnd')
    first.kill('SIGTERM')
    expect(await once(first, 'exit')).toEqual([null, 'SIGTERM'])
    // The lock ended with the process.
    const stop = new AbortController()
    const work = its.host.work({ signal: stop.signal })
    stop.abort()
    await work
    await its.host.close()
  })
})

describe('a worker that is killed, stopped and ended at random', () => {
  it('ends every chat once with the right value, with early and double decisions', { timeout: 120_000 }, async () => {
    const its = place()
    const ids = Array.from({ length: 40 }, (_, n) => `chat-${n}`)
    for (const [n, id] of ids.entries()) {
      await its.host.submit(clerkChat(), { order: id, euros: n % 2 ? 25 : 5 }, { id })
    }
    const random = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 1000, seed: 22 }).values()
    let refused = 0
    const decideTwice: Host['decide'] = async (...args) => {
      await its.host.decide(...args)
      await its.host.decide(...args).catch(() => refused++)
    }
    const report = await chaos({
      start: () => worker(its),
      workers: 1,
      async isDone() {
        await decideAll(its, decideTwice)
        for await (const { outcome } of its.host.list()) if (!outcome) return false
        return true
      },
      most: 8,
      every: 0.8,
      stopped: 0.5,
      timeout: 90,
      random: () => random.next().value!,
    })
    expect(report.kills + report.stops + report.ends).toBeGreaterThan(0)
    for (const [n, id] of ids.entries()) expect(await its.host.result(id)).toBe(`done: ${n % 2 ? 25 : 5} euros`)
    expect(refused).toBe(ids.length / 2)
    // All payments of a chat have the same key; there is more than one only if a worker was killed or ended.
    const paid = linesOf(its).filter((line) => line.startsWith('paid'))
    expect(new Set(paid).size).toBe(ids.length)
    expect(paid.length - ids.length).toBeLessThanOrEqual((report.kills + report.ends) * 20)
    await its.host.close()
  })
})

describe('a chat whose program ends its process', () => {
  it('does not block other chats', { timeout: 120_000 }, async () => {
    const its = place()
    const ids = Array.from({ length: 5 }, (_, n) => `chat-${n}`)
    await its.host.submit(clerkChat(), { order: 'poison', euros: 5 }, { id: 'poison' })
    for (const id of ids) await its.host.submit(clerkChat(), { order: id, euros: 5 }, { id })
    const over = new AbortController()
    let exits = 0
    const working = (async () => {
      while (!over.signal.aborted) {
        const child = worker(its)
        const end = (): void => void child.kill('SIGTERM')
        over.signal.addEventListener('abort', end)
        await once(child, 'exit')
        over.signal.removeEventListener('abort', end)
        exits++
      }
    })()
    for (const id of ids) expect(await its.host.result(id)).toBe('done: 5 euros')
    over.abort()
    await working
    expect(exits).toBeGreaterThan(3)
    const poison = (await its.host.get('poison'))!
    expect(poison.outcome).toBe(null)
    expect(poison.setbacks).toBeGreaterThan(2)
    expect(await its.host.cancel('poison')).toBe(true)
    await its.host.close()
  })
})
