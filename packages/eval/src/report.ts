import type { Spending } from '@x/interfaces'
import { type EvalSpending, ROUNDING_ERROR, sumOfSpending } from './answer-file.ts'
import type { JudgeAgreement } from './score.ts'
import { differenceOf, type Interval, intervalOf, meanOf, signTest } from './statistics.ts'

/** One answer of a contestant to a task, and its score. */
export interface EvalCell {
  readonly task: string
  readonly kind: string
  readonly contestant: string
  /** Number of the answer, from 0. */
  readonly repeat: number
  /** `missing`: not asked, or asked in vain; `unscored`: there is an answer, and no verdict. */
  readonly status: 'scored' | 'unscored' | 'missing'
  /** Null without an answer. */
  readonly answer: string | null
  /** From 0 to 1; null without a verdict. */
  readonly score: number | null
  /** Why it has this score, or none. */
  readonly reason: string | null
  readonly confidence: number | null
  readonly spent: EvalSpending
  /** Duration in milliseconds. */
  readonly ms: number
  /** True if the answer comes from the file. */
  readonly isReplayed: boolean
  /** Identifiers of the runs that records have of it. */
  readonly runs: readonly string[]
}

/** The results of a contestant, in all tasks or in those of a kind. */
export interface EvalRow {
  readonly contestant: string
  /** Null for all kinds. */
  readonly kind: string | null
  /** Mean score of the tasks with a verdict; null without any. */
  readonly score: Interval | null
  /** Answers with a verdict, and all that were wanted. */
  readonly scored: number
  readonly wanted: number
  readonly spent: EvalSpending
  /** Mean duration of an answer in milliseconds; null without one. */
  readonly ms: number | null
  /** Null if the contestant says nothing of its confidence. */
  readonly calibration: Calibration | null
}

/** How well a contestant knows what it knows. */
export interface Calibration {
  /** Answers with a confidence and a verdict. */
  readonly n: number
  /** Mean of (confidence − score)²: 0 is best, and 0.25 what one has who always says one half. */
  readonly brier: Interval
  /** Expected calibration error: mean distance of confidence and share of right answers, over the bins. */
  readonly ece: number
  readonly bins: readonly {
    readonly from: number
    readonly to: number
    readonly n: number
    readonly confidence: number
    /** Of the means of tasks: several answers to one are not independent observations. */
    readonly score: Interval
  }[]
}

/** Two contestants at the same tasks. */
export interface Comparison {
  readonly first: string
  readonly second: string
  /** Score of the first minus that of the second, over the tasks that both have answered; null without any. */
  readonly difference: Interval | null
  /** Tasks in which the first is better, worse, or as good. */
  readonly wins: number
  readonly losses: number
  readonly ties: number
  /** Probability of wins as uneven as these if both were equally good, by the exact sign test. */
  readonly p: number
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

/** Says what is missing; null for nothing. */
export function problemOf({ cells, stopped }: Pick<EvalReport, 'cells' | 'stopped'>, earlier: Spending): string | null {
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

/** The reason of answers that are missing for want of budget. */
export const USED_UP = 'the budget is used up'

const BIN_COUNT = 10

/** Makes the rows of the table: for each contestant one of all tasks, and one of each kind if there are several. */
export function rowsOf(cells: readonly EvalCell[], seed: number): readonly EvalRow[] {
  const kinds = new Set(cells.map(({ kind }) => kind))
  return [...Map.groupBy(cells, ({ contestant }) => contestant)].flatMap(([contestant, own]) => [
    rowOf(contestant, null, own, seed),
    ...(kinds.size > 1
      ? [...Map.groupBy(own, ({ kind }) => kind)].map(([kind, some]) => rowOf(contestant, kind, some, seed))
      : []),
  ])
}

function rowOf(contestant: string, kind: string | null, cells: readonly EvalCell[], seed: number): EvalRow {
  const answered = cells.filter(({ status }) => status !== 'missing')
  return {
    contestant,
    kind,
    score: intervalOf([...scoresByTask(cells).values()].map(meanOfScores), seed),
    scored: cells.filter(({ score }) => score !== null).length,
    wanted: cells.length,
    spent: sumOfSpending(cells.map(({ spent }) => spent)),
    ms: answered.length > 0 ? meanOf(answered.map(({ ms }) => ms)) : null,
    calibration: calibrationOf(cells, seed),
  }
}

/** The scores by task and repeat: the repeats of a task are not independent observations. */
function scoresByTask(cells: readonly EvalCell[]): Map<string, Map<number, number>> {
  const tasks = new Map<string, Map<number, number>>()
  for (const { task, repeat, score } of cells) {
    if (score === null) continue
    tasks.set(task, (tasks.get(task) ?? new Map<number, number>()).set(repeat, score))
  }
  return tasks
}

const meanOfScores = (scores: ReadonlyMap<number, number>): number => meanOf([...scores.values()])

/** A confidence, and whether it was deserved. */
interface Said {
  readonly task: string
  readonly confidence: number
  readonly score: number
}

/** The mean of each task: the repeats of a task are not independent observations. */
const meansByTask = (said: readonly Said[], of: (each: Said) => number): readonly number[] =>
  [...Map.groupBy(said, ({ task }) => task).values()].map((some) => meanOf(some.map(of)))

function calibrationOf(cells: readonly EvalCell[], seed: number): Calibration | null {
  const said = cells.flatMap(({ task, confidence, score }): Said[] =>
    confidence === null || score === null ? [] : [{ task, confidence, score }],
  )
  if (said.length === 0) return null
  const binOf = ({ confidence }: Said): number => Math.min(BIN_COUNT - 1, Math.floor(confidence * BIN_COUNT))
  const bins = [...Map.groupBy(said, binOf)]
    .toSorted(([one], [other]) => one - other)
    .map(([index, some]) => ({
      from: index / BIN_COUNT,
      to: (index + 1) / BIN_COUNT,
      n: some.length,
      confidence: meanOf(meansByTask(some, ({ confidence }) => confidence)),
      score: intervalOf(
        meansByTask(some, ({ score }) => score),
        seed,
      )!,
    }))
  const squares = meansByTask(said, ({ confidence, score }) => (confidence - score) ** 2)
  const ece = bins.reduce((sum, { n, confidence, score }) => sum + n * Math.abs(confidence - score.value), 0)
  return { n: said.length, brier: intervalOf(squares, seed)!, ece: ece / said.length, bins }
}

/**
 * Compares two contestants at the tasks and repeats that both have answered. Tasks are the observations: several answers to one
 * count as their mean.
 */
export function compare(cells: readonly EvalCell[], first: string, second: string, seed: number): Comparison {
  const scoresOf = (name: string): Map<string, Map<number, number>> =>
    scoresByTask(cells.filter(({ contestant }) => contestant === name))
  const others = scoresOf(second)
  const pairs = [...scoresOf(first)].flatMap(([task, scores]) => {
    const common = [...scores].flatMap(([repeat, score]) => {
      const other = others.get(task)?.get(repeat)
      return other === undefined ? [] : [[score, other] as const]
    })
    const side = (index: 0 | 1): number => meanOf(common.map((pair) => pair[index]))
    return common.length > 0 ? [[side(0), side(1)] as const] : []
  })
  const wins = pairs.filter(([one, other]) => one - other > ROUNDING_ERROR).length
  const losses = pairs.filter(([one, other]) => other - one > ROUNDING_ERROR).length
  return {
    first,
    second,
    wins,
    losses,
    ties: pairs.length - wins - losses,
    difference: differenceOf(pairs, seed),
    p: signTest(wins, losses),
  }
}
