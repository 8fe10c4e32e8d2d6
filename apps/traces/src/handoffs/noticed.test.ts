import { expect, test } from 'vitest'
import { compose } from '../compose.ts'
import { changesOf } from '../replay/changes.ts'
import type { Recorded } from '../replay/trace.ts'
import { readTraces } from '../trace-files.ts'
import { readOpenTraces } from '../open-traces.ts'
import { isFreeHere } from './free.ts'
import { compareHandoffs, handoffFacesOf } from './judge.ts'
import { isHandoffTrace } from './read.ts'
import { replayHandoffs } from './replay.ts'
import type { RecordedGroups } from './trace.ts'

const open = await readOpenTraces()
const traces = (await readTraces('handoffs')).filter(isHandoffTrace).filter(({ name }) => !open.has(name))

/** Of all changes of a recording so many are tried, another part of them for each recording: all would take a minute. */
const EVERY = 12

test('one other value in a recording is noticed, unless the value is free', async () => {
  const missed: string[] = []
  let tried = 0
  for (const [number, trace] of traces.entries()) {
    const [face, recorded] = handoffFacesOf(trace)[0]!
    const world = compose()
    const wordings = world.groups?.wordings ?? {}
    const seen = await replayHandoffs(trace, face, world, recorded)
    const changes = [...changesOf(recorded as unknown as Recorded)]
    for (const [index, change] of changes.entries()) {
      if (index % EVERY !== number % EVERY || isFreeHere(trace, recorded, change)) continue
      tried++
      const differences = compareHandoffs(trace, change.recorded as unknown as RecordedGroups, seen, wordings)
      if (differences.length === 0) missed.push(`${trace.name}: ${change.kind} ${change.path.join('.')}`)
    }
  }
  expect(tried).toBeGreaterThan(1000)
  expect(missed).toEqual([])
})
