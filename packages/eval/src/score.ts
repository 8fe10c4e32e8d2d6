import type { JsonValue, Model, Run } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { CellCalls } from './answer-file.ts'
import { inTime, keptByCaller } from './cell.ts'
import { messageOf } from './failure.ts'
import { digestOf } from './platform.ts'
import { type Interval, kappaIntervalOf, wilson } from './statistics.ts'
import type { GivenAnswer, LabelledAnswer, Score, ScoreContext, Scorer } from './task.ts'

/** A verdict with its reason. */
interface Verdict {
  /** From 0 to 1; null if it cannot be told. */
  readonly score: number | null
  readonly reason: string | null
}

/** How far a judge agrees with people, over labelled answers. */
export interface JudgeAgreement {
  readonly judge: string
  /** Share of answers of which both say the same; null if none was judged. */
  readonly agreement: Interval | null
  /** Cohen's kappa, the agreement beyond chance; null if people gave all answers one label. */
  readonly kappa: Interval | null
  /** Share of wrong answers that the judge accepts; null without wrong ones. */
  readonly falsePraise: Interval | null
  /** Share of right answers that the judge refuses; null without right ones. */
  readonly falseBlame: Interval | null
  /** Labelled answers of which the judge gave no verdict. */
  readonly unjudged: number
  /** The reason why it could not be measured whole; null if it was. */
  readonly problem: string | null
}

/** The run in which verdicts are given, and its calls. */
interface Judging {
  readonly run: Run
  readonly calls: CellCalls
}

/** Name of a scorer in results. */
export const titleOf = (scorer: Scorer): string => scorer.title ?? (scorer.name || 'scorer')

/** Asks a scorer for its verdict on an answer. */
export async function scoreOf(scorer: Scorer, given: GivenAnswer, { run, calls }: Judging): Promise<Verdict> {
  const ask: ScoreContext['ask'] = async (model, request) =>
    await calls.once(
      digestOf(JSON.stringify([settingsOf(model, request), request.messages, request.sample ?? 0])),
      async () => {
        const own = keptByCaller(run)
        const response = await model.create(request, { run: own.run }).finally(() => own.end())
        const [text] = response.messageRetrievalFunction(response)
        const spent = {
          cost: response.cost,
          tokens: response.usage?.total_tokens ?? 0,
          calls: 1,
          ...(response.unpriced && { unpriced: 1 }),
        }
        return { value: typeof text === 'string' ? text : '', spent }
      },
    )
  return verdictOf(await scorer(given, { run, ask }))
}

/** The settings of a model, so that the answers of another one are asked anew. */
const settingsOf = (model: Model, request: Parameters<Model['create']>[0]): JsonValue =>
  (model.settingsOf?.(request) ?? model.modelNames ?? null) as JsonValue

function verdictOf(given: Score): Verdict {
  const { score, reason: told } = typeof given === 'object' && given !== null ? given : { score: given }
  const reason: unknown = told ?? null
  if (reason !== null && typeof reason !== 'string')
    throw new XError('invalid-result', 'the `reason` of a score has to be a text')
  if (score === null || typeof score === 'boolean') return { score: score === null ? null : Number(score), reason }
  if (typeof score === 'number' && score >= 0 && score <= 1) return { score, reason }
  throw new XError(
    'invalid-result',
    `a score has to be true, false, null or a number from 0 to 1, not \`${String(score)}\``,
  )
}

type Verdicts = readonly (readonly [label: boolean, verdict: boolean | null])[]

/** The verdicts of a judge on its labelled answers. */
export interface LabelledVerdicts {
  /** Null where it cannot tell, and where it failed. */
  readonly verdicts: Verdicts
  /** Why it failed at first; null if it never did. */
  readonly problem: string | null
}

interface LabelledOptions extends Judging {
  readonly concurrency: number
  /** Seconds for one answer. */
  readonly timeout: number
  readonly known: Verdicts
}

/** Lets a judge judge the labelled answers without a known verdict. One that fails does not take the verdicts on others away. */
export async function judgeLabelled(
  scorer: Scorer,
  { concurrency, timeout, known, ...judging }: LabelledOptions,
): Promise<LabelledVerdicts> {
  const labelled = scorer.labelled ?? []
  const verdicts = [...known]
  let next = 0
  let problem: string | null = null
  const work = async (): Promise<void> => {
    while (next < labelled.length) {
      const index = next++
      if (typeof verdicts[index]?.[1] === 'boolean') continue
      const { label, answer, ...task } = labelled[index] as LabelledAnswer
      const given = { task: { id: `labelled ${index}`, ...task }, text: answer, state: null }
      try {
        const { score } = await inTime(timeout, scoreOf(scorer, given, judging))
        verdicts[index] = [label, score === null ? null : score >= 0.5]
      } catch (error) {
        verdicts[index] = [label, null]
        problem ??= messageOf(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, labelled.length) }, work))
  return { verdicts, problem }
}

const UNMEASURED = 'its agreement with people is not known: give answers that people have labelled'

/** Tells how far the verdicts of a judge agree with the labels. */
export function agreementOf(scorer: Scorer, { verdicts, problem }: LabelledVerdicts, seed: number): JudgeAgreement {
  const { labelled = [] } = scorer
  const pairs = verdicts.flatMap(([label, verdict]) => (verdict === null ? [] : [[label, verdict] as const]))
  const share = (of: typeof pairs, isCounted: (pair: readonly [boolean, boolean]) => boolean): Interval | null =>
    of.length > 0 ? wilson(of.filter(isCounted).length, of.length) : null
  const [right, wrong] = [pairs.filter(([label]) => label), pairs.filter(([label]) => !label)]
  return {
    judge: titleOf(scorer),
    agreement: share(pairs, ([label, verdict]) => label === verdict),
    kappa: right.length > 0 && wrong.length > 0 ? kappaIntervalOf(pairs, seed) : null,
    falsePraise: share(wrong, ([, verdict]) => verdict),
    falseBlame: share(right, ([, verdict]) => !verdict),
    unjudged: labelled.length - pairs.length,
    problem: problem ?? (labelled.length === 0 ? UNMEASURED : null),
  }
}
