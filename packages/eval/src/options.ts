import type { Budget, JsonValue, MaybePromise, RunTracer, Spending } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { EvalCell } from './report.ts'
import type { Contestant, EvalTask, Scorer } from './task.ts'

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

/** Refuses wrong options. */
export function checkEvalOptions(options: EvalOptions): void {
  checkOptions(options ?? null, EVAL_KINDS, 'run `evaluate`')
  const { tasks, contestants, budget, scorer } = options
  if (budget && !isBudget(budget)) checkOptions(budget, BUDGET_KINDS, 'limit the `budget` of `evaluate`')
  checkTasks(tasks)
  checkContestants(contestants)
  const unjudged = scorer ? undefined : tasks.find((task) => !isJudged(task))
  // Its answers would be paid, and have no verdict.
  if (unjudged)
    throw refused(
      `the \`expected\` of the task \`${unjudged.id}\` is no text, number or truth value; give one, an \`answerSchema\`, or a \`scorer\` such as a judge`,
    )
}

/** Makes the error of wrong options. */
export const refused = (problem: string): XError =>
  new XError('invalid-argument', `cannot run \`evaluate\`: ${problem}`)

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

/** The types of `expected` that `exact` compares answers with. */
const COMPARED_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

const isJudged = ({ scorer, answerSchema, expected }: EvalTask): boolean =>
  scorer !== undefined || answerSchema !== undefined || COMPARED_TYPES.has(typeof expected)

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
