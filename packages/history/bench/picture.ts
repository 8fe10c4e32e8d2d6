import type { Cost } from './costs.ts'

/** A bar of the picture. */
export interface Bar {
  readonly label: string
  readonly cost: Cost
}

/** Two bars to compare, under a heading. */
export interface Pair {
  readonly heading: string
  readonly bars: readonly Bar[]
}

const WIDTH_PX = 760
const LABELS_PX = 130
const BAR_PX = 22
const GAP_PX = 8
const HEADING_PX = 34
const COLOURS = { fresh: '#d9480f', cached: '#ffc078', summaries: '#4263eb' } as const
const LEGEND = { fresh: 'read anew', cached: 'from the cache', summaries: 'for summaries' } as const

const short = (tokens: number): string =>
  tokens >= 1e6 ? `${(tokens / 1e6).toFixed(1)} M` : `${Math.round(tokens / 1000)} k`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Draws bars of tokens; each pair has a scale of its own. */
export function picture(pairs: readonly Pair[]): string {
  const parts: string[] = []
  let y = 30
  let x = LABELS_PX
  for (const key of ['fresh', 'cached', 'summaries'] as const) {
    parts.push(`<rect x="${x}" y="8" width="12" height="12" fill="${COLOURS[key]}"/>`)
    parts.push(`<text x="${x + 18}" y="18">${LEGEND[key]}</text>`)
    x += 140
  }
  for (const { heading, bars } of pairs) {
    const most = Math.max(...bars.map(({ cost }) => cost.fresh + cost.cached + cost.summaries))
    parts.push(`<text x="8" y="${y + 22}" font-weight="bold">${escaped(heading)}</text>`)
    y += HEADING_PX
    for (const { label, cost } of bars) {
      parts.push(`<text x="8" y="${y + 16}">${escaped(label)}</text>`)
      let at = LABELS_PX
      for (const key of ['fresh', 'cached', 'summaries'] as const) {
        const width = (cost[key] / most) * (WIDTH_PX - LABELS_PX - 150)
        if (width > 0)
          parts.push(
            `<rect x="${at.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${BAR_PX}" fill="${COLOURS[key]}"/>`,
          )
        at += width
      }
      const total = cost.fresh + cost.cached + cost.summaries
      const cuts = cost.cuts > 0 ? `, ${cost.cuts} cuts` : ''
      parts.push(`<text x="${(at + 8).toFixed(1)}" y="${y + 16}">${short(total)}${cuts}</text>`)
      y += BAR_PX + GAP_PX
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_PX} ${y + 8}" font-family="sans-serif" font-size="13">
<title>Input tokens of four conversations, with everything sent and with a history</title>
<rect width="${WIDTH_PX}" height="${y + 8}" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`
}
