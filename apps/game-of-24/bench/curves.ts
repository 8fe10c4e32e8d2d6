import { abMcts, beam, bestFirst, bestOfN, forest, gradedMcts, mcts, reflectiveMcts } from '@x/reasoning'
import { measure, type Measured, type Setting } from './measure.ts'
import type { Row } from './rows.ts'

/** Budgets at which every method is measured. */
const BUDGET_CALLS: readonly number[] = [5, 10, 15, 20, 30, 40, 60, 80, 120]

const maxDepth = 3
const expansions = Infinity
const nsim = 1000

/** The methods of the picture, so large that the budget ends them. */
const CURVE_ROWS: readonly (Row & { readonly color: string })[] = [
  {
    name: 'best_first + verifier',
    method: bestFirst({ maxDepth, expansions }),
    options: 'four',
    verified: true,
    color: '#0b7a3b',
  },
  { name: 'ab_mcts + verifier', method: abMcts({ maxDepth, nsim }), options: 'four', verified: true, color: '#7b3fa0' },
  { name: 'best_first', method: bestFirst({ maxDepth, expansions }), options: 'four', color: '#1f6fd6' },
  { name: 'graded_mcts', method: gradedMcts({ maxDepth, nsim }), options: 'four', color: '#d98a00' },
  { name: 'reflective_mcts', method: reflectiveMcts({ maxDepth, nsim }), options: 'four', color: '#00897b' },
  { name: 'forest of beams', method: forest(beam({ maxDepth }), { size: 3 }), options: 'four', color: '#c2185b' },
  { name: 'beam_search', method: beam({ maxDepth }), options: 'four', color: '#6d4c41' },
  { name: 'mcts', method: mcts({ maxDepth, nsim }), options: 'four', color: '#c62828' },
  { name: 'chains + verifier', method: bestOfN({ n: 1000 }), options: 'logged', verified: true, color: '#607d8b' },
]

interface Curve {
  readonly name: string
  readonly color: string
  readonly points: readonly Measured[]
}

/** Measures all methods at equal budgets and draws the share of solved puzzles by calls and by rounds, as an SVG picture. */
export async function drawCurves(setting: Setting): Promise<string> {
  const curves: Curve[] = []
  for (const row of CURVE_ROWS) {
    const points: Measured[] = []
    for (const calls of BUDGET_CALLS) points.push(await measure(row, { ...setting, budget: { calls } }))
    curves.push({ name: row.name, color: row.color, points })
    console.log(
      row.name.padEnd(24),
      points.map(({ solved, calls }) => `${solved.toFixed(0)}@${calls.toFixed(0)}`).join(' '),
    )
  }
  return toSvg(curves)
}

const CHART_WIDTH_PX = 420
const CHART_HEIGHT_PX = 300
const MAX_BUDGET_CALLS = BUDGET_CALLS.at(-1)!

function toSvg(curves: readonly Curve[]): string {
  const legend = curves.map(
    ({ name, color }, i) =>
      `<g transform="translate(960 ${40 + 22 * i})"><line x2="18" stroke="${color}" stroke-width="2.5"/><text x="26" y="4">${name}</text></g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1130 380" font-family="system-ui, sans-serif" font-size="12" fill="#333">
<rect width="1130" height="380" fill="#fff"/>
${chart(curves, { title: 'Solved by calls', axis: 'calls per puzzle', left: 50, xOf: ({ calls }) => calls })}
${chart(curves, { title: 'Solved by rounds', axis: 'rounds per puzzle: calls in a row', left: 520, xOf: ({ rounds }) => rounds })}
${legend.join('\n')}
</svg>
`
}

interface Chart {
  readonly title: string
  readonly axis: string
  readonly left: number
  readonly xOf: (point: Measured) => number
}

function chart(curves: readonly Curve[], { title, axis, left, xOf }: Chart): string {
  const x = (value: number): string =>
    ((Math.min(value, MAX_BUDGET_CALLS) / MAX_BUDGET_CALLS) * CHART_WIDTH_PX).toFixed(1)
  const y = (percent: number): string => (CHART_HEIGHT_PX - (percent / 100) * CHART_HEIGHT_PX).toFixed(1)
  const grid = [0, 20, 40, 60, 80, 100].map(
    (percent) =>
      `<line x2="${CHART_WIDTH_PX}" y1="${y(percent)}" y2="${y(percent)}" stroke="#ddd"/><text x="-8" y="${Number(y(percent)) + 4}" text-anchor="end">${percent} %</text>`,
  )
  const ticks = [0, 20, 40, 60, 80, 100, 120].map(
    (value) => `<text x="${x(value)}" y="${CHART_HEIGHT_PX + 18}" text-anchor="middle">${value}</text>`,
  )
  const lines = curves.map(({ color, points }) => {
    const dots = points.map((point) => `${x(xOf(point))},${y(point.solved)}`)
    return `<polyline points="${dots.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>${dots
      .map((dot) => `<circle cx="${dot.split(',')[0]}" cy="${dot.split(',')[1]}" r="2.5" fill="${color}"/>`)
      .join('')}`
  })
  return `<g transform="translate(${left} 34)"><text y="-14" font-weight="600" font-size="14">${title}</text>
${[...grid, ...ticks, ...lines].join('\n')}
<text x="${CHART_WIDTH_PX / 2}" y="${CHART_HEIGHT_PX + 36}" text-anchor="middle" fill="#666">${axis}</text></g>`
}
