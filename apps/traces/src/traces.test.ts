import type { Face } from '@x/interfaces'
import { changesOf } from './replay/changes.ts'
import { compare, comparer } from './replay/compare.ts'
import { facesOf } from './replay/faces.ts'
import { replay } from './replay/replay.ts'
import type { Recorded, Trace } from './replay/trace.ts'
import { isHandoffTrace } from './handoffs/read.ts'
import type { HandoffTrace } from './handoffs/trace.ts'
import { describe, expect, test } from 'vitest'
import { compose } from './compose.ts'
import { isFree } from './free.ts'
import { judge } from './judge.ts'
import { readOpenTraces } from './open-traces.ts'
import { outcomeOf } from './report.ts'
import { readTraces } from './trace-files.ts'

const all = await readTraces()
const traces = all.filter((trace): trace is Trace => !isHandoffTrace(trace))
const open = await readOpenTraces()

test('there are as many traces as were recorded, and every open one exists', () => {
  const names = new Set(all.map(({ name }) => name))
  expect(names.size).toBe(733)
  expect([...open].filter((name) => !names.has(name))).toEqual([])
})

describe('a trace comes out as recorded, unless it is listed as open', () => {
  test.each(all)('$name', async (trace: Trace | HandoffTrace) => {
    const verdict = await judge(trace)
    expect(outcomeOf(verdict, open), verdict.differences).toBe(open.has(trace.name) ? 'open' : 'ok')
  })
})

describe('one other value in a recording is noticed, unless the value is free', () => {
  test.each(traces)('$name, against the recording itself', (trace: Trace) => {
    for (const [face, recorded] of facesOf(trace)) {
      expect(compare(trace, face, recorded, recorded)).toEqual([])
      expect(misjudged(trace, face, recorded, recorded)).toEqual([])
    }
  })

  test.each(traces.filter(({ name }) => !open.has(name)))('$name, against a replay', async (trace: Trace) => {
    for (const [face, recorded] of facesOf(trace)) {
      expect(misjudged(trace, face, recorded, await replay(trace, face, compose()))).toEqual([])
    }
  })
})

/** Changes that were missed although they count, or noticed although they are free. */
function misjudged(trace: Trace, face: Face, recorded: Recorded, seen: Recorded): string[] {
  const wrong: string[] = []
  const compared = comparer(trace, face, seen)
  for (const change of changesOf(recorded)) {
    const noticed = compared(change.recorded).length > 0
    if (noticed !== isFree(recorded, change)) continue
    wrong.push(`${noticed ? 'noticed' : 'missed'}: ${change.kind} ${change.path.join('.')}`)
  }
  return wrong
}
