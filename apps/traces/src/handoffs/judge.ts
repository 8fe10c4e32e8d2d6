import type { Face } from '@x/interfaces'
import { describeDifferences } from '../replay/describe.ts'
import { different, type Difference } from '../replay/compare.ts'
import type { TraceValue } from '../replay/trace.ts'
import type { World } from '../replay/world.ts'
import { comparableGroups } from './comparable.ts'
import { replayHandoffs } from './replay.ts'
import type { HandoffTrace, RecordedGroups } from './trace.ts'
import type { HandoffWorld } from './world.ts'

/** The faces of a replay, each with its recording: a trace recorded only with blocking calls holds for all faces. */
export function handoffFacesOf({ recorded: { both, sync, async } }: HandoffTrace): [Face, RecordedGroups][] {
  const faces: [Face, RecordedGroups | undefined][] = [
    ['sync', both ?? sync],
    ['async', both ?? async ?? sync],
    ['stream', both ?? async ?? sync],
  ]
  return faces.filter((pair): pair is [Face, RecordedGroups] => pair[1] !== undefined)
}

/** Compares a replay with the recording. */
export function compareHandoffs(
  trace: HandoffTrace,
  recorded: RecordedGroups,
  seen: RecordedGroups,
  wordings: Readonly<Record<string, string>>,
): Difference[] {
  const differences: Difference[] = []
  const [before, after] = [recorded, seen].map((each) => comparableGroups(trace, each, recorded) as TraceValue)
  different('', before!, after!, { differences, wordings })
  return differences
}

/** Replays a trace in every face that it holds for, each in its own world; returns the differences as text. */
export async function judgeHandoffs(
  trace: HandoffTrace,
  compose: () => World & { readonly handoffs: HandoffWorld },
): Promise<{ readonly faces: readonly string[]; readonly differences: string }> {
  const texts: string[] = []
  for (const [face, recorded] of handoffFacesOf(trace)) {
    const world = compose()
    const seen = await replayHandoffs(trace, face, world, recorded)
    const differences = compareHandoffs(trace, recorded, seen, world.groups?.wordings ?? {})
    if (differences.length > 0) texts.push(describeDifferences(face, differences))
  }
  return { faces: handoffFacesOf(trace).map(([face]) => face), differences: texts.join('\n') }
}
