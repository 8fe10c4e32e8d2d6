import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chaos } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { findFaults, foldedSummaries, logOf } from './event-laws.fake.ts'
import { createHost, sqlite } from './index.ts'
import { expectedOf, messagesOf, randomChat, samplePrograms, summariesOf } from './random-program.fake.ts'

const PROGRAM = fileURLToPath(new URL('random-worker.fake.ts', import.meta.url))
const SEED = Number(process.env['SEED'] ?? 22)
const folder = mkdtempSync(join(tmpdir(), 'host-random-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it(
  'random programs end with the right values when their worker is killed at random',
  { timeout: 120_000 },
  async () => {
    const [file, log] = [join(folder, 'chats.db'), join(folder, 'log')]
    const chat = randomChat(async () => {})
    const host = createHost({ chats: [chat], at: sqlite(file) })
    const programs = samplePrograms(40, SEED)
    const sent = programs.map(() => 0)
    let submitted = 0
    const submit = async (count: number): Promise<void> => {
      for (; submitted < count; submitted++) {
        const [n, parts] = [submitted, programs[submitted]!]
        await host.submit(chat, { parts }, { id: `${n}` })
        // Some messages come before the program waits for them.
        if (n % 2) for (; sent[n]! < messagesOf(parts); sent[n]!++) await host.send(`${n}`, `${sent[n]}`)
      }
    }
    await submit(30)
    let starts = 0
    const random = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { numRuns: 10_000, seed: SEED }).values()
    const { kills } = await chaos({
      start: () => {
        starts++
        return spawn(process.execPath, ['--conditions=@x/source', PROGRAM, file, log], {
          stdio: ['ignore', 'ignore', 'inherit'],
        })
      },
      workers: 1,
      async isDone() {
        // Leaves work for a third worker, however fast the machine is.
        if (starts > 2) await submit(programs.length)
        for await (const { chat: id, pending } of host.pending()) await host.decide(id, pending.id, { allow: true })
        const waiting = new Set<string>()
        for await (const { chat: id } of host.pending()) waiting.add(id)
        let done = submitted === programs.length
        for await (const { id, state, outcome } of host.list()) {
          if (outcome) continue
          done = false
          const n = Number(id)
          if (state === 'suspended' && !waiting.has(id) && sent[n]! < messagesOf(programs[n]!)) {
            await host.send(id, `${sent[n]!++}`)
          }
        }
        return done
      },
      blows: ['SIGKILL'],
      most: 8,
      every: 1.2,
      timeout: 100,
      random: () => random.next().value!,
    })
    expect(kills).toBeGreaterThan(1)
    for (const [n, parts] of programs.entries()) {
      expect(await host.result(`${n}`)).toEqual(expectedOf(parts))
      const events = await logOf(host, `${n}`)
      expect(findFaults(events, 'killed')).toEqual([])
      expect(foldedSummaries(events).toSorted()).toEqual(summariesOf(parts).toSorted())
    }
    // A tool call has one key, and is repeated only if it was in flight at a kill.
    const tools = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('tool'))
    const chats = programs.flat().map((each) => {
      if (each.do === 'chat' || each.do === 'beside') return each.calls
      return each.do === 'together' ? (each.chats * (each.chats - 1)) / 2 : 0
    })
    expect(new Set(tools).size).toBe(chats.reduce((sum, count) => sum + count, 0))
    expect(tools.length - new Set(tools).size).toBeLessThanOrEqual(kills * 30)
    await host.close()
  },
)
