import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { evaluate } from './evaluate.ts'
import type { EvalOptions } from './options.ts'
import type { EvalReport } from './report.ts'

/** The score that a test wants. */
interface ScoreFloor {
  /** The lower end of the interval of every score has to be at least this, from 0 to 1. */
  readonly floor: number
  /** The contestants that it is wanted of, at least one; default: all. */
  readonly contestants?: readonly string[] | undefined
}

const FLOOR_KINDS: OptionKinds<ScoreFloor> = { floor: kind.any, contestants: kind.list }

/**
 * Evaluates as a test, with any runner: fails with `eval-failed` if answers or verdicts are missing, or if the lower end of the
 * interval of a score is below the floor. Few tasks have a wide interval: 20 right answers of 20 are no more than 0.83. Models need
 * more time than the five seconds that Vitest gives a test.
 */
export async function expectEval(options: EvalOptions, wanted: ScoreFloor): Promise<EvalReport> {
  checkOptions(wanted ?? null, FLOOR_KINDS, 'run `expectEval`')
  const { floor, contestants } = wanted
  if (!(floor >= 0 && floor <= 1))
    throw new XError('invalid-argument', `cannot run \`expectEval\`: \`floor\` has to be a number from 0 to 1`)
  if (contestants?.length === 0)
    throw new XError('invalid-argument', 'cannot run `expectEval`: there are no `contestants`; leave them out for all')
  const unknown = contestants?.find((name) => !options.contestants.some((each) => each.name === name))
  if (unknown !== undefined) {
    const known = options.contestants.map(({ name }) => `\`${name}\``).join(', ')
    throw new XError(
      'invalid-argument',
      `cannot run \`expectEval\`: there is no contestant \`${unknown}\`; there are ${known}`,
    )
  }
  const report = await evaluate(options)
  const problems = [
    ...(report.problem === null ? [] : [report.problem]),
    ...report.rows.flatMap(({ contestant, kind: of, score, scored }) => {
      if (of !== null || !score || contestants?.includes(contestant) === false || score.low >= floor) return []
      const [value, low] = [score.value, score.low].map((each) => each.toFixed(3))
      return [`\`${contestant}\` has ${value} in ${scored} answers, at least ${low} with 95 %, which is below ${floor}`]
    }),
  ]
  if (problems.length === 0) return report
  const wrong = report.cells.filter(({ score }) => score !== null && score < 1).slice(0, 5)
  const examples = wrong.map(({ task, contestant, reason }) => `\n- ${task}, ${contestant}: ${reason ?? 'wrong'}`)
  throw new XError('eval-failed', `the evaluation failed: ${problems.join('; ')}${examples.join('')}`, {
    details: { rows: report.rows },
  })
}
