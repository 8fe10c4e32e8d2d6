import type { Comparison, EvalReport, EvalRow, Interval, JudgeAgreement } from '@x/eval'
import { costText, countText, durationText, oneLine, shortId, tableText } from '../log/log-text.ts'

/** Most characters of names in the table, and of the reason of a wrong answer. */
const MAX_LENGTHS = { name: 40, reason: 160 } as const

const HEAD = ['contestant', 'kind', 'score', '95 %', 'answers', 'calls', 'cost', 'time']

/** Columns of numbers. */
const NUMBERS: ReadonlySet<number> = new Set([2, 4, 5, 6, 7])

/** Shows a report as a table, with the comparisons below it. */
export function reportText(report: EvalReport, { withWrong = false }: { readonly withWrong?: boolean } = {}): string {
  const { rows, comparisons, judges, problem, warnings } = report
  return [
    problem === null ? '' : `NOT COMPLETE: ${oneLine(problem)}. The scores are of the answers that are there.\n\n`,
    tableText([HEAD, ...rows.map(cellsOf)], NUMBERS),
    lines(comparisons.map(comparisonText)),
    lines(rows.flatMap(confidenceText)),
    lines(judges.map(judgeText)),
    lines(spentTexts(report)),
    lines(warnings.map((text) => `warning: ${oneLine(text)}`)),
    withWrong ? lines(wrongTexts(report)) : '',
  ].join('')
}

const lines = (texts: readonly string[]): string => (texts.length > 0 ? `\n${texts.join('\n')}\n` : '')

function cellsOf({ contestant, kind, score, scored, wanted, spent, ms }: EvalRow): string[] {
  return [
    kind === null ? oneLine(contestant, MAX_LENGTHS.name) : '',
    oneLine(kind ?? 'all', MAX_LENGTHS.name),
    score ? percent(score.value) : '–',
    score ? rangeText(score) : '',
    scored === wanted ? String(scored) : `${scored} of ${wanted}`,
    spent.calls.toLocaleString('en'),
    costText(spent),
    ms === null ? '–' : durationText(ms),
  ]
}

function comparisonText({ first, second, difference, wins, losses, ties, p }: Comparison): string {
  const names = [first, second].map((name) => oneLine(name, MAX_LENGTHS.name)).join(' − ')
  if (!difference) return `${names}: no task that both have answered`
  return `${names}: ${points(difference.value)} points ${rangeText(difference)}; of ${difference.n} tasks better in ${wins}, worse in ${losses}, equal in ${ties} (sign test ${p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`})`
}

function confidenceText({ contestant, kind, calibration }: EvalRow): string[] {
  if (kind !== null || !calibration) return []
  const { n, brier, ece, bins } = calibration
  const said = bins.map(
    ({ confidence, score, n: of }) => `${percent(confidence)} said, ${percent(score.value)} right (n = ${of})`,
  )
  const [value, low, high] = [brier.value, brier.low, brier.high].map((each) => each.toFixed(3))
  return [
    `${oneLine(contestant, MAX_LENGTHS.name)}, confidence: Brier ${value} [${low}, ${high}], calibration error ${ece.toFixed(3)}, n = ${n}; ${said.join(', ')}`,
  ]
}

function judgeText({ judge, agreement, kappa, falsePraise, falseBlame, unjudged, problem }: JudgeAgreement): string {
  const part = (name: string, value: Interval | null): string[] =>
    value ? [`${name} ${percent(value.value)} ${rangeText(value)} (n = ${value.n})`] : []
  const parts = [
    ...part('agrees with people in', agreement),
    ...(kappa ? [`kappa ${kappa.value.toFixed(2)} [${kappa.low.toFixed(2)}, ${kappa.high.toFixed(2)}]`] : []),
    ...part('accepts of wrong answers', falsePraise),
    ...part('refuses of right answers', falseBlame),
    ...(unjudged > 0 ? [`no verdict on ${unjudged}`] : []),
    ...(problem === null ? [] : [oneLine(problem, MAX_LENGTHS.reason)]),
  ]
  return `${oneLine(judge, MAX_LENGTHS.name)}: ${parts.join('; ')}`
}

/** Says what the evaluation has cost, with what stands in no row: judges, and attempts in vain. */
function spentTexts({ spent, spentNow }: Pick<EvalReport, 'spent' | 'spentNow'>): string[] {
  const [whole, now] = [spent, spentNow].map((each) => `${countText(each.calls, 'call')}, ${costText(each)}`)
  return spent.calls === 0 ? [] : [`In all ${whole}${whole === now ? '' : `; now ${now}`}.`]
}

const wrongTexts = ({ cells }: EvalReport): string[] =>
  cells
    .filter(({ score }) => score !== 1)
    .map(({ task, contestant, score, status, reason, runs }) => {
      const verdict = score === null ? status : score === 0 ? 'wrong' : score.toFixed(2)
      return `${oneLine(task)}, ${oneLine(contestant, MAX_LENGTHS.name)}: ${verdict}${reason === null ? '' : `, ${oneLine(reason, MAX_LENGTHS.reason)}`}${runs.length === 0 ? '' : ` (run ${runs.map(shortId).join(', ')})`}`
    })

/** Formats hundredths; what rounds to nothing has no sign. */
const hundredths = (share: number): string => (Math.round(share * 1000) / 10 || 0).toFixed(1)

const percent = (share: number): string => `${hundredths(share)} %`

const points = (difference: number): string => `${difference > 0 ? '+' : ''}${hundredths(difference)}`

const rangeText = ({ low, high }: Interval): string => `[${hundredths(low)}, ${hundredths(high)}]`
