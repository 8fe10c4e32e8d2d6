import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, type Host } from '@x/host'
import type { HostBackend, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { foldEvents } from '@x/kernel/events'
import { chaos, type StorePoint } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { clerkChat, payingTalk } from './clerk.fake.ts'
import { startProxy } from './proxy.fake.ts'
import type { TestServer } from './servers.fake.ts'

/** Multiplies the number of chats and blows; `pnpm chaos` sets it. */
const SCALE = Number(process.env['CHAOS'] ?? 1)
const SEED = Number(process.env['SEED'] ?? 22)
const PROGRAM = fileURLToPath(new URL('worker.fake.ts', import.meta.url))
const onError = (): void => {}

/** Tests that chats survive the death of workers and of their server. */
export async function chaosSuite(
  name: string,
  start: () => Promise<TestServer>,
  open: (url: string, options: { readonly onError: () => void }) => HostBackend,
): Promise<void> {
  const server = await start()
  const folder = mkdtempSync(join(tmpdir(), `${name}-chaos-`))
  const host = createHost({ chats: [clerkChat()], at: open(server.url, { onError }) })
  afterAll(async () => {
    await host.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const workerAt = (url: string, log: string, ...point: readonly string[]): ChildProcess =>
    spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', PROGRAM, url, join(folder, log), ...point], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const worker = (log: string, ...point: readonly string[]): ChildProcess => workerAt(server.url, log, ...point)
  const linesOf = (log: string): string[] => {
    const file = join(folder, log)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  }

  /** Submits chats, half of which wait for a decision; `isDone` tells whether all have ended. */
  async function submitChats(
    prefix: string,
    count: number,
  ): Promise<{ ids: string[]; isDone: () => Promise<boolean> }> {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`)
    await Promise.all(ids.map((id, n) => host.submit(clerkChat(), { euros: n % 2 ? 25 : 5 }, { id })))
    // Twice, as if by a second web server.
    await Promise.all(ids.map((id, n) => host.submit(clerkChat(), { euros: n % 2 ? 25 : 5 }, { id })))
    const isDone = async (): Promise<boolean> => {
      try {
        await decideTwice(host)
        for await (const { outcome, id } of host.list()) if (!outcome && id.startsWith(prefix)) return false
        return true
      } catch (error) {
        // The server was killed and does not answer.
        if (isXError(error)) throw error
        return false
      }
    }
    return { ids, isDone }
  }

  async function checkEnds(ids: readonly string[], log: string, maxRepeated: number): Promise<void> {
    for (const [n, id] of ids.entries()) expect(await host.result(id)).toBe(`done: ${n % 2 ? 25 : 5} euros`)
    for (const [n, id] of ids.entries()) expect((await host.decisions(id)).length).toBe(n % 2)
    const paid = linesOf(log).filter((line) => line.startsWith('paid'))
    // Each chat has one payment key, however often the payment was made.
    expect(new Set(paid).size).toBe(ids.length)
    expect(paid.length - ids.length).toBeLessThanOrEqual(maxRepeated)
    for (const id of ids) await checkLog(id)
  }

  /** Checks that cursors are unique, that spans pair over all workers, and that the events tell the end of the chat. */
  async function checkLog(id: string): Promise<void> {
    const logged = []
    for await (const each of host.events(id)) logged.push(each)
    expect(new Set(logged.map(({ cursor }) => cursor)).size).toBe(logged.length)
    const events = logged.map(({ event }) => event)
    expect(findFaults(events)).toEqual([])
    expect(events.at(-1)!.type).toBe('chatEnd')
    expect(foldEvents(events).chats.map(({ summary }) => summary)).toEqual([await host.result(id)])
  }

  let attempts = 0
  describe(name, () => {
    it(
      'ends every chat once with the right value while workers are killed, stopped and ended',
      { timeout: 300_000 },
      async () => {
        const { ids, isDone } = await submitChats('blows', 80 * SCALE)
        const random = fc
          .sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 20_000, seed: SEED })
          .values()
        const report = await chaos({
          start: () => worker('blows'),
          workers: 3,
          isDone,
          most: 6 * SCALE,
          every: 0.8,
          stopped: 3,
          timeout: 60 * SCALE + 120,
          random: () => random.next().value!,
        })
        const blows = report.kills + report.stops + report.ends
        expect(blows).toBeGreaterThan(2)
        await checkEnds(ids, 'blows', blows * 5)
      },
    )

    it(
      'conversations come to the right state while workers are killed, stopped and ended',
      { timeout: 300_000 },
      async () => {
        const prefix = `talks${++attempts}`
        const ids = Array.from({ length: 10 * SCALE }, (_, n) => `${prefix}-${n}`)
        const sums = Array.from({ length: 6 }, (_, n) => n + 1)
        const messages = [...sums.map(String), 'end']
        await Promise.all(ids.map((id) => host.submit(payingTalk(), {} as never, { id })))
        const sent = new Map(ids.map((id) => [id, 0]))
        const random = fc
          .sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 20_000, seed: SEED })
          .values()
        const report = await chaos({
          start: () => worker(prefix),
          workers: 3,
          async isDone() {
            const chats = await Promise.all(ids.map((id) => host.get(id)))
            for (const [n, id] of ids.entries()) {
              const next = sent.get(id)!
              if (chats[n]!.state !== 'suspended' || next === messages.length) continue
              // Twice, as a caller that has lost the answer.
              for (let time = 0; time < 2; time++) await host.send(id, messages[next]!, { id: `${next}` })
              sent.set(id, next + 1)
            }
            return chats.every((chat) => chat!.outcome !== null)
          },
          most: 6 * SCALE,
          every: 0.5,
          stopped: 3,
          timeout: 60 * SCALE + 120,
          random: () => random.next().value!,
        })
        const blows = report.kills + report.stops + report.ends
        expect(blows).toBeGreaterThan(2)
        // The clerk is sent its instructions, at most 8 messages from before, the question and two of the payment.
        for (const id of ids) expect(await host.result(id)).toEqual({ paid: 21, said: '12 read', cost: 6 })
        const paid = linesOf(prefix)
        expect(new Set(paid).size).toBe(ids.length * sums.length)
        expect(paid.length - ids.length * sums.length).toBeLessThanOrEqual(blows * 5)
      },
    )

    it('ends every chat once with the right value while the server is killed', { timeout: 300_000 }, async () => {
      const { ids, isDone } = await submitChats('server', 30 * SCALE)
      let kills = 0
      const report = await chaos({
        start: () => worker('server'),
        workers: 2,
        async isDone() {
          if (kills === 0 && linesOf('server').length > ids.length) {
            kills++
            await server.kill()
            await server.start()
          }
          return kills > 0 && (await isDone())
        },
        most: 0,
        every: 0.3,
        timeout: 200,
        random: () => 0.5,
      })
      expect(report.starts).toBe(2)
      await checkEnds(ids, 'server', ids.length)
    })

    it(
      'ends every chat once with the right value when connections are slow and cut',
      { timeout: 300_000 },
      async () => {
        const random = fc
          .sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 20_000, seed: SEED })
          .values()
        const next = (): number => random.next().value ?? 0.5
        // Chats of an attempt that failed have ended: each attempt has its own.
        const prefix = `proxy${++attempts}`
        const proxy = await startProxy(server.url)
        proxy.delay(() => next() * 10)
        const { ids, isDone } = await submitChats(prefix, 30 * SCALE)
        let rounds = 0
        const report = await chaos({
          start: () => workerAt(proxy.url, prefix),
          workers: 2,
          async isDone() {
            if (++rounds % 4 === 0 && proxy.cuts < 60 * SCALE) proxy.cut()
            return await isDone()
          },
          most: 0,
          every: 0.6,
          timeout: 60 * SCALE + 120,
          random: next,
        })
        expect(report.starts).toBe(2)
        expect(proxy.cuts).toBeGreaterThan(0)
        await proxy.close()
        await checkEnds(ids, prefix, ids.length * 3)
      },
    )

    it.each<[StorePoint, number]>([
      ['after-claim', 1],
      ['before-append', 2],
      ['after-append', 2],
      ['before-finish', 1],
      ['after-finish', 1],
    ])('loses nothing when a worker is killed %s', { timeout: 120_000 }, async (point, times) => {
      const id = `${point}-1`
      await host.submit(clerkChat(), { euros: 25 }, { id })
      let starts = 0
      const report = await chaos({
        // Every second worker is killed at the point; the others take over.
        start: () => worker(point, ...(starts++ % 2 ? [] : [point, String(times)])),
        workers: 1,
        async isDone() {
          await decideTwice(host)
          return (await host.get(id))!.outcome !== null
        },
        most: 0,
        every: 0.2,
        timeout: 100,
        random: () => 0.5,
      })
      expect(report.starts).toBeGreaterThan(1)
      expect(await host.result(id)).toBe('done: 25 euros')
      await checkLog(id)
      // Saved answers are not asked for again; others are, at most once for each worker.
      const lines = linesOf(point)
      expect(new Set(lines).size).toBe(4)
      expect(lines.length - 4).toBeLessThanOrEqual(point === 'before-append' ? report.starts - 1 : 0)
    })
  })
}

/** Finds numbers that do not grow, spans that end twice, begin twice without `resumed`, or tell an answer again. */
function findFaults(events: readonly XEvent[]): string[] {
  const spans = new Map<string, 'open' | 'answered' | 'left'>()
  let last = -1
  return events.flatMap((event) => {
    const faults = event.seq > last ? [] : [`${event.seq} after ${last}`]
    last = event.seq
    if (event.parentId !== null && spans.get(event.parentId) !== 'open') faults.push(`no parent ${event.parentId}`)
    if ('ms' in event) {
      if (spans.get(event.id) !== 'open') faults.push(`${event.id} ends twice`)
      spans.set(event.id, event.type === 'modelCallEnd' && event.outcome === 'ok' ? 'answered' : 'left')
    } else if (event.type.endsWith('Start') && 'id' in event) {
      const before = spans.get(event.id)
      if (before === 'answered') faults.push(`${event.id} is told again`)
      if ((before !== undefined) !== 'resumed' in event) faults.push(`${event.id} begins again`)
      spans.set(event.id, 'open')
    }
    return faults.map((fault) => `${event.type}: ${fault}`)
  })
}

/** Decides on all pending approvals, by two people at once: one of the two is refused. */
async function decideTwice(host: Host): Promise<void> {
  for await (const { chat, pending } of host.pending()) {
    const both = ['ann', 'bob'].map((by) => host.decide(chat, pending.id, { allow: true }, { by }))
    const decided = await Promise.allSettled(both)
    if (decided.every(({ status }) => status === 'fulfilled')) throw new Error(`two decisions on ${chat} counted`)
  }
}
