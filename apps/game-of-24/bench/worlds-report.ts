import type { Interval } from '@x/eval'
import { CHECKS, JUDGED } from './contestants.ts'
import { reliabilityOf } from './confidence.ts'
import { advantageOf, type Bar, barsOf, type CellResult, type JudgedEntry } from './tournament.ts'

/** A table with a title; its cells are texts. */
interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Writes a share in percent with its interval: `61.2 [58.3, 64.0]`. */
const percent = ({ value, low, high }: Interval): string => `${points(value)} [${points(low)}, ${points(high)}]`

const points = (share: number): string => {
  const text = (100 * share).toFixed(1)
  return text === '-0.0' ? '0.0' : text.replace('-', '−')
}

const wordsOf = (check: string): string => (check === 'verifier' ? 'with a verifier' : 'without a check')

const judgedOf = (entries: readonly JudgedEntry[]): JudgedEntry | undefined =>
  entries.find(({ name }) => name === JUDGED)

/** The best contestant of each cell, and beside it the judged one. */
function bestTable(results: readonly CellResult[], bars: readonly Bar[], check: string): Table {
  const ofCheck = results.filter((result) => result.check === check)
  const hasJudged = ofCheck.some(({ entries }) => judgedOf(entries))
  const rows = ofCheck.map((result) => {
    const best = result.entries.find(({ name }) => name === result.best)!
    const judged = judgedOf(result.entries)
    const missed = bars.filter((bar) => !bar.holds && isSameCell(bar, result)).map(({ demand }) => demand)
    return [
      result.world,
      String(result.calls),
      result.best,
      best.usedCalls.toFixed(1),
      percent(best.share),
      ...(judged
        ? [
            judged.usedCalls.toFixed(1),
            percent(judged.share),
            percent(advantageOf(judged.plays, best.plays)),
            missed.join('; ') || 'all hold',
          ]
        : []),
    ]
  })
  return {
    title: `The best of each cell, ${wordsOf(check)}`,
    head: [
      ...['world', 'calls', 'best', 'used', 'solved %'],
      ...(hasJudged ? [`${JUDGED} used`, `${JUDGED} solved %`, `${JUDGED} − best`, 'bars'] : []),
    ],
    rows,
  }
}

const isSameCell = (a: Bar, b: CellResult): boolean => a.world === b.world && a.check === b.check && a.calls === b.calls

/** All judged entries of a check and a budget: a line for each contestant, a column for each world. */
function entryTable(results: readonly CellResult[], check: string, calls: number): Table {
  const cells = results.filter((result) => result.check === check && result.calls === calls)
  const names = [...new Set(cells.flatMap(({ entries }) => entries.map(({ name }) => name)))]
  const cellOf = ({ best, entries }: CellResult, name: string): string => {
    const entry = entries.find((each) => each.name === name)
    return entry ? `${ends(entry.share)}${name === best ? ' *' : ''}` : ''
  }
  return {
    title: `Solved % with ${calls} calls, ${wordsOf(check)}; * the best on the choosing seeds`,
    head: ['method', ...cells.map(({ world }) => world)],
    rows: names.map((name) => [name, ...cells.map((cell) => cellOf(cell, name))]),
  }
}

/** Writes an interval of a share in whole percent: `58–64`. */
const ends = ({ low, high }: Interval): string => `${Math.round(100 * low)}–${Math.round(100 * high)}`

/** The difference of the judged method from the best of its cell: a line for each world, a column for each budget. */
function differenceTable(results: readonly CellResult[], check: string): Table {
  const ofCheck = results.filter((result) => result.check === check)
  const budgets = [...new Set(ofCheck.map(({ calls }) => calls))]
  const byWorld = Map.groupBy(ofCheck, ({ world }) => world)
  const cellOf = (result: CellResult | undefined): string => {
    const judged = judgedOf(result?.entries ?? [])
    const best = result?.entries.find(({ name }) => name === result.best)
    if (!judged || !best) return ''
    const { low, high } = advantageOf(judged.plays, best.plays)
    return `${points(low)} to ${points(high)}`
  }
  return {
    title: `${JUDGED} − best, in points, ${wordsOf(check)}`,
    head: ['world', ...budgets.map((calls) => `${calls} calls`)],
    rows: [...byWorld]
      .filter(([, cells]) => cells.some(({ entries }) => judgedOf(entries)))
      .map(([world, cells]) => [
        world,
        ...budgets.map((budget) => cellOf(cells.find(({ calls }) => calls === budget))),
      ]),
  }
}

/** How well the judged method's confidence fits, for each world and check over all budgets. */
function confidenceTable(results: readonly CellResult[]): Table {
  const byWorld = Map.groupBy(results, ({ world, check }) => `${world}\n${check}`)
  const rows = [...byWorld].flatMap(([line, cells]) => {
    const plays = cells.flatMap(({ entries }) => judgedOf(entries)?.plays.flat() ?? [])
    const reliability = reliabilityOf(plays)
    if (!reliability) return []
    const { n, brier, error, bins } = reliability
    const shown = bins.map(({ said, right, n: count }) => `${points(said)}→${points(right)} (${count})`)
    return [[...line.split('\n'), String(n), brier.toFixed(3), error.toFixed(3), shown.join(', ')]]
  })
  const head = ['world', 'check', 'answers', 'Brier', 'calibration error', 'said → right, % (answers)']
  return { title: `The confidence of ${JUDGED}`, head, rows }
}

/** Returns the tables of a tournament, without those that would be empty. */
export function tablesOf(results: readonly CellResult[], { all }: { all: boolean }): Table[] {
  const bars = barsOf(results)
  const budgets = [...new Set(results.map(({ calls }) => calls))]
  const tables = [
    ...CHECKS.map((check) => bestTable(results, bars, check)),
    ...(all ? CHECKS.flatMap((check) => budgets.map((calls) => entryTable(results, check, calls))) : []),
    ...CHECKS.map((check) => differenceTable(results, check)),
    confidenceTable(results),
  ]
  return tables.filter(({ rows }) => rows.length > 0)
}

/** Says how many bars hold, and names the others. */
export function barLines(bars: readonly Bar[]): string[] {
  const missed = bars.filter(({ holds }) => !holds)
  return [
    bars.length === 0
      ? `There is no method \`${JUDGED}\` to judge.`
      : `${bars.length - missed.length} of ${bars.length} bars hold.`,
    ...missed.map(
      ({ world, check, calls, demand, difference }) =>
        `missed: ${world}; ${wordsOf(check)}; ${calls} calls; ${demand}: ${percent(difference)}`,
    ),
  ]
}

/** Writes a table as Markdown, or with aligned columns. */
export function renderTable({ title, head, rows }: Table, { markdown }: { markdown: boolean }): string {
  const lines = [head, ...rows]
  if (markdown) {
    const rule = head.map((_, i) => (i === 0 ? '---' : '---:'))
    return [`## ${title}\n`, ...[head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)].join('\n')
  }
  const widths = head.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)))
  const text = lines.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  return [title, ...text].join('\n')
}

/** Returns the figures of a tournament as plain data, with intervals and without single plays. */
export const figuresOf = (results: readonly CellResult[]): unknown => ({
  cells: results.map(({ world, check, calls, best, entries }) => ({
    ...{ world, check, calls, best },
    entries: entries.map(({ name, share, usedCalls, plays }) => ({
      ...{ name, share, usedCalls, confidence: reliabilityOf(plays.flat()) },
    })),
  })),
  bars: barsOf(results),
})
