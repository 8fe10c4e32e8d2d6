import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Face, JournalKind, XEvent } from '@x/interfaces'
import { forkRun, type KeptRun, openRecords, type Records, replay, type ReplayReport } from '@x/records'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  chosen,
  facesOf,
  type Mutation,
  mutated,
  mutationsOf,
  randomPlan,
  type RandomPlan,
  runPlan,
} from './records-random.fake.ts'
import { comparable, reached, World } from './records-world.fake.ts'

/** The seeds: `RECORDS_SEEDS=1000` tries so many, `RECORDS_SEEDS=7-7` one. */
const [first, last] = seedsOf(process.env['RECORDS_SEEDS'] ?? '20')

function seedsOf(text: string): [number, number] {
  const [one, other] = text.split('-').map(Number)
  return other === undefined ? [1, one!] : [one!, other]
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

/** Mutations of a program that are tried; `RECORDS_MUTATIONS=1000` tries all. */
const MAX_MUTATIONS = Number(process.env['RECORDS_MUTATIONS'] ?? 6)

/** Parts of a program that a replay compares although nothing may show of them: settings of models, and who takes part. */
const COMPARED = /^(?:model\.view|begin|job|handoff|model\.settings)/u

/** All that shows of a program from outside. */
interface Shown {
  readonly outcome: object
  readonly inputs: readonly string[]
  readonly events: readonly string[]
}

async function live(plan: RandomPlan, face: Face, tracer?: Records): Promise<Shown> {
  const events: XEvent[] = []
  const emit = (event: XEvent): void => void events.push(event)
  const world = new World({ face, emit })
  const outcome = await reached(runPlan(plan, world, { ...(face !== 'stream' && { emit }), ...(tracer && { tracer }) }))
  return { outcome, inputs: world.inputs.toSorted(), events: comparable(events, { isParallel: true }) }
}

const again = (run: KeptRun, plan: RandomPlan, face: Face, make: readonly JournalKind[]): Promise<ReplayReport> =>
  replay(run, (options) => runPlan(plan, new World({ face, offline: true, made: new Set(make) }), options), { make })

/** Kinds of calls that are to be made so that a change inside a function shows. */
const madeFor = ({ path }: Mutation): readonly JournalKind[] => {
  const isInTool = path.includes('asks') || path.at(-1) === 'result' || path.at(-1) === 'fails'
  return isInTool ? ['tool', 'hook'] : path.at(-1) === 'marks' ? ['hook'] : []
}

describe('random programs', () => {
  for (let seed = first; seed <= last; seed++) {
    it(`of seed ${seed} are the same unchanged, and differ where they show a change`, async () => {
      const plan = randomPlan(seed)
      const faces = facesOf(plan)
      const face = faces[seed % faces.length]!
      const shown = await live(plan, face, records)
      const [info] = await records.list()
      const run = (await records.read(info!.runId))!
      expect(run.info.problem).toBeNull()
      for (const other of plan.kind === 'queue' ? [face] : faces) {
        expect([other, await again(run, plan, other, [])]).toEqual([other, { outcome: 'same' }])
      }
      expect(await again(run, plan, face, ['tool', 'hook'])).toEqual({ outcome: 'same' })
      const places = [...new Set(run.calls.map(({ place }) => place))]
      for (const place of chosen(places, 2, seed)) {
        const world = new World({ face })
        const [sample] = await forkRun(run, place, (options) => runPlan(plan, world, options), { records })
        const kept = await records.read(sample!.runId)
        expect([place, kept?.info.problem]).toEqual([place, null])
        // A new person begins with the first line again.
        if (!world.asked.includes('human')) {
          expect([place, kept!.info.outcome]).toEqual([place, run.info.outcome])
          expect(shown.inputs).toEqual(expect.arrayContaining(world.inputs))
        }
        expect([place, await again(kept!, plan, face, [])]).toEqual([place, { outcome: 'same' }])
      }
      const wrong: string[] = []
      for (const mutation of chosen([...mutationsOf(plan)], MAX_MUTATIONS, seed)) {
        const change = mutated(plan, mutation)
        const now = await live(change, face)
        const report = await again(run, change, face, madeFor(mutation))
        const isShown = JSON.stringify([now.outcome, now.inputs]) !== JSON.stringify([shown.outcome, shown.inputs])
        const isTold = isShown || JSON.stringify(now.events) !== JSON.stringify(shown.events)
        const isRight =
          report.outcome === 'same'
            ? !isShown
            : report.outcome === 'differs' && (isTold || COMPARED.test(report.difference.path))
        const isPlaced = report.outcome !== 'differs' || /^\d/u.test(report.difference.place)
        if (!isRight || !isPlaced)
          wrong.push(`${mutation.path.join('.')} (shown: ${isShown}): ${JSON.stringify(report)}`)
      }
      expect(wrong).toEqual([])
    })
  }
})
