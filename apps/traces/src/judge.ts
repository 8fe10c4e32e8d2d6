import { compare } from './replay/compare.ts'
import { describeDifferences } from './replay/describe.ts'
import { facesOf } from './replay/faces.ts'
import { replay } from './replay/replay.ts'
import type { Recorded, Trace } from './replay/trace.ts'
import { judgeHandoffs } from './handoffs/judge.ts'
import { isHandoffTrace } from './handoffs/read.ts'
import type { HandoffTrace } from './handoffs/trace.ts'
import { compose } from './compose.ts'

/** The result of a replayed trace. */
export interface Verdict {
  readonly name: string
  /** Faces it was replayed in. */
  readonly faces: readonly string[]
  /** Differences as text; empty when there are none. */
  readonly differences: string
}

/** Replays a trace in every face it holds for, each in a world of its own, and compares. */
export async function judge(trace: Trace | HandoffTrace): Promise<Verdict> {
  if (isHandoffTrace(trace)) return { name: trace.name, ...(await judgeHandoffs(trace, compose)) }
  const texts: string[] = []
  for (const [face, recorded] of facesOf(trace)) {
    const seen: Recorded = await replay(trace, face, compose())
    const differences = compare(trace, face, recorded, seen)
    if (differences.length > 0) texts.push(describeDifferences(face, differences))
  }
  return { name: trace.name, faces: facesOf(trace).map(([face]) => face), differences: texts.join('\n') }
}
