import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { printable } from '@x/agent'
import { XError } from '@x/kernel'
import {
  compareRuns,
  type KeptRun,
  type KeptRunInfo,
  type RepeatedProgram,
  replay,
  type ReplayOptions,
  type ReplayReport,
} from '@x/records'
import type { Paint } from '../chat-view.ts'
import { importFrom } from '../file-export.ts'
import { printableJson } from '../printable-json.ts'
import type { Environment } from '../recording.ts'
import { besideText } from './log-beside.ts'
import { costRows, type CostGroup } from './log-cost.ts'
import {
  findInfo,
  findRun,
  findToChange,
  type LogQuery,
  openLog,
  recordsIn,
  wantedRuns,
  withShared,
} from './log-source.ts'
import {
  countText,
  costText,
  durationText,
  oneLine,
  outcomeText,
  shortId,
  sumOf,
  tableText,
  timeText,
  tokensText,
} from './log-text.ts'
import { saidMessages, treeText } from './log-tree.ts'

/** Where a command of `x log` writes, and how. */
export interface LogOutput {
  readonly env: Environment
  readonly write: (text: string) => void
  /** Waits until what was written is read; absent: nothing is kept in memory. */
  readonly drained?: () => Promise<unknown>
  readonly paint: Paint
  /** Runs a program of the person, which may print: that is not a part of the output. */
  readonly aside: <T>(act: () => Promise<T>) => Promise<T>
  /** Columns of the terminal; undefined if they are not known. */
  readonly columns: number | undefined
  /** True to write JSON: an object, or one a line. */
  readonly json: boolean
  /** Ends a command that follows a run. */
  readonly signal: AbortSignal
  /** Lets the command end with an exit status that tells of a failure. */
  readonly fail: () => void
}

const COLUMN_LIMITS = { title: 60, agents: 40 } as const

/** Lists runs, those with the newest events first. */
export async function listRuns(file: string | undefined, query: LogQuery, output: LogOutput): Promise<void> {
  await using source = await openLog(file, output.env)
  const infos = await wantedRuns(source, query)
  if (output.json) return writeLines(infos, output)
  if (infos.length === 0) return output.write(`There are no such runs in ${printable(source.file)}.\n`)
  const hasScores = infos.some((info) => scoreOf(info) !== undefined)
  output.write(tableText(infos.map((info) => infoCells(info, { hasScores }))))
}

/** Returns the score that a run was given. */
const scoreOf = ({ labels }: KeptRunInfo): unknown =>
  labels.find(({ name, place }) => name === 'score' && place === null)?.value ?? undefined

function infoCells(info: KeptRunInfo, { hasScores }: { readonly hasScores: boolean }): string[] {
  const spent = sumOf(info.spent)
  const { calls, promptTokens, completionTokens } = spent
  return [
    shortId(info.runId),
    timeText(info.last),
    outcomeText(info),
    ...(hasScores ? [scoreText(scoreOf(info))] : []),
    durationText(info.last - info.began),
    countText(calls, 'call'),
    tokensText(promptTokens, completionTokens),
    costText(spent),
    oneLine(info.agents.join(', '), COLUMN_LIMITS.agents),
    oneLine(info.title, COLUMN_LIMITS.title),
  ]
}

const scoreText = (score: unknown): string => (score === undefined ? '' : oneLine(`score ${JSON.stringify(score)}`))

const writeLines = (values: readonly unknown[], { write }: LogOutput): void => {
  for (const value of values) write(`${printableJson(value)}\n`)
}

/** Shows a run as a tree. */
export async function showRun(
  id: string | undefined,
  { file, full }: { readonly file: string | undefined; readonly full: boolean },
  output: LogOutput,
): Promise<void> {
  await using source = await openLog(file, output.env)
  const run = await findRun(source, id)
  if (!output.json) return output.write(treeText(run, { paint: output.paint, full }))
  const { info, events, entries, calls, waits } = run
  const asked = ({ place, kind, name, shortInput }: KeptRun['calls'][number]): object => {
    return { place, kind, name, input: shortInput }
  }
  output.write(`{"info":${printableJson(info)},"events":[`)
  await writeItems(events, output)
  output.write('],"calls":[')
  await writeItems(calls, output, asked)
  output.write('],"entries":[')
  await writeItems(entries, output)
  output.write(`],"waits":${String(waits)}}\n`)
}

/** Most items that become one text: those of a long run together may be longer than a text can be. */
const MAX_WRITTEN_ITEMS = 100

/** Writes the items of a list as JSON, as fast as it is read. */
async function writeItems<T>(
  items: readonly T[],
  { write, drained }: LogOutput,
  shown: (item: T) => unknown = (item) => item,
): Promise<void> {
  for (let first = 0; first < items.length; first += MAX_WRITTEN_ITEMS) {
    const json = printableJson(items.slice(first, first + MAX_WRITTEN_ITEMS).map((item) => shown(item)))
    write(`${first === 0 ? '' : ','}${json.slice(1, -1)}`)
    await drained?.()
  }
}

/** Says what two runs asked differently first, and puts their messages side by side. */
export async function diffRuns(
  ids: readonly [string, string],
  { file, ignore }: { readonly file: string | undefined; readonly ignore: readonly string[] },
  output: LogOutput,
): Promise<void> {
  await using source = await openLog(file, output.env)
  const runs = [await findRun(source, ids[0]), await findRun(source, ids[1])] as const
  const report = compareRuns(...runs, { ignore })
  const whole = await Promise.all(runs.map(async (run) => await withShared(source, run)))
  if (output.json) return output.write(`${printableJson({ ...report, runs: whole.map(futureOf) })}\n`)
  const text =
    report.outcome === 'same' ? 'The runs asked the same.' : report.text.replace('\n  now:      ', '\n  other:    ')
  output.write(`${printable(text)}\n\n${besideText(whole, output)}`)
}

const futureOf = (run: KeptRun): object => ({ info: run.info, said: saidMessages(run) })

/** Puts runs side by side; with one, it and all runs that were forked from it. */
export async function compareFutures(
  ids: readonly string[],
  file: string | undefined,
  output: LogOutput,
): Promise<void> {
  await using source = await openLog(file, output.env)
  const runs: KeptRun[] = []
  for (const id of ids) runs.push(await findRun(source, id))
  if (runs.length === 1) {
    const { runId } = runs[0]!.info
    const forks = forksOf(runId, await source.list({ limit: Infinity }))
    if (forks.length === 0) throw new XError('invalid-argument', `no run was forked from \`${runId}\`: name two runs`)
    for (const fork of forks) runs.push(await findRun(source, fork.runId))
  }
  const whole = await Promise.all(runs.map(async (run) => await withShared(source, run)))
  if (output.json) writeLines(whole.map(futureOf), output)
  else output.write(besideText(whole, output))
}

/** Returns the runs that were forked from a run, and from these in turn: the oldest first. */
function forksOf(runId: string, infos: readonly KeptRunInfo[]): readonly KeptRunInfo[] {
  const family = new Set([runId])
  // A set that grows while it is walked through is walked through to its end.
  for (const member of family) {
    for (const { runId: fork, parent } of infos) if (parent?.runId === member) family.add(fork)
  }
  return infos.filter((info) => info.runId !== runId && family.has(info.runId)).toReversed()
}

/** Adds up what runs cost. */
export async function showCost(
  file: string | undefined,
  { by, query }: { readonly by: CostGroup; readonly query: LogQuery },
  output: LogOutput,
): Promise<void> {
  await using source = await openLog(file, output.env)
  const rows = costRows(await wantedRuns(source, { limit: Infinity, ...query }), by)
  if (output.json) return writeLines(rows, output)
  const cells = rows.map(({ name, runs, calls, promptTokens, completionTokens, ...spent }) => [
    oneLine(name),
    countText(runs, 'run'),
    countText(calls, 'call'),
    tokensText(promptTokens, completionTokens),
    costText(spent),
  ])
  output.write(cells.length === 0 ? `Nothing was spent in ${printable(source.file)}.\n` : tableText(cells))
}

/** Writes a run as a fixture: to a file, or to the output. */
export async function exportRun(
  id: string | undefined,
  { file, to }: { readonly file: string | undefined; readonly to: string | undefined },
  { env, json, write }: LogOutput,
): Promise<void> {
  await using source = await openLog(file, env)
  const records = recordsIn(source, 'export the run')
  if (to !== undefined && resolve(to) === resolve(source.file))
    throw new XError('invalid-argument', `cannot write a fixture over the runs in \`${to}\`: name another file`)
  const { runId } = await findInfo(source, id)
  const fixture = await records.export(runId)
  // A fixture is JSON with all that models wrote, which a terminal must not obey; JSON may escape it.
  if (to === undefined)
    return write(
      fixture
        .split('\n')
        .map((line) => line && printableJson(JSON.parse(line)))
        .join('\n'),
    )
  writeFileSync(to, fixture, { mode: 0o600 })
  write(json ? `${printableJson({ runId, file: to })}\n` : `Wrote ${printable(to)}\n`)
}

/** Removes a run. */
export async function removeRun(id: string, file: string | undefined, { env, json, write }: LogOutput): Promise<void> {
  await using source = await openLog(file, env, true)
  const records = recordsIn(source, 'remove the run')
  const { runId } = await findToChange(source, id)
  await records.remove(runId)
  write(json ? `${printableJson({ runId, removed: true })}\n` : `Removed ${printable(runId)}\n`)
}

/** Gives a run, or a place in it, a label. */
export async function labelRun(
  id: string,
  {
    file,
    place,
    label,
  }: { readonly file: string | undefined; readonly place: string | undefined; readonly label: string },
  { env, json, write }: LogOutput,
): Promise<void> {
  const at = label.indexOf('=')
  if (at < 1)
    throw new XError('invalid-argument', `\`${label}\` is no label: write a name and a value, such as score=0.8`)
  await using source = await openLog(file, env, true)
  const records = recordsIn(source, 'label the run')
  const { runId } = await findToChange(source, id)
  if (place !== undefined) {
    const { calls } = await findRun(source, runId)
    // A record without content knows of no calls.
    if (calls.length > 0 && !calls.some((call) => call.place === place))
      throw new XError(
        'invalid-argument',
        `no call of the run has the place \`${place}\`: \`x log show\` has them in brackets`,
      )
  }
  const [name, value] = [label.slice(0, at), valueOf(label.slice(at + 1))]
  await records.label(runId, { name, value, ...(place !== undefined && { place }) })
  write(json ? `${printableJson({ runId, name, value, place: place ?? null })}\n` : `Labelled ${printable(runId)}\n`)
}

/** Reads a value: JSON, or any other text as it is, also a whole number that JavaScript would round. */
function valueOf(text: string): unknown {
  if (/^-?\d+$/u.test(text) && !Number.isSafeInteger(Number(text))) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Options of a test of recorded runs. */
export interface TestRunsOptions {
  /** Module whose default export runs the program. */
  readonly program: string
  readonly query: LogQuery
  readonly replay: ReplayOptions
}

/** Runs a program against recorded runs, offline; fails unless it does the same in all of them. */
export async function testRuns(
  files: readonly string[],
  { program: module, query, replay: options }: TestRunsOptions,
  output: LogOutput,
): Promise<void> {
  const program = await output.aside(
    async () =>
      await importFrom<RepeatedProgram>(module, {
        name: 'default',
        type: 'function',
        example: 'export default (options, run) => agent.run(run.message, options)',
      }),
  )
  const count: Record<ReplayReport['outcome'], number> = { same: 0, differs: 0, cannot: 0 }
  for (const file of files.length > 0 ? files : [undefined]) {
    await using source = await openLog(file, output.env)
    for (const { runId } of await wantedRuns(source, { limit: Infinity, ...query })) {
      const run = await source.read(runId)
      if (!run) continue
      const report = await output.aside(async () => await replay(run, program, options))
      count[report.outcome]++
      output.write(output.json ? `${printableJson({ runId, ...report })}\n` : reportText(run, report, output))
    }
  }
  const all = count.same + count.differs + count.cannot
  if (all === 0)
    throw new XError('invalid-argument', 'there are no runs to test: `x log ls` lists those that there are')
  if (!output.json) output.write(`\n${count.same} same, ${count.differs} differ, ${count.cannot} cannot be repeated\n`)
  if (count.same < all) output.fail()
}

const REPORT_STYLES = { same: 'green', differs: 'red', cannot: 'yellow' } as const

function reportText({ info }: KeptRun, report: ReplayReport, { paint }: LogOutput): string {
  const word = paint(REPORT_STYLES[report.outcome], report.outcome.padEnd('differs'.length))
  const line = `${word}  ${shortId(info.runId)}  ${oneLine(info.title, COLUMN_LIMITS.title)}\n`
  const { text = '' } = report
  return text ? `${line}  ${printable(text).replaceAll('\n', '\n  ')}\n` : line
}
