import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Face, JournalKind, XEvent } from '@x/interfaces'
import { forkRun, type KeptRun, openRecords, readFixture, type Records, replay, type ReplayReport } from '@x/records'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHAT_PROGRAMS, FAILING_QUEUE } from './records-programs-chats.fake.ts'
import { GROUP_PROGRAMS } from './records-programs-groups.fake.ts'
import { SEARCH_PROGRAMS } from './records-programs-searches.fake.ts'
import { TOOL_PROGRAMS } from './records-programs-tools.fake.ts'
import { comparable, type Program, reached, World, type WorldOptions } from './records-world.fake.ts'

const PROGRAMS: Readonly<Record<string, Program>> = {
  ...CHAT_PROGRAMS,
  ...TOOL_PROGRAMS,
  ...GROUP_PROGRAMS,
  ...SEARCH_PROGRAMS,
}

let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords(join(dir, 'runs.db'))
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

const CASES = Object.entries(PROGRAMS).flatMap(([name, program]) =>
  program.faces.map((face): [name: string, face: Face, program: Program] => [name, face, program]),
)

/** Runs a program with its record, and reads that. */
async function recorded(program: Program, world: World): Promise<KeptRun> {
  await reached(program.run(world, { tracer: records }))
  const [info] = await records.list()
  return (await records.read(info!.runId))!
}

const again = (run: KeptRun, program: Program, world: WorldOptions, make: JournalKind[] = []): Promise<ReplayReport> =>
  replay(run, (options) => program.run(new World({ offline: true, made: new Set(make), ...world }), options), { make })

describe.each(CASES)('%s (%s)', (_, face, program) => {
  it('runs with a record as without it', async () => {
    const outcomes: unknown[] = []
    for (const tracer of [undefined, records]) {
      const events: XEvent[] = []
      const emit = (event: XEvent): void => void events.push(event)
      const world = new World({ face })
      const options = { ...(face !== 'stream' && { emit }), ...(tracer && { tracer }) }
      const outcome = await reached(program.run(world, options))
      outcomes.push({ outcome, asked: world.asked.toSorted(), events: comparable(events, program) })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  })

  it('is repeated without a call outside, from the file and from a fixture, and in other faces', async () => {
    const run = await recorded(program, new World({ face }))
    expect(run.info.problem).toBeNull()
    for (const other of [face, face, ...(program.differsByFace ? [] : program.faces)]) {
      expect(await again(run, program, { face: other })).toEqual({ outcome: 'same' })
    }
    const path = join(dir, 'a.run')
    writeFileSync(path, await records.export(run.info.runId))
    expect(await again(readFixture(path), program, { face })).toEqual({ outcome: 'same' })
  })

  it('differs where a part of it has changed', async () => {
    const world = new World({ face })
    const run = await recorded(program, world)
    for (const part of world.parts.keys()) {
      const make = program.made?.[part] as JournalKind | undefined
      const makes: JournalKind[] = make ? [make, 'model'] : []
      const report = await again(run, program, { face, mutation: { part } }, makes)
      expect([part, report]).toMatchObject([part, { outcome: 'differs' }])
      if (report.outcome !== 'differs') continue
      expect(report.difference.recorded).not.toEqual(report.difference.now)
      expect(report.difference.place).toMatch(/^\d+\b/u)
    }
  })

  it('goes on from every place, and its forks are repeated', async () => {
    const first = new World({ face })
    const run = await recorded(program, first)
    for (const place of new Set(run.calls.map((call) => call.place))) {
      const world = new World({ face })
      const [fork] = await forkRun(run, place, (options) => program.run(world, options), { records })
      const kept = await records.read(fork!.runId)
      expect([place, fork!.error === undefined, kept?.info.problem]).toEqual([place, run.info.outcome === 'ok', null])
      expect(world.asked.length).toBeLessThanOrEqual(first.asked.length)
      expect(world.keys.filter((key) => first.keys.includes(key))).toEqual([])
      expect(kept!.info.parent).toEqual({ runId: run.info.runId, place })
      expect([place, await again(kept!, program, { face })]).toEqual([place, { outcome: 'same' }])
    }
  })
})

describe('a chat that fails beside another', () => {
  const program = FAILING_QUEUE

  it.each([0, 1, 5, 20, 60, 200])('is the same however far the other one came: %i turns', async (turns) => {
    const run = await recorded(program, new World({ turns }))
    expect(await again(run, program, {})).toEqual({ outcome: 'same' })
    for (const part of ['prompt of ann', 'prompt of bob', 'message to ann', 'message to bob']) {
      expect([part, await again(run, program, { mutation: { part } })]).toMatchObject([part, { outcome: 'differs' }])
    }
  })
})

it('keeps no key of a provider', async () => {
  await PROGRAMS['a model inside a tool']!.run(new World(), { tracer: records })
  records.flush()
  for (const file of ['runs.db', 'runs.db-wal'])
    expect(readFileSync(join(dir, file)).includes('sk-canary-of-config')).toBe(false)
})
