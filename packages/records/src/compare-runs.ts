import { describeDifference, firstDifference, type MayDiffer, pathsOf, type RunDifference } from './difference.ts'
import { agentPaths, callId, type KeptRun } from './kept-run.ts'
import { RunTexts } from './normalize.ts'
import type { ReplayOptions, ReplayReport } from './replay.ts'

/**
 * Compares what two recorded runs asked outside, in the order of the first one: reports the first difference, in which `now` is
 * the other run. Random identifiers and the times of the runs may differ, and so may the paths of `ignore`.
 */
export function compareRuns(
  recorded: KeptRun,
  other: KeptRun,
  { ignore = [] }: Pick<ReplayOptions, 'ignore'> = {},
): ReplayReport {
  const blind = [recorded, other].find(({ calls, info }) => calls.length === 0 && info.problem !== null)
  if (blind) return { outcome: 'cannot', text: `the runs cannot be compared: ${blind.info.problem!}` }
  const difference = differenceOf(recorded, other, pathsOf(ignore))
  return difference ? { outcome: 'differs', difference, text: describeDifference(difference) } : { outcome: 'same' }
}

function differenceOf(recorded: KeptRun, other: KeptRun, mayDiffer: MayDiffer): RunDifference | null {
  const spanOf = ({ info }: KeptRun) => ({ from: info.began, to: info.last })
  const texts = new RunTexts(spanOf(recorded), () => spanOf(other))
  const asked = new Map(other.calls.map((call) => [callId(call), call]))
  const paths = agentPaths(recorded.events)
  for (const call of recorded.calls) {
    const { place, kind, input } = call
    const now = asked.get(callId(call))?.input
    asked.delete(callId(call))
    const found = firstDifference(input, now, { path: kind, texts, mayDiffer })
    if (found) return { place, agentPath: paths.get(place) ?? [], ...found }
  }
  const added = [...asked.values()].find(({ kind }) => !mayDiffer(kind))
  if (!added) return null
  const { place, kind, input } = added
  const agentPath = agentPaths(other.events).get(place) ?? []
  return { place, agentPath, path: kind, recorded: undefined, now: input }
}
