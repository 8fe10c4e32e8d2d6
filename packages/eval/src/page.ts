import { checkOptions, kind } from '@x/kernel/options'
import type { EvalSpending } from './answer-file.ts'
import type { Calibration, Comparison, EvalCell, EvalReport, EvalRow } from './report.ts'
import type { JudgeAgreement } from './score.ts'
import type { Interval } from './statistics.ts'

/** Options of {@link renderEvalPage}. */
interface EvalPageOptions {
  /** Title of the page; default `Evaluation`. */
  readonly title?: string | undefined
  /** Most characters of an answer; default 4,000. */
  readonly maxLength?: number | undefined
}

/**
 * Renders a report as one HTML page without script, further files or requests: the table with intervals, the comparisons, and each
 * answer with its verdict. Texts of models are shown as text.
 */
export function renderEvalPage(report: EvalReport, options: EvalPageOptions = {}): string {
  checkOptions(options, { title: kind.text, maxLength: kind.whole(1) }, 'run `renderEvalPage`')
  const { title = 'Evaluation', maxLength = 4000 } = options
  const { rows, comparisons, judges, tasks, repeats, spent } = report
  const calibrated = rows.filter(({ kind: of, calibration }) => of === null && calibration)
  const answers = repeats === 1 ? '' : `, ${repeats} answers each`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${tasks} tasks${answers} · ${amount(spent.calls)} calls · ${dollars(spent)} · intervals of 95 %</p>
${report.problem === null ? '' : `<p class="warning" role="alert">Not complete: ${escapeHtml(report.problem)}. The scores are of the answers that are there.</p>`}
${report.warnings.map((text) => `<p>${escapeHtml(text)}</p>`).join('')}
<h2>Scores</h2>
${scoreTable(rows)}
${comparisons.length > 0 ? `<h2>Side by side</h2>${comparisonTable(comparisons)}` : ''}
${judges.length > 0 ? `<h2>Judges</h2>${judges.map(judgeText).join('')}` : ''}
${calibrated.length > 0 ? `<h2>Confidence</h2>${calibrated.map(({ contestant, calibration }) => calibrationTable(contestant, calibration!)).join('')}` : ''}
<h2>Answers</h2>
${answerGrid(report)}
${report.cells.map((cell, index) => answerText(cell, index, maxLength)).join('\n')}
</body>
</html>
`
}

const scoreTable = (rows: readonly EvalRow[]): string => `<table>
<tr><th>contestant</th><th>kind</th><th colspan="2">score</th><th class="n">answers</th><th class="n">calls</th><th class="n">cost</th><th class="n">time</th></tr>
${rows
  .map(
    ({ contestant, kind: of, score, scored, wanted, spent, ms }) =>
      `<tr${of === null ? ' class="all"' : ''}><td>${of === null ? escapeHtml(contestant) : ''}</td><td>${escapeHtml(of ?? 'all')}</td><td class="n">${score ? rateText(score) : '–'}</td><td>${score ? bar(score, 0, 1) : ''}</td><td class="n${scored < wanted ? ' short' : ''}">${scored === wanted ? scored : `${scored} of ${wanted}`}</td><td class="n">${amount(spent.calls)}</td><td class="n">${dollars(spent)}</td><td class="n">${ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`}</td></tr>`,
  )
  .join('\n')}
</table>`

const comparisonTable = (comparisons: readonly Comparison[]): string => `<table>
<tr><th>first − second</th><th colspan="2">difference in points</th><th class="n">better</th><th class="n">worse</th><th class="n">equal</th><th class="n">sign test</th></tr>
${comparisons
  .map(
    ({ first, second, difference, wins, losses, ties, p }) =>
      `<tr><td>${escapeHtml(first)} − ${escapeHtml(second)}</td><td class="n">${difference ? pointsText(difference) : '–'}</td><td>${difference ? bar(difference, -1, 1) : ''}</td><td class="n">${wins}</td><td class="n">${losses}</td><td class="n">${ties}</td><td class="n">${escapeHtml(chance(p))}</td></tr>`,
  )
  .join('\n')}
</table>`

function judgeText({ judge, agreement, kappa, falsePraise, falseBlame, unjudged, problem }: JudgeAgreement): string {
  const facts: readonly (readonly [string, Interval | null, (value: Interval) => string])[] = [
    ['agreement with people', agreement, rateText],
    ["Cohen's kappa", kappa, numberText],
    ['wrong answers accepted', falsePraise, rateText],
    ['right answers refused', falseBlame, rateText],
  ]
  const rows = facts.map(
    ([name, value, textOf]) =>
      `<tr><td>${name}</td><td class="n">${value ? textOf(value) : '–'}</td><td class="n">${value ? `n = ${value.n}` : ''}</td></tr>`,
  )
  const notes = [unjudged > 0 ? `${unjudged} labelled answers have no verdict.` : '', problem ?? ''].filter(Boolean)
  return `<h3>${escapeHtml(judge)}</h3><table>${rows.join('')}</table>${notes.map((note) => `<p class="warning">${escapeHtml(note)}</p>`).join('')}`
}

const calibrationTable = (
  contestant: string,
  { n, brier, ece, bins }: Calibration,
): string => `<h3>${escapeHtml(contestant)}</h3>
<p>${n} answers · Brier ${brier.value.toFixed(3)} [${brier.low.toFixed(3)}, ${brier.high.toFixed(3)}] · calibration error ${ece.toFixed(3)}</p>
<table><tr><th>said</th><th class="n">answers</th><th class="n">mean said</th><th colspan="2">right</th></tr>
${bins.map(({ from, to, n: of, confidence, score }) => `<tr><td>${from.toFixed(1)} to ${to.toFixed(1)}</td><td class="n">${of}</td><td class="n">${percent(confidence)}</td><td class="n">${rateText(score)}</td><td>${bar(score, 0, 1, confidence)}</td></tr>`).join('\n')}
</table>`

/** A square for each answer, which leads to it. */
function answerGrid({ cells, contestants }: EvalReport): string {
  const places = cells.map((cell, index) => ({ cell, index }))
  const byTask = Map.groupBy(places, ({ cell }) => cell.task)
  const head = contestants.map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const rows = [...byTask].map(([task, some]) => {
    const columns = contestants.map((name) => {
      const own = some.filter(({ cell }) => cell.contestant === name)
      return `<td>${own.map(({ cell, index }) => `<a class="${markOf(cell)}" href="#answer-${index}" title="${escapeHtml(wordOf(cell))}">${signOf(cell)}</a>`).join(' ')}</td>`
    })
    return `<tr><td>${escapeHtml(task)}</td>${columns.join('')}</tr>`
  })
  return `<table class="grid"><tr><th>task</th>${head}</tr>${rows.join('\n')}</table>`
}

function answerText(cell: EvalCell, index: number, maxLength: number): string {
  const { task, contestant, repeat, answer, reason, confidence } = cell
  const text =
    answer === null ? '' : `<pre>${escapeHtml(answer.slice(0, maxLength))}${answer.length > maxLength ? '…' : ''}</pre>`
  const facts = [
    wordOf(cell),
    confidence === null ? '' : `said ${percent(confidence)}`,
    reason?.slice(0, maxLength) ?? '',
  ]
  return `<details><summary><span class="${markOf(cell)}">${signOf(cell)}</span> ${escapeHtml(task)} · ${escapeHtml(contestant)}${repeat > 0 ? ` · ${repeat + 1}` : ''}</summary><p id="answer-${index}">${escapeHtml(facts.filter(Boolean).join(' · '))}</p>${text}</details>`
}

const markOf = ({ score }: EvalCell): string =>
  score === null ? 'none' : score === 1 ? 'right' : score === 0 ? 'wrong' : 'partly'

const signOf = ({ score }: EvalCell): string =>
  score === null ? '?' : score === 1 ? '✓' : score === 0 ? '✗' : score.toFixed(1)

const wordOf = ({ score, status }: EvalCell): string =>
  score === null ? status : score === 1 ? 'right' : score === 0 ? 'wrong' : `score ${score.toFixed(2)}`

/** A line from the lower to the upper end of an interval, and a dot at its value; a second mark where there is one. */
function bar({ low, high, value }: Interval, from: number, to: number, beside?: number): string {
  const at = (number: number): string => ((100 * (number - from)) / (to - from)).toFixed(1)
  const middle = from < 0 ? `<line class="zero" x1="${at(0)}" x2="${at(0)}" y1="0" y2="12"/>` : ''
  const mark = beside === undefined ? '' : `<line class="beside" x1="${at(beside)}" x2="${at(beside)}" y1="1" y2="11"/>`
  return `<svg viewBox="-3 0 106 12" aria-hidden="true">${middle}<line x1="${at(low)}" x2="${at(high)}" y1="6" y2="6"/><circle cx="${at(value)}" cy="6" r="3"/>${mark}</svg>`
}

/** Formats hundredths; what rounds to nothing has no sign. */
const hundredths = (share: number): string => (Math.round(share * 1000) / 10 || 0).toFixed(1)

const percent = (share: number): string => `${hundredths(share)} %`

const rangeText = ({ low, high }: Interval): string => `<small>[${hundredths(low)}, ${hundredths(high)}]</small>`

const rateText = (interval: Interval): string => `${percent(interval.value)} ${rangeText(interval)}`

const pointsText = (interval: Interval): string =>
  `${interval.value > 0 ? '+' : ''}${hundredths(interval.value)} ${rangeText(interval)}`

const numberText = ({ value, low, high }: Interval): string =>
  `${value.toFixed(2)} <small>[${low.toFixed(2)}, ${high.toFixed(2)}]</small>`

const chance = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`)

const amount = (count: number): string => count.toLocaleString('en')

/** Formats a cost as `x eval` and `x log` do: where some calls have no known price, it is at least what the others cost. */
function dollars({ cost, unpriced = 0 }: EvalSpending): string {
  const rounded = cost >= 0.01 ? cost.toFixed(4) : String(Number(cost.toFixed(6)))
  if (unpriced > 0) return rounded === '0' ? 'price unknown' : `at least $${rounded}`
  return rounded === '0' && cost > 0 ? 'below $0.000001' : `$${rounded}`
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => HTML_ENTITIES[sign]!)

/** The style of the page: light and dark, tables of numbers, a line for each interval. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --fg: #1c1c1e; --dim: #6e6e73; --bg: #fbfbfd; --card: #fff; --line: #d9d9de; --mark: #0a63c9; --good: #1e7d3c; --bad: #b3261e; --mid: #8a6100; }
@media (prefers-color-scheme: dark) { :root { --fg: #ececf0; --dim: #9a9aa2; --bg: #17171a; --card: #212126; --line: #3a3a42; --mark: #6cb0ff; --good: #6fd08c; --bad: #ff8a80; --mid: #e0b252; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 72rem; font: 15px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem; } h3 { font-size: .95rem; margin: 1rem 0 .3rem; }
p { margin: .3rem 0; color: var(--dim); }
.warning { color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th { text-align: left; font-weight: 500; color: var(--dim); font-size: .85rem; }
th, td { padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; } small, .short { color: var(--dim); }
.all td { font-weight: 600; } .all small { font-weight: 400; }
svg { width: 11rem; height: 1.1rem; vertical-align: middle; }
svg line { stroke: var(--mark); stroke-width: 1.5; } svg circle { fill: var(--mark); } svg .zero { stroke: var(--line); } svg .beside { stroke: var(--mid); }
.grid td { padding: .05rem .7rem .05rem 0; } .grid a { text-decoration: none; padding: 0 .25rem; }
.right { color: var(--good); } .wrong { color: var(--bad); } .partly { color: var(--mid); } .none { color: var(--dim); }
details { border-bottom: 1px solid var(--line); padding: .25rem 0; } details p { scroll-margin-top: 3rem; } details:has(:target) { background: var(--card); }
summary { cursor: pointer; } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; padding: .6rem .8rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; font-size: .85rem; }
`
