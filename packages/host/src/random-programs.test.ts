import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chaos } from '@x/testing/hosting'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { findFaults, foldedSummaries, logOf } from './event-laws.fake.ts'
import { createHost, type DefinedChat, type Host, sqlite } from './index.ts'
import type { CheckedChat } from './check.ts'
import {
  expectedOf,
  messagesOf,
  type Part,
  part,
  randomChat,
  samplePrograms,
  summariesOf,
} from './random-program.fake.ts'

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

/** A change of a random program. */
interface Change {
  readonly does:
    | 'nothing'
    | 'drops'
    | 'adds'
    | 'turns around'
    | 'calls more'
    | 'calls less'
    | 'asks otherwise'
    | 'nests otherwise'
  readonly index: number
  readonly added: Part
}

const change: fc.Arbitrary<Change> = fc.record({
  does: fc.constantFrom(
    'nothing',
    'drops',
    'adds',
    'turns around',
    'calls more',
    'calls less',
    'asks otherwise',
    'nests otherwise',
  ),
  index: fc.nat(1),
  added: part,
})

function changed(parts: readonly Part[], { does, index, added }: Change): readonly Part[] {
  if (does === 'nothing') return parts
  if (does === 'drops') return parts.toSpliced(index, 1)
  if (does === 'adds') return parts.toSpliced(index, 0, added)
  if (does === 'turns around') return parts.toReversed()
  const at = index % parts.length
  const {
    calls = 1,
    chats = 2,
    ask = false,
    nested = false,
    ...it
  } = parts[at]! as object as Partial<Record<string, never>>
  const more = does === 'calls more' ? 1 : does === 'calls less' ? -1 : 0
  const its = {
    ...{ ...it, calls: Math.max(0, calls + more), chats: Math.max(1, chats + more) },
    ...{ ask: ask !== (does === 'asks otherwise'), nested: nested !== (does === 'nests otherwise') },
  }
  return parts.with(at, its as unknown as Part)
}

/** A version of the program that makes other parts of its input. */
function versionOf(its: Change, log: () => void): DefinedChat {
  const program = randomChat(async () => log())
  const run: typeof program.run = (chat) =>
    program.run({ ...chat, input: { parts: changed(chat.input['parts'] as readonly Part[], its) } })
  return { ...program, run }
}

/** Lets a worker go on until the chat has ended, waits or cannot go on, or until it is stopped; returns the problem. */
async function worked(host: Host, stop = new AbortController()): Promise<string | null> {
  const work = host.work({ signal: stop.signal, onError: () => {} })
  const settled = async (): Promise<string | null | undefined> => {
    const { state, outcome, setbacks, reason } = (await host.get('a'))!
    if (outcome?.state === 'failed') return outcome.error.message
    if (setbacks > 0) return reason
    return stop.signal.aborted || outcome || state === 'suspended' ? null : undefined
  }
  await expect.poll(settled, { interval: 2 }).not.toBe(undefined)
  const problem = (await settled())!
  stop.abort()
  await work
  return problem
}

/** Gives a suspended chat what it waits for. */
async function wake(host: Host, message: string): Promise<void> {
  if ((await host.get('a'))!.state !== 'suspended') return
  for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
  if ((await host.get('a'))!.state === 'suspended') await host.send('a', message)
}

/** A chat of a random program that is left at a random call, and a version that is to go on with it. */
const deploy = fc.record({
  parts: fc.array(part, { minLength: 2, maxLength: 4 }),
  change,
  turns: fc.integer({ min: 1, max: 5 }),
  calls: fc.integer({ min: 4, max: 30 }),
})

it('what a check says of another version is what its worker finds', { timeout: 600_000 }, async () => {
  const found = { goesOn: 0, problem: 0, unused: 0 }
  await fc.assert(
    fc.asyncProperty(deploy, async ({ parts, change: its, turns, calls }) => {
      const at = sqlite(':memory:')
      const hostOf = (program: DefinedChat): Host => createHost({ chats: [program], at: { ...at, close() {} } })
      const made = { calls: 0 }
      let stop = new AbortController()
      const first = versionOf({ ...its, does: 'nothing' }, () => void (++made.calls === calls && stop.abort()))
      const old = hostOf(first)
      await old.submit(first, { parts } as never, { id: 'a' })
      for (let turn = 0; turn <= turns && made.calls < calls; turn++) {
        stop = new AbortController()
        await worked(old, stop)
        await wake(old, `${turn}`)
      }
      let called = 0
      const next = versionOf(its, () => void called++)
      const host = hostOf(next)
      const all: CheckedChat[] = []
      for await (const each of host.check(next)) all.push(each)
      expect([all.length, called]).toEqual([(await host.get('a'))!.state === 'done' ? 0 : 1, 0])
      const [checked] = all
      if (checked) {
        const { goesOn, problem, unused } = checked
        if (its.does === 'nothing') expect(checked).toMatchObject({ goesOn: true, unused: 0 })
        let real = await worked(host)
        for (let turn = 0; turn < 12 && real === null && (await host.get('a'))!.outcome === null; turn++) {
          await wake(host, `${turn}`)
          real = await worked(host)
        }
        if (!goesOn) expect(real).toBe(problem!.message)
        // Behind a call that is new, a chat with answers that are not used may come to one that does not fit.
        else if (unused === 0) expect([real, (await host.get('a'))!.state]).toEqual([null, 'done'])
        found[goesOn ? (unused ? 'unused' : 'goesOn') : 'problem']++
      }
      await at.close()
    }),
    { numRuns: Number(process.env['PROGRAMS'] ?? 60), seed: SEED },
  )
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(0)
})
