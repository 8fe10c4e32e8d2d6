import { once } from 'node:events'
import type { JournalKind, SpanOutcome } from '@x/interfaces'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { paintFor } from '../chat-view.ts'
import { thisProcess, whileWanted } from '../command-end.ts'
import { wholeFrom } from '../option-values.ts'
import type { LogOutput } from './log-actions.ts'
import { COST_GROUPS, type CostGroup } from './log-cost.ts'
import type { LogQuery } from './log-source.ts'

/** Options that choose runs. */
interface FilterOptions {
  readonly tag?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly outcome?: SpanOutcome | undefined
  readonly since?: number | undefined
  readonly limit?: number | undefined
}

/** Options of every command. */
interface CommonOptions {
  readonly file?: string | undefined
  readonly json?: boolean | undefined
}

const OUTCOMES: readonly SpanOutcome[] = ['ok', 'error', 'aborted', 'suspended']

const MS_BY_UNIT = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Kinds of calls that a test may really make. */
const MADE_KINDS = [
  'tool',
  'reply',
  'hook',
  'vetting',
  'message',
  'summary',
  'carryover',
  'speaker',
  'handoff',
] as const

const FILE_WORDS = 'file of runs; default: the one of `x chat`'

/** The parts of `x log`, which are loaded when they are called: the other commands start faster without them. */
const load = async () => await import('./log-actions.ts')

/** Makes the output of a command. */
export type MakeOutput = (options: { readonly json?: boolean | undefined }, signal?: AbortSignal) => LogOutput

/** Adds `x log` to the program; it writes to the streams of the process unless `outputOf` says otherwise. */
export function addLog(program: Command, outputOf: MakeOutput = processOutput): void {
  const log = program.command('log').description('Shows recorded runs: what was asked, answered and paid.')
  addLists(log, outputOf)
  addReaders(log, outputOf)
  addChanges(log, outputOf)
  addTest(log, outputOf)
}

function addLists(log: Command, outputOf: MakeOutput): void {
  withFilters(log.command('ls'))
    .description('Lists runs, those with the newest events first; times are in UTC.')
    .argument('[file]', FILE_WORDS)
    .option('--json', 'prints a run a line as JSON')
    .action(async (file: string | undefined, options: FilterOptions & CommonOptions) => {
      await (await load()).listRuns(file, queryOf(options), outputOf(options))
    })
  withFilters(log.command('cost'))
    .description('Adds up what runs cost.')
    .argument('[file]', FILE_WORDS)
    .addOption(new Option('--by <part>', 'part by which it is added up').choices(COST_GROUPS).default('day'))
    .option('--json', 'prints a sum a line as JSON')
    .action(async (file: string | undefined, options: FilterOptions & CommonOptions & { readonly by: CostGroup }) => {
      await (await load()).showCost(file, { by: options.by, query: queryOf(options) }, outputOf(options))
    })
}

function addReaders(log: Command, outputOf: MakeOutput): void {
  withFile(log.command('show'))
    .description('Shows a run as a tree: who said what, models, tools, time, tokens and cost.')
    .argument('[run]', 'beginning of the id of the run; default: the newest')
    .option('--full', 'shows texts whole')
    .action(async (run: string | undefined, options: CommonOptions & { readonly full?: boolean }) => {
      await (await load()).showRun(run, { file: options.file, full: options.full === true }, outputOf(options))
    })
  withFile(log.command('tail'))
    .description('Follows the events of a run until it ends; without one, those of the newest until Ctrl-C.')
    .argument('[run]', 'beginning of the id of the run')
    .action(async (run: string | undefined, options: CommonOptions) => {
      // Ctrl-C is how it ends, and no failure.
      const commandProcess = { ...thisProcess(), exitWith: () => {} }
      await whileWanted(async (signal) => {
        await (await import('./log-tail.ts')).tailRuns(run, options.file, outputOf(options, signal))
      }, commandProcess)
    })
  withFile(log.command('diff'))
    .description('Says what two runs asked differently first, and puts their messages side by side.')
    .argument('<run>', 'beginning of the id of a run')
    .argument('<other>', 'beginning of the id of the other run')
    .option('--ignore <path...>', 'parts that may differ, such as model.settings.*.temperature')
    .action(async (run: string, other: string, options: CommonOptions & { readonly ignore?: readonly string[] }) => {
      const { file, ignore = [] } = options
      await (await load()).diffRuns([run, other], { file, ignore }, outputOf(options))
    })
  withFile(log.command('compare'))
    .description('Puts runs side by side; with one, it and all runs that were forked from it.')
    .argument('<run...>', 'beginnings of the ids of the runs')
    .action(async (runs: readonly string[], options: CommonOptions) => {
      await (await load()).compareFutures(runs, options.file, outputOf(options))
    })
}

function addChanges(log: Command, outputOf: MakeOutput): void {
  withFile(log.command('export'))
    .description('Writes a run as a fixture: a file for `expectReplay` and `x log test`.')
    .argument('[run]', 'beginning of the id of the run; default: the newest')
    .option('--to <file>', 'where it is written; default: the output')
    .action(async (run: string | undefined, options: CommonOptions & { readonly to?: string | undefined }) => {
      await (await load()).exportRun(run, { file: options.file, to: options.to }, outputOf(options))
    })
  withFile(log.command('rm'))
    .description('Removes a run.')
    .argument('<run>', 'beginning of the id of the run')
    .action(async (run: string, options: CommonOptions) => {
      await (await load()).removeRun(run, options.file, outputOf(options))
    })
  withFile(log.command('label'))
    .description('Gives a run a score, a verdict or a note.')
    .argument('<run>', 'beginning of the id of the run')
    .argument('<label>', 'name=value, such as score=0.8')
    .option('--place <place>', 'place of a call in the run, such as 1.3; default: the whole run')
    .action(async (run: string, label: string, options: CommonOptions & { readonly place?: string | undefined }) => {
      const { file, place } = options
      await (await load()).labelRun(run, { file, place, label }, outputOf(options))
    })
}

function addTest(log: Command, outputOf: MakeOutput): void {
  withFilters(log.command('test'))
    .description('Runs a program against recorded runs, offline; fails unless it asks the same in all of them.')
    .argument('[file...]', 'files of runs, or fixtures; default: the file of `x chat`')
    .requiredOption('--program <module>', 'module whose default export runs the program: (options, run) => …')
    .option('--ignore <path...>', 'parts that may differ, such as model.settings.*.temperature')
    .addOption(new Option('--make <kind...>', 'kinds of calls that are really made').choices(MADE_KINDS))
    .option('--json', 'prints a report a line as JSON')
    .action(async (files: readonly string[], options: TestOptions) => {
      const { program, ignore, make } = options
      const test = { program, query: queryOf(options), replay: { ignore, make } }
      const { testRuns } = await load()
      await whileWanted(async (signal) => {
        // A program that is tested knows nothing of the signal.
        await Promise.race([testRuns(files, test, outputOf(options, signal)), once(signal, 'abort')])
      })
    })
}

interface TestOptions extends FilterOptions, CommonOptions {
  readonly program: string
  readonly ignore?: readonly string[] | undefined
  readonly make?: readonly JournalKind[] | undefined
}

const withFile = (command: Command): Command =>
  command.option('--file <file>', FILE_WORDS).option('--json', 'prints JSON')

const withFilters = (command: Command): Command =>
  command
    .option('--tag <name=value...>', 'runs with this tag', addTag)
    .option('--agent <name>', 'runs in which this agent takes part')
    .addOption(new Option('--outcome <outcome>', 'runs that ended so').choices(OUTCOMES))
    .option('--since <time>', 'runs with events since then: 90m, 24h, 7d, or a date or time in UTC', timeOf)
    .option('--limit <n>', 'most runs', wholeFrom(1))

function queryOf({ tag, agent, outcome, since, limit }: FilterOptions): LogQuery {
  return {
    ...(tag && { tags: tag }),
    ...(agent !== undefined && { agent }),
    ...(outcome && { outcome }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  }
}

const processOutput: MakeOutput = ({ json }, signal = new AbortController().signal) => {
  const { stdout, env } = process
  // Whoever read this reads no more, as `head` does.
  stdout.on('error', () => process.exit())
  return {
    env,
    paint: paintFor(stdout),
    // A terminal that knows no width says 0.
    columns: stdout.columns || undefined,
    json: json === true,
    signal,
    write: (text) => void stdout.write(text),
    drained: async () => stdout.writableNeedDrain && (await once(stdout, 'drain')),
    aside: async (act) => await whileDiverted(stdout, process.stderr, act),
    fail: () => void (process.exitCode = 1),
  }
}

/** A stream whose texts can be taken elsewhere. */
type Diverted = Pick<NodeJS.WriteStream, 'write'>

/** Runs something while what is written to one stream goes to another. */
export async function whileDiverted<T>(from: Diverted, to: Diverted, act: () => Promise<T>): Promise<T> {
  const write = from.write.bind(from)
  from.write = to.write.bind(to)
  try {
    return await act()
  } finally {
    from.write = write
  }
}

function addTag(text: string, tags: readonly string[] = []): readonly string[] {
  if (text.indexOf('=') < 1) throw new InvalidArgumentError('Write a name and a value, such as command=chat.')
  return [...tags, text]
}

/** A day, or a time of one, as ISO 8601 has it; without a zone it is in UTC, as the times that are shown. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/u

function timeOf(text: string): number {
  const [, amount, unit] = /^(\d{1,9})([mhd])$/u.exec(text) ?? []
  if (unit) return Date.now() - Number(amount) * MS_BY_UNIT[unit as keyof typeof MS_BY_UNIT]
  const [iso, zone] = ISO_TIME.exec(text) ?? []
  const hasTime = iso !== undefined && iso.length > '2026-01-31'.length
  const time = iso === undefined ? NaN : Date.parse(hasTime && zone === undefined ? `${iso}Z` : iso)
  const day = iso?.slice(0, '2026-01-31'.length) ?? ''
  // JavaScript takes the 30th of February for a day of March.
  if (Number.isNaN(time) || !new Date(day).toISOString().startsWith(day))
    throw new InvalidArgumentError(
      'Write 90m, 24h, 7d, or a date or time in UTC such as 2026-01-31 or 2026-01-31T09:30.',
    )
  return time
}
