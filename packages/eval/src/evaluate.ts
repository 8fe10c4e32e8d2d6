import type { Budget, JsonSchema, JsonValue, Spending, Tool } from '@x/interfaces'
import { isThenable, isXError, XError } from '@x/kernel'
import { RecordBudget } from '@x/kernel/limits'
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
import { type EvalOptions, isBudget } from './options.ts'
import { askedIdOf, plainJson, type Plan, type PlannedCell, planOf, worldOf } from './plan.ts'
import { compare, type EvalCell, type EvalReport, problemOf, rowsOf, USED_UP } from './report.ts'
import { agreementOf, type JudgeAgreement, judgeLabelled, type LabelledVerdicts, scoreOf, titleOf } from './score.ts'
import type { AskedTask, ContestantAnswer, EvalTask, Scorer, World } from './task.ts'

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
            name: 'the budget of the evaluation',
            limit: budget,
            spent: this.#earlier,
            perCall: undefined,
            strict: false,
            minTokens: 1,
            per: undefined,
            waits: true,
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
      isComplete,
      stopped,
      problem: problemOf({ cells, stopped }, this.#earlier),
      tasks: tasks.length,
      repeats,
      contestants: names,
      rows: rowsOf(cells, seed),
      comparisons: names.flatMap((first, index) =>
        names.slice(index + 1).map((second) => compare(cells, first, second, seed)),
      ),
      judges,
      cells,
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

  /** Returns an answer of the file; not one that ran out of less time than it has now. */
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
      ...common,
      answer: text,
      score,
      reason,
      confidence,
      spent,
      ms,
      runs,
      status: score === null ? 'unscored' : 'scored',
      isReplayed,
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
    let given: unknown
    const outcome = await runCell(options, async (run, signal) => {
      const answer = await contestant.answer(askedOf(task, world), { run, signal, repeat, seed })
      given = answer
      return { ...readAnswer(answer), state: plainJson(world?.state()) }
    })
    const { value, error, isCut, spent, ms, runs } = outcome
    this.#note(outcome, calls)
    if (spent.calls === 0 && hasAskedModels(given))
      this.#warnings.add(
        `\`${contestant.name}\` asks models outside of its \`run\`: no budget holds them, and their cost is not counted; pass the \`run\` on, as \`agent.run(task.input, { run })\` does`,
      )
    if (isCut || (!value && (this.#signal.aborted || isOutage(error)))) {
      this.#file.keepSpent(id, lessSpending(spent, calls.recalled, calls.kept))
      return { missing: this.#stopReason() ?? (isCut ? USED_UP : messageOf(error)), runs }
    }
    const answer: KeptAnswer = {
      cell: id,
      task: task.id,
      contestant: contestant.name,
      repeat,
      spent,
      ms,
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
    const { concurrency, timeout } = this.#plan
    for (const scorer of scorersOf(this.#plan)) {
      let told: LabelledVerdicts = { verdicts: [], problem: null }
      let isOpen = true
      for (let attempt = 0; isOpen; attempt++) {
        const cell = `labelled ${titleOf(scorer)}${attempt === 0 ? '' : ` ${attempt}`}`
        const calls = this.#file.callsOf(cell)
        const { verdicts } = told
        const outcome = await runCell({ ...this.#cellOptions(calls), timeout: Infinity }, (run) =>
          judgeLabelled(scorer, { run, calls, concurrency, timeout, known: verdicts }),
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
    // That the budget is used up stands in the problem.
    if (!isCut) for (const each of warnings) this.#warnings.add(each)
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
  cost: -cost,
  tokens: -tokens,
  calls: -calls,
  unpriced: -unpriced,
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
  id,
  input,
  kind: kindOf,
  tools: world?.tools ?? NO_TOOLS,
  // A copy: what a contestant does to it does not change what its answer is judged by.
  ...(answerSchema && { answerSchema: plainJson(answerSchema as JsonValue) as JsonSchema }),
})

/** True if an answer says that models were asked for it, as the results of `agent.run` do. */
function hasAskedModels(given: unknown): boolean {
  const { cost, usage } = Object(given) as {
    readonly cost?: unknown
    readonly usage?: { readonly totalTokens?: unknown }
  }
  return Number(cost) > 0 || Number(usage?.totalTokens) > 0
}

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
