import {
  describeDifference,
  firstDifference,
  type MayDiffer,
  pathsOf,
  type RunDifference,
  viewAsIn,
} from './difference.ts'
import { agentPaths, callId, type KeptRun, type WrittenCall } from './kept-run.ts'
import { KeptList, type ListReader } from './list-reader.ts'
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
  const inputs = new InputComparison(new RunTexts(spanOf(recorded), () => spanOf(other)), mayDiffer)
  const asked = new Map(other.calls.map((call) => [callId(call), call]))
  const paths = agentPaths(recorded.events)
  for (const call of recorded.calls) {
    const { place } = call
    const now = asked.get(callId(call))
    asked.delete(callId(call))
    const found = inputs.differenceOf(call as WrittenCall, now as WrittenCall | undefined)
    if (found) return { place, agentPath: paths.get(place) ?? [], ...found }
  }
  const added = [...asked.values()].find(({ kind }) => !mayDiffer(kind))
  if (!added) return null
  const { place, kind, input } = added
  const agentPath = agentPaths(other.events).get(place) ?? []
  return { place, agentPath, path: kind, recorded: undefined, now: input }
}

/** Compares what calls asked. Lists that begin as two that were found equal are compared from there on. */
class InputComparison {
  readonly #texts: RunTexts
  readonly #mayDiffer: MayDiffer
  /** The lists that were found equal to recorded ones, by the path at which they stand. */
  readonly #equal = new Map<string, Map<KeptList, KeptList>>()

  constructor(texts: RunTexts, mayDiffer: MayDiffer) {
    this.#texts = texts
    this.#mayDiffer = mayDiffer
  }

  differenceOf(recorded: WrittenCall, now: WrittenCall | undefined): ReturnType<typeof firstDifference> {
    if (!now) return this.#compare(recorded.kind, recorded.input, undefined)
    for (const key of new Set([...Object.keys(recorded.written), ...Object.keys(now.written)])) {
      // Earlier releases did not tell the options of searches.
      if (recorded.kind === 'job' && key === 'options' && !(key in recorded.written && key in now.written)) continue
      const path = `${recorded.kind}.${key}`
      const [one, other] = [recorded, now].map(({ reader, written }) => reader.resolve(written[key]))
      const found =
        one instanceof KeptList && other instanceof KeptList
          ? this.#compareLists(path, [recorded.reader, one], [now.reader, other])
          : this.#compareValues(path, recorded.reader.read(recorded.written[key]), now.reader.read(now.written[key]))
      if (found) return found
    }
    return null
  }

  #compareLists(
    path: string,
    [reader, recorded]: readonly [ListReader, KeptList],
    [other, now]: readonly [ListReader, KeptList],
  ): ReturnType<typeof firstDifference> {
    const known = this.#equal.get(path) ?? new Map<KeptList, KeptList>()
    this.#equal.set(path, known)
    if (known.get(recorded) === now) return null
    const isNext = recorded.base && known.get(recorded.base) === now.base && recorded.keep === now.keep
    const start = isNext ? recorded.keep : 0
    const [items, others] = isNext ? [recorded.added, now.added] : [reader.items(recorded), other.items(now)]
    for (let index = 0; index < Math.max(items.length, others.length); index++) {
      const found = this.#compare(`${path}.${start + index}`, items[index], others[index])
      if (found) return found
    }
    known.set(recorded, now)
    return null
  }

  #compareValues(path: string, recorded: unknown, now: unknown): ReturnType<typeof firstDifference> {
    return this.#compare(path, recorded, path === 'model.view' ? viewAsIn(recorded, now) : now)
  }

  #compare(path: string, recorded: unknown, now: unknown): ReturnType<typeof firstDifference> {
    return firstDifference(recorded, now, { path, texts: this.#texts, mayDiffer: this.#mayDiffer })
  }
}
