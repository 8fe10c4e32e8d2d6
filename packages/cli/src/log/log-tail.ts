import { setTimeout as after } from 'node:timers/promises'
import { printable } from '@x/agent'
import { printableJson } from '../printable-json.ts'
import type { LogOutput } from './log-actions.ts'
import { findInfo, type LogSource, openLog } from './log-source.ts'
import { outcomeText } from './log-text.ts'
import { eventTeller } from './log-tree.ts'

/** Milliseconds between two looks for new events. */
const POLL_INTERVAL_MS = 300

/** Milliseconds by which events of one run may come to the file behind newer ones of another: each process writes its own in pieces. */
const LATE_MS = 2000

/**
 * Follows the events of a run until it ends; without an id, those of the newest run and of all that have newer events, until the
 * command is stopped.
 */
export async function tailRuns(id: string | undefined, file: string | undefined, output: LogOutput): Promise<void> {
  await using source = await openLog(file, output.env)
  const tell = runTeller(source, output)
  const named = id === undefined ? undefined : (await findInfo(source, id)).runId
  const look = named === undefined ? newestTeller(source, tell) : async () => await tell(named)
  while (!output.signal.aborted && !(await look()))
    await after(POLL_INTERVAL_MS, undefined, { signal: output.signal }).catch(() => {})
}

/** Tells what is new in a run; gives whether the run has ended. */
type TellRun = (runId: string) => Promise<boolean>

/** Returns a function that tells what is new in a run since it was called for it last, under the id where another run came before. */
export function runTeller(source: LogSource, { json, paint, write }: LogOutput): TellRun {
  const followed = new Map<string, () => Promise<{ readonly lines: readonly string[]; readonly isOver: boolean }>>()
  let told: string | null = null
  return async (runId) => {
    const next = followed.get(runId) ?? newsOf(source, runId, json)
    followed.set(runId, next)
    const { lines, isOver } = await next()
    if (lines.length > 0 && told !== runId && !json) write(`${paint('bold', `run ${printable(runId)}`)}\n`)
    if (lines.length > 0) told = runId
    for (const line of lines) write(`${line}\n`)
    return isOver
  }
}

function newsOf(
  source: LogSource,
  runId: string,
  json: boolean,
): () => Promise<{ readonly lines: readonly string[]; readonly isOver: boolean }> {
  const next = source.follow(runId)
  const linesOf = eventTeller()
  let wasCutOff = false
  return async () => {
    const part = await next()
    if (!part) return { lines: [], isOver: true }
    const { outcome, cutOff } = part.info
    const lines = json ? part.events.map(printableJson) : linesOf(part).filter(Boolean)
    const end = cutOff && !wasCutOff && !json ? [outcomeText(part.info)] : []
    wasCutOff = cutOff
    return { lines: [...lines, ...end], isOver: cutOff || (outcome !== null && outcome !== 'suspended') }
  }
}

/** Returns a function that tells what is new in the newest run, and in all that have newer events than it had at the first call. */
export function newestTeller(source: Pick<LogSource, 'list'>, tell: TellRun): () => Promise<false> {
  /** Runs that had ended before the newest one, as the first call found them. */
  let old: ReadonlySet<string> = new Set()
  let since: number | null = null
  const open = new Set<string>()
  return async () => {
    const infos = await source.list(since === null ? { limit: 1 } : { since, limit: Infinity })
    const newest = infos[0]
    if (since === null && newest) {
      const earlier = await source.list({ since: newest.last - LATE_MS, limit: Infinity })
      old = new Set(
        earlier.flatMap(({ runId, outcome }) => (outcome === null || runId === newest.runId ? [] : [runId])),
      )
    }
    since = newest ? newest.last - LATE_MS : (since ?? 0)
    const listed = new Set(infos.map(({ runId }) => runId))
    for (const { runId } of infos.toReversed()) if (!old.has(runId)) open.add(runId)
    for (const runId of open) if ((await tell(runId)) && !listed.has(runId)) open.delete(runId)
    return false
  }
}
