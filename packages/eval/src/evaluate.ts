import type { Budget, JsonSchema, JsonValue, MaybePromise, RunTracer, Spending, Tool } from '@x/interfaces'
import { isThenable, isXError, XError } from '@x/kernel'
import { RecordBudget } from '@x/kernel/limits'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  AnswerFile,
  type CellCalls,
  type EvalSpending,
  type KeptAnswer,
  lessSpending,
  NOTHING_SPENT,
  sumOfSpending,
} from './answer-file.ts'
import { type CellOutcome, runCell, secondsOfLate } from './cell.ts'
import { checkLostCalls, isOutage, messageOf } from './failure.ts'
import { digestOf, platformNow } from './platform.ts'
import { compare, type Comparison, type EvalCell, type EvalRow, rowsOf } from './report.ts'
import { exact } from './scorers/exact.ts'
import { schema } from './scorers/schema.ts'
import { agreementOf, type JudgeAgreement, judgeLabelled, type LabelledVerdicts, scoreOf, titleOf } from './score.ts'
import { seedOf } from './statistics.ts'
import type { AskedTask, Contestant, ContestantAnswer, EvalTask, Scorer, World } from './task.ts'

/** Options of {@link evaluate}. */
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

/** The results of an evaluation, as plain JSON. */
export interface EvalReport {
  /** True if every answer that was wanted is there and has a verdict. */
  readonly isComplete: boolean
  /** Says how many answers and verdicts are missing, and why; null if it is complete. */
  readonly problem: string | null
  /** The cause of an early end; null without one. */
  readonly stopped: 'budget' | 'aborted' | null
  readonly tasks: number
  readonly repeats: number
  readonly contestants: readonly string[]
  readonly rows: readonly EvalRow[]
  /** Each contestant with each that comes behind it. */
  readonly comparisons: readonly Comparison[]
  /** The agreement of judges with people; for a judge without labelled answers, that it is not known. */
  readonly judges: readonly JudgeAgreement[]
  /** All answers, also those that are missing. */
  readonly cells: readonly EvalCell[]
  /** All that models have cost, by the file: earlier processes, attempts in vain and answers to other settings included. */
  readonly spent: EvalSpending
  /** Cost of this call of `evaluate` alone. */
  readonly spentNow: EvalSpending
  /** Warnings of models and agents in this call, each once, such as that of a model whose price is not known. */
  readonly warnings: readonly string[]
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

/**
 * Asks each contestant each task, judges the answers, and compares the contestants pair by pair. With a `file`, answers that are
 * there are not asked again: a killed evaluation goes on where it was, a finished one costs nothing. Fails only for wrong options
 * and a file that cannot be used or written any more, then without a further question; everything else is told in the report.
 */
export async function evaluate(options: EvalOptions): Promise<EvalReport> {
  const plan = planOf(options)
  const file = new AnswerFile(options.file)
  try {
    return await new Evaluation(plan, file).run()
  } finally {
    file.close()
  }
}

/** Keys of the options that have no default. */
type Optional = 'file' | 'budget' | 'onCell' | 'records'

/** The options with their defaults, and the answers that are wanted. */
type Plan = { readonly [K in Exclude<keyof EvalOptions, Optional>]-?: Exclude<EvalOptions[K], undefined> } & Pick<
  EvalOptions,
  'budget' | 'onCell' | 'records'
> & { readonly cells: readonly PlannedCell[] }

/** An answer that is wanted. */
interface PlannedCell {
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

function planOf(options: EvalOptions): Plan {
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

function askedIdOf(task: EvalTask, world?: FirstWorld): string {
  const facts = factsOf(task, world)
  try {
    return digestOf(JSON.stringify(facts))
  } catch {
    throw refused(`the \`answerSchema\` of the task \`${task.id}\`, or of a tool of its \`world\`, is no plain JSON`)
  }
}

/** Returns settings with their keys in one order: another one is no other setting. */
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
function worldOf({ id, world }: EvalTask): FirstWorld | undefined {
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
      throw refused(`the \`kind\` of the task \`${id}\` is no text`)
    if (scorer !== undefined && typeof scorer !== 'function')
      throw refused(`the \`scorer\` of the task \`${id}\` is no function`)
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
    if (!isPlain(each.settings)) throw refused(`the \`settings\` of the contestant \`${name}\` are no plain JSON`)
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

const isBudget = (budget: Partial<Spending> | Budget): budget is Budget => 'reserve' in budget

/** Says what is missing; null for nothing. */
function problemOf({ cells, stopped }: Pick<EvalReport, 'cells' | 'stopped'>, earlier: Spending): string | null {
  const missing = cells.filter(({ status }) => status === 'missing')
  const unscored = cells.filter(({ status }) => status === 'unscored')
  if (missing.length + unscored.length === 0) return null
  const reasons = new Set([...missing, ...unscored].map(({ reason }) => reason ?? 'unknown'))
  const why =
    stopped === 'budget'
      ? `${USED_UP}${earlier.calls > 0 ? `; the file had ${earlier.calls} calls of before` : ''}`
      : stopped === 'aborted'
        ? 'it was stopped'
        : [...reasons].slice(0, 3).join('; ')
  return `${missing.length} of ${cells.length} answers are missing and ${unscored.length} have no verdict (${why})`
}

const USED_UP = 'the budget is used up'

/** Why an answer is missing, and the runs in which it was asked for in vain. */
interface Missing {
  readonly missing: string
  readonly runs?: readonly string[]
}

/** An evaluation under way. */
class Evaluation {
  readonly #plan: Plan
  readonly #file: AnswerFile
  /** Fires when the evaluation is stopped, and when its file cannot be written. */
  readonly #signal: AbortSignal
  readonly #budget: Budget | undefined
  /** The amounts that the file had of before. */
  readonly #earlier: Spending
  #isSpent = false
  #spentNow: EvalSpending = NOTHING_SPENT
  readonly #warnings = new Set<string>()

  constructor(plan: Plan, file: AnswerFile) {
    this.#plan = plan
    this.#file = file
    this.#signal = AbortSignal.any([plan.signal, file.lost])
    const { budget } = plan
    this.#earlier = file.spent
    this.#budget =
      budget === undefined || isBudget(budget)
        ? budget
        : new RecordBudget({
            ...{ name: 'the budget of the evaluation', limit: budget, spent: this.#earlier, perCall: undefined },
            ...{ strict: false, minTokens: 1, per: undefined, waits: true },
          })
  }

  async run(): Promise<EvalReport> {
    const { cells: planned, concurrency, tasks, contestants, repeats, seed, signal, onCell } = this.#plan
    const judges = await this.#measureJudges()
    const cells: EvalCell[] = []
    let next = 0
    let done = 0
    const work = async (): Promise<void> => {
      while (next < planned.length) {
        const index = next++
        const cell = await this.#cell(this.#asKept(planned[index]!))
        cells[index] = cell
        done++
        const failed = (error: unknown): void => void this.#warnings.add(`\`onCell\` failed: ${messageOf(error)}`)
        try {
          const told: unknown = onCell?.(cell, done, planned.length)
          // An asynchronous function fits the type too; unhandled, its failure would end the process.
          if (isThenable(told)) Promise.resolve(told).catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, planned.length) }, work))
    this.#file.lost.throwIfAborted()
    const names = contestants.map(({ name }) => name)
    const isComplete = cells.every(({ status }) => status === 'scored')
    const stopped = isComplete ? null : signal.aborted ? 'aborted' : this.#isSpent ? 'budget' : null
    return {
      ...{ isComplete, stopped, problem: problemOf({ cells, stopped }, this.#earlier) },
      ...{ tasks: tasks.length, repeats, contestants: names },
      rows: rowsOf(cells, seed),
      comparisons: names.flatMap((first, index) =>
        names.slice(index + 1).map((second) => compare(cells, first, second, seed)),
      ),
      ...{ judges, cells },
      spent: this.#file.spent,
      spentNow: this.#spentNow,
      warnings: [...this.#warnings],
    }
  }

  /** Returns an answer that is wanted with the identifier by which the file has it. */
  #asKept(planned: PlannedCell): PlannedCell {
    const id = [planned.id, ...planned.earlierIds].find((each) => this.#file.has(each)) ?? planned.id
    return { ...planned, id }
  }

  /** Returns an answer of the file; one that did not come in less time than it has now is none. */
  #known(id: string): KeptAnswer | undefined {
    const kept = this.#file.answer(id)
    return secondsOfLate(kept?.error?.message ?? '') < this.#plan.timeout ? undefined : kept
  }

  async #cell(planned: PlannedCell): Promise<EvalCell> {
    const { task, contestant, repeat, id } = planned
    const common = { task: task.id, kind: task.kind ?? 'task', contestant: contestant.name, repeat }
    const known = this.#known(id)
    const kept =
      known ?? (await this.#answer(planned).catch((error: unknown): Missing => ({ missing: messageOf(error) })))
    const { runs = [] } = kept
    if ('missing' in kept) {
      const empty = { answer: null, score: null, confidence: null, ms: 0, isReplayed: false, runs }
      return { ...common, ...empty, status: 'missing', reason: kept.missing, spent: this.#file.spentOn(id) }
    }
    const { text, confidence, spent, ms, error } = kept
    const { score, reason } = error
      ? { score: 0, reason: `${error.code}: ${error.message}` }
      : await this.#score(planned, kept)
    const isReplayed = known !== undefined
    await this.#labelRuns(runs, { score, reason, isReplayed })
    return {
      ...{ ...common, answer: text, score, reason, confidence, spent, ms, runs },
      ...{ status: score === null ? 'unscored' : 'scored', isReplayed },
    }
  }

  /** Asks for an answer, and keeps it unless something else than the contestant failed. */
  async #answer({ id, asked, task, contestant, repeat, seed }: PlannedCell): Promise<KeptAnswer | Missing> {
    const stopped = this.#stopReason()
    if (stopped) return { missing: stopped }
    const world = worldOf(task)
    if (world && this.#file.isKept && askedIdOf(task, world) !== asked)
      this.#warnings.add(
        `the \`world\` of the task \`${task.id}\` begins differently each time: its answers are not found in the file again`,
      )
    const before = this.#file.spentOn(id)
    const calls = this.#file.callsOf(id)
    const { records, name } = this.#plan
    const tags = { eval: name, task: task.id, contestant: contestant.name, repeat: String(repeat) }
    const options = { ...this.#cellOptions(calls), tracer: records?.tagged(tags) }
    const outcome = await runCell(options, async (run, signal) => {
      const given = readAnswer(await contestant.answer(askedOf(task, world), { run, signal, repeat, seed }))
      return { ...given, state: plainJson(world?.state()) }
    })
    const { value, error, isCut, spent, ms, runs } = outcome
    this.#note(outcome, calls)
    if (isCut || (!value && (this.#signal.aborted || isOutage(error)))) {
      this.#file.keepSpent(id, lessSpending(spent, calls.recalled, calls.kept))
      return { missing: this.#stopReason() ?? (isCut ? USED_UP : messageOf(error)), runs }
    }
    const answer: KeptAnswer = {
      ...{ cell: id, task: task.id, contestant: contestant.name, repeat, spent, ms },
      ...(value ?? { text: null, confidence: null, state: null }),
      error: value ? null : { code: isXError(error) ? error.code : 'error', message: messageOf(error).slice(0, 2000) },
      ...(runs.length > 0 && { runs }),
    }
    this.#file.keep(answer)
    this.#file.keepSpent(id, lessSpending(before, calls.recalled))
    return answer
  }

  async #score(
    { id, task }: PlannedCell,
    { text, state }: KeptAnswer,
  ): Promise<{ readonly score: number | null; readonly reason: string | null }> {
    const scorer = task.scorer ?? this.#plan.scorer
    for (let attempt = 0; ; attempt++) {
      const cell = attempt === 0 ? `judge ${id}` : `judge ${id} ${attempt}`
      const calls = this.#file.callsOf(cell)
      const outcome = await runCell(this.#cellOptions(calls), (run) =>
        scoreOf(scorer, { task, text: text ?? '', state }, { run, calls }),
      )
      this.#noteJudgement(cell, outcome, calls)
      const { value = { score: null, reason: `it could not be judged: ${messageOf(outcome.error)}` } } = outcome
      if (!outcome.value || value.score !== null || !isOfFile(calls)) return value
    }
  }

  /** Lets judges with labelled answers judge those, once for the evaluation. */
  async #measureJudges(): Promise<readonly JudgeAgreement[]> {
    const judges: JudgeAgreement[] = []
    for (const scorer of scorersOf(this.#plan)) {
      let told: LabelledVerdicts = { verdicts: [], problem: null }
      let isOpen = true
      for (let attempt = 0; isOpen; attempt++) {
        const cell = `labelled ${titleOf(scorer)}${attempt === 0 ? '' : ` ${attempt}`}`
        const calls = this.#file.callsOf(cell)
        const { verdicts } = told
        const outcome = await runCell({ ...this.#cellOptions(calls), timeout: Infinity }, (run) =>
          judgeLabelled(scorer, { run, calls, concurrency: this.#plan.concurrency, known: verdicts }),
        )
        this.#noteJudgement(cell, outcome, calls)
        told = outcome.value ?? { verdicts, problem: messageOf(outcome.error) }
        isOpen = isOfFile(calls) && told.verdicts.some(([, verdict]) => verdict === null)
      }
      judges.push(agreementOf(scorer, told, this.#plan.seed))
    }
    return judges
  }

  /** Gives the runs of an answer its score, also another one than at first. What cannot be written is a warning. */
  async #labelRuns(
    runs: readonly string[],
    { score, reason, isReplayed }: Pick<EvalCell, 'score' | 'reason' | 'isReplayed'>,
  ): Promise<void> {
    const { records } = this.#plan
    const labels = Object.entries({ score, reason }).filter(([, value]) => isReplayed || value !== null)
    for (const runId of records ? runs : []) {
      try {
        for (const [name, value] of labels) await records!.label(runId, { name, value })
      } catch (error) {
        // Records do not keep runs for ever.
        if (!isXError(error, 'invalid-argument')) this.#warnings.add(`a score was not recorded: ${messageOf(error)}`)
      }
    }
  }

  #cellOptions(calls: CellCalls): Parameters<typeof runCell>[0] {
    const { timeout, now } = this.#plan
    return { budget: this.#budget, calls, tracer: undefined, signal: this.#signal, timeout, now }
  }

  #note({ spent, isCut, warnings }: Omit<CellOutcome<unknown>, 'value'>, { recalled }: CellCalls): void {
    for (const each of warnings) this.#warnings.add(each)
    this.#isSpent ||= isCut
    this.#spentNow = sumOfSpending([this.#spentNow, spent, negative(recalled)])
  }

  #noteJudgement(cell: string, outcome: Omit<CellOutcome<unknown>, 'value'>, calls: CellCalls): void {
    this.#note(outcome, calls)
    this.#file.keepSpent(cell, lessSpending(outcome.spent, calls.recalled, calls.kept))
  }

  #stopReason(): string | null {
    if (this.#signal.aborted) return 'the evaluation was stopped'
    return this.#isSpent ? USED_UP : null
  }
}

const negative = ({ cost, tokens, calls, unpriced = 0 }: EvalSpending): EvalSpending => ({
  ...{ cost: -cost, tokens: -tokens, calls: -calls, unpriced: -unpriced },
})

/** True if all replies come from the file. Those of them that gave no verdict would never give one: the judge is asked again. */
const isOfFile = ({ recalled, kept }: CellCalls): boolean => recalled.calls > 0 && kept.calls === 0

/** Returns the scorers that are judges: their agreement with people is told, or that it is not known. */
const scorersOf = ({ tasks, scorer }: Pick<Plan, 'tasks' | 'scorer'>): readonly Scorer[] => [
  ...new Set(tasks.map((task) => task.scorer ?? scorer).filter(({ labelled }) => labelled !== undefined)),
]

const NO_TOOLS: readonly Tool[] = []

const askedOf = (
  { id, input, kind: kindOf = 'task', answerSchema }: EvalTask,
  world: World | undefined,
): AskedTask => ({
  ...{ id, input, kind: kindOf, tools: world?.tools ?? NO_TOOLS },
  // A copy: what a contestant does to it does not change what its answer is judged by.
  ...(answerSchema && { answerSchema: plainJson(answerSchema as JsonValue) as JsonSchema }),
})

/** Returns a value as the file keeps it, so that a replayed answer is judged as it was at first. */
const plainJson = (value: JsonValue | undefined): JsonValue => JSON.parse(JSON.stringify(value ?? null)) as JsonValue

/** Most characters of an answer. */
const MAX_ANSWER_LENGTH = 1_000_000

/** Reads what a contestant has returned. A text that is missing is an empty answer. */
function readAnswer(given: string | ContestantAnswer): Pick<KeptAnswer, 'text' | 'confidence'> {
  if (typeof given === 'string') return { text: checkedText(given), confidence: null }
  if (typeof given !== 'object' || given === null || !('text' in given || 'answer' in given))
    throw new XError('invalid-result', 'an answer has to be a text, or an object with a `text` or an `answer`')
  checkLostCalls(given)
  // A search tells it among its beliefs.
  const { beliefs } = given as { readonly beliefs?: Pick<ContestantAnswer, 'confidence'> | null }
  const { text, answer, confidence = beliefs?.confidence ?? null } = given
  const said = text ?? answer ?? ''
  if (confidence !== null && !(typeof confidence === 'number' && confidence >= 0 && confidence <= 1))
    throw new XError('invalid-result', 'the `confidence` of an answer has to be a number from 0 to 1')
  return { text: checkedText(said), confidence }
}

function checkedText(text: unknown): string {
  if (typeof text === 'string' && text.length <= MAX_ANSWER_LENGTH) return text
  throw new XError(
    'invalid-result',
    `the text of an answer has to be a text of at most ${MAX_ANSWER_LENGTH} characters`,
  )
}
