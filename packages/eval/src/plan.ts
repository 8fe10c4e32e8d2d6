import type { Budget, JsonValue, MaybePromise, RunTracer, Spending } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { messageOf } from './failure.ts'
import { digestOf, platformNow } from './platform.ts'
import type { EvalCell } from './report.ts'
import { exact } from './scorers/exact.ts'
import { schema } from './scorers/schema.ts'
import { seedOf } from './statistics.ts'
import type { Contestant, EvalTask, Scorer, World } from './task.ts'

/** Options of `evaluate`. */
export interface EvalOptions {
  readonly tasks: readonly EvalTask[]
  readonly contestants: readonly Contestant[]
  /** Judges the answers of tasks without a scorer of their own; default: `schema()` for tasks with an `answerSchema`, else `exact()`. */
  readonly scorer?: Scorer | undefined
  /** Answers of each contestant to each task; default 1. */
  readonly repeats?: number | undefined
  /** File in which answers are kept: what is there is not asked again. Default: none. */
  readonly file?: string | undefined
  /**
   * Where the runs of the answers are recorded, with tags (`eval`, `task`, `contestant`, `repeat`) and with the score as a label;
   * default: nowhere.
   */
  readonly records?: EvalRecords | undefined
  /** Name of the evaluation, the tag `eval` of its runs; default `eval`. */
  readonly name?: string | undefined
  /**
   * Most that models may cost: US dollars, tokens, calls, all that the file says was spent earlier included. Or a budget, such as
   * one of `createBudget`, which counts for itself and knows nothing of the file. Default: no limit.
   */
  readonly budget?: Partial<Spending> | Budget | undefined
  /** Answers at once; default 8. */
  readonly concurrency?: number | undefined
  /** Seconds for one answer; default 600. */
  readonly timeout?: number | undefined
  /** Seed of the intervals, and of the `seed` of contestants; default 1. */
  readonly seed?: number | undefined
  /** Stops the evaluation, which then returns what it has. */
  readonly signal?: AbortSignal | undefined
  /** Is told of each answer as it is judged, with the number of those that are done and of all. If it throws, that is a warning. */
  readonly onCell?: ((cell: EvalCell, done: number, wanted: number) => void) | undefined
  /** The time in milliseconds since 1970; default: the clock of the platform. */
  readonly now?: (() => number) | undefined
}

/** Records of runs, as `openRecords` of `@x/records` opens them. */
interface EvalRecords {
  readonly tagged: (tags: Readonly<Record<string, string>>) => RunTracer
  readonly label: (runId: string, label: { readonly name: string; readonly value: JsonValue }) => MaybePromise<void>
}

const EVAL_KINDS: OptionKinds<EvalOptions> = {
  tasks: kind.list,
  contestants: kind.list,
  scorer: kind.call,
  repeats: kind.whole(1),
  file: kind.text,
  records: kind.having('records of runs, such as `openRecords(file)`', 'tagged', 'label'),
  name: kind.text,
  budget: kind.object,
  concurrency: kind.whole(1),
  timeout: kind.timeout,
  seed: kind.whole(0),
  signal: kind.object,
  onCell: kind.call,
  now: kind.call,
}

const BUDGET_KINDS: OptionKinds<Spending> = { cost: kind.number(0), tokens: kind.limit(0), calls: kind.limit(0) }

/** Keys of the options that have no default. */
type Optional = 'file' | 'budget' | 'onCell' | 'records'

/** The options with their defaults, and the answers that are wanted. */
export type Plan = {
  readonly [K in Exclude<keyof EvalOptions, Optional>]-?: Exclude<EvalOptions[K], undefined>
} & Pick<EvalOptions, 'budget' | 'onCell' | 'records'> & { readonly cells: readonly PlannedCell[] }

/** An answer that is wanted. */
export interface PlannedCell {
  readonly id: string
  /** Those by which earlier releases have kept it: the text of `answer` as it is, also with the keys of the settings in their order. */
  readonly earlierIds: readonly string[]
  /** Digest of the facts of the task. */
  readonly asked: string
  readonly task: EvalTask
  readonly contestant: Contestant
  readonly repeat: number
  readonly seed: number
}

/** Checks the options of an evaluation, and lists the answers that are wanted. */
export function planOf(options: EvalOptions): Plan {
  checkOptions(options ?? null, EVAL_KINDS, 'run `evaluate`')
  const { tasks, contestants, scorer = usualScorer(), repeats = 1, seed = 1, budget } = options
  if (budget && !isBudget(budget)) checkOptions(budget, BUDGET_KINDS, 'limit the `budget` of `evaluate`')
  checkTasks(tasks)
  checkContestants(contestants)
  // Once for all tasks: the settings may have the text of a module.
  const answering = contestants.map((contestant) => ({ contestant, parts: partsOf(contestant) }))
  // One task after another, so that the answers of an evaluation that is stopped can be compared.
  const cells = Array.from({ length: repeats }, (_, repeat) =>
    tasks.flatMap((task) => {
      const asked = askedIdOf(task)
      const common = { asked, task, repeat, seed: seedOf(JSON.stringify([seed, task.id, repeat])) }
      return answering.map(({ contestant, parts }): PlannedCell => {
        const name = JSON.stringify(contestant.name)
        const [id, ...earlierIds] = parts.map((part) => digestOf(`["${asked}",${name},${part},${repeat}]`))
        return { ...common, id: id!, earlierIds, contestant }
      })
    }),
  ).flat()
  const { concurrency = 8, timeout = 600, now = platformNow, name = 'eval', onCell, records } = options
  const signal = options.signal ?? new AbortController().signal
  const limits = { repeats, concurrency, timeout, budget, signal }
  return { ...{ name, tasks, contestants, scorer, ...limits, now, onCell, records, seed }, cells }
}

/** Writes the settings and the text of a contestant as identifiers have them, and behind it as those of earlier releases had. */
function partsOf({ settings = null, answer }: Contestant): readonly string[] {
  const [text, sorted] = [String(answer), withSortedKeys(settings)]
  const known = [
    [sorted, withoutNumbers(text)],
    [sorted, text],
    [settings, text],
  ]
  return [...new Set(known.map((each) => JSON.stringify(each).slice(1, -1)))]
}

/** Takes the names that Vitest gives imports off a text: a further import of the file would change their numbers. */
const withoutNumbers = (text: string): string => text.replaceAll(/__vi(?:te_ssr)?_import_\d+__\./gu, '')

/** Makes the scorer of an evaluation that names none. */
function usualScorer(): Scorer {
  const [bySchema, byText] = [schema(), exact()]
  return (given, context) => (given.task.answerSchema ? bySchema : byText)(given, context)
}

/** The facts of a task that an answer hangs on. What scorers compare it with may change: answers are judged anew. */
function factsOf(task: EvalTask, world = worldOf(task)): JsonValue {
  const { id, input, kind: kindOf, answerSchema } = task
  const { tools = [], start = null } = world ?? {}
  const told = tools.map(({ name, description, parameters }) => [name, description, parameters as JsonValue])
  return [id, input, kindOf ?? null, (answerSchema ?? null) as JsonValue, told, start]
}

/** Returns the digest of the facts of a task that an answer hangs on; `world` is a world of it that is there already. */
export function askedIdOf(task: EvalTask, world?: FirstWorld): string {
  const facts = factsOf(task, world)
  try {
    return digestOf(JSON.stringify(facts))
  } catch {
    throw refused(`the \`answerSchema\` of the task \`${task.id}\`, or of a tool of its \`world\`, is not plain JSON`)
  }
}

/** Returns settings with their keys in one order: settings that differ only in that order are the same. */
function withSortedKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ),
  ) as JsonValue
}

/** A world before anything was done in it. */
type FirstWorld = World & { readonly start: JsonValue }

/** Makes the world of one answer, with its state at the start. A failure here says nothing about a contestant. */
export function worldOf({ id, world }: EvalTask): FirstWorld | undefined {
  try {
    const made = world?.()
    if (!made) return undefined
    const { tools, state } = made as Partial<World>
    if (!Array.isArray(tools) || typeof state !== 'function')
      throw new TypeError('it has to return `{ tools, state }`, and no promise')
    const start: unknown = made.state()
    if (isThenable(start)) throw new TypeError('its `state` has to return plain JSON, and no promise')
    return { tools, state: () => made.state(), start: plainJson(start as JsonValue) }
  } catch (error) {
    throw new XError('invalid-argument', `the \`world\` of the task \`${id}\` cannot be made: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

const refused = (problem: string): XError => new XError('invalid-argument', `cannot run \`evaluate\`: ${problem}`)

function checkTasks(tasks: EvalOptions['tasks']): void {
  if (tasks.length === 0) throw refused('there are no `tasks`; give at least one, such as { id, input, expected }')
  const ids = new Set<string>()
  for (const [index, task] of tasks.entries()) {
    const { id, input, kind: kindOf, scorer } = (task ?? {}) as Partial<EvalTask>
    if (typeof id !== 'string' || id === '' || typeof input !== 'string')
      throw refused(`the task at index ${index} needs an \`id\` and an \`input\`, both texts`)
    if (kindOf !== undefined && typeof kindOf !== 'string')
      throw refused(`the \`kind\` of the task \`${id}\` is not a text`)
    if (scorer !== undefined && typeof scorer !== 'function')
      throw refused(`the \`scorer\` of the task \`${id}\` is not a function`)
    if (ids.has(id)) throw refused(`two tasks have the id \`${id}\`; give each its own`)
    ids.add(id)
  }
}

function checkContestants(contestants: EvalOptions['contestants']): void {
  if (contestants.length === 0)
    throw refused('there are no `contestants`; give at least one: { name, answer: (task, { run }) => … }')
  const names = new Set<string>()
  for (const [index, each] of contestants.entries()) {
    const { name, answer } = (each ?? {}) as Partial<Contestant>
    if (typeof name !== 'string' || name === '' || typeof answer !== 'function')
      throw refused(`the contestant at index ${index} needs a \`name\`, and \`answer\`: (task, { run }) => …`)
    if (!isPlain(each.settings)) throw refused(`the \`settings\` of the contestant \`${name}\` are not plain JSON`)
    if (names.has(name)) throw refused(`two contestants have the name \`${name}\`; give each its own`)
    names.add(name)
  }
}

function isPlain(value: JsonValue | undefined): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

/** Tells a budget from limits. */
export const isBudget = (budget: Partial<Spending> | Budget): budget is Budget => 'reserve' in budget

/** Returns a value as the file keeps it, so that a replayed answer is judged as it was at first. */
export const plainJson = (value: JsonValue | undefined): JsonValue =>
  JSON.parse(JSON.stringify(value ?? null)) as JsonValue
