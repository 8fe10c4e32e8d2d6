import { describe, type Page } from './page.ts'
import { read } from './repository.ts'

const SOURCE = 'docs/figures.md'
const COMPARISON = 'docs/peers.md'
/** The beginning of the name of the column of the floor; the latest of ours stands before it. */
const FLOOR = 'undici'

/** The table of the repository, as `pnpm figures` writes it. */
export interface Figures {
  readonly node: string
  readonly counts: Readonly<Record<string, number>>
  readonly measured: Readonly<Record<string, Measured>>
}

interface Measured {
  readonly value: number
  readonly unit: string
  readonly 'to openai'?: number
  readonly 'to undici'?: number
  readonly date: string
  readonly machine: string
  readonly load: number
}

/** Bars of a plot, each with its number. */
interface Plot {
  readonly title: string
  readonly unit: string
  /** A value that is marked by a line, such as 1 for "as the other one". */
  readonly mark?: number
  readonly bars: readonly { readonly label: string; readonly value: number; readonly quiet?: boolean }[]
}

/** Makes the page of figures from `etc/figures.json` and the table of `docs/peers.md`. */
export function figuresPage(): Page {
  const text = figuresText(JSON.parse(read('etc/figures.json')) as Figures, read(COMPARISON))
  return {
    id: 'concepts/figures',
    source: SOURCE,
    title: 'Figures',
    description: describe(text),
    text,
    generated: true,
    weight: 1,
  }
}

/** Writes the page without its title. */
export function figuresText({ node, counts, measured }: Figures, comparison: string): string {
  const packages = Object.keys(counts).flatMap((name) => /^packed (.+), kB$/u.exec(name)?.slice(1) ?? [])
  const perPackage = packages.map((name) => [
    `\`${name}\``,
    counts[`files of the import of ${name}`],
    counts[`installed ${name}, kB`],
    counts[`packed ${name}, kB`],
    measured[`import of ${name}`]?.value,
  ])
  const other = Object.entries(counts).filter(
    ([name]) => !packages.some((each) => name.includes(`${each},`) || name.endsWith(` ${each}`)),
  )
  const { date, bars } = comparisonIn(comparison)
  const times = Object.entries(measured).filter(([name]) => !packages.some((each) => name.endsWith(` ${each}`)))
  return [
    `Sizes, requests and times of the packages. [Beside other clients and frameworks](peers.md) says what each figure means and how others compare.`,
    `## Beside the SDK of OpenAI`,
    `Processor time, as a ratio to the bare \`openai\` SDK in the same round: below 1 is less. The fainter bars are \`undici\`, the floor. Measured on ${date}; [the results](peers.md#results) have the machines.`,
    plot({ title: 'Processor time beside the openai SDK', unit: '×', mark: 1, bars }),
    `To repeat it: \`npx -y pnpm@12.21.0 bench:peers --quick --only openai,undici,x\`.`,
    `## Packages`,
    `Kilobytes of 1,000 bytes; files that an import reads, with Node ${node}; milliseconds of an import. To repeat it: \`pnpm build && pnpm figures --counts\`.`,
    plot({
      title: 'Installed packages',
      unit: 'kB',
      bars: packages.map((name) => ({ label: name, value: counts[`installed ${name}, kB`] ?? 0 })),
    }),
    table(['package', 'files', 'installed, kB', 'packed, kB', 'import, ms'], perPackage),
    `## Requests, allocations and bundles`,
    `These are the same on every machine, and \`pnpm check figures\` fails when one is worse.`,
    table(['figure', 'value'], other),
    `## Times`,
    `One sitting each, with the load of the machine at that time; ratios are to the other client in the same sitting. To repeat it: \`npx -y pnpm@12.21.0 figures --write\`. Machines: ${[...new Set(times.map(([, { machine }]) => machine))].join('; ')}.`,
    table(
      ['figure', 'value', '× openai', '× undici', 'date', 'load'],
      times.map(([name, each]) => [
        name,
        `${each.value} ${each.unit}`,
        each['to openai'],
        each['to undici'],
        each.date,
        each.load,
      ]),
    ),
  ].join('\n\n')
}

/** Reads the ratios of processor time from the table of results, ours of the latest day and those of the floor. */
function comparisonIn(text: string): { readonly date: string; readonly bars: Plot['bars'] } {
  const [head = [], ...rows] = (text.split('\n## Results\n')[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  const floor = head.findIndex((name) => name.startsWith(FLOOR))
  const date = head[floor - 1]
  if (floor < 2 || date === undefined)
    throw new Error(`cannot draw ${COMPARISON}: its results have no columns of a day and, behind it, of \`${FLOOR}\``)
  const bars = rows.flatMap((cells) => {
    const label = /^(?<what>.*), processor time\b(?<of>[^×]*)×$/u.exec(cells[0]!)?.groups
    if (!label) return []
    return [
      { label: label['what']! + label['of']!.trimEnd().replace(/^ of /u, ', '), value: Number(cells[floor - 1]) },
      { label: '', value: Number(cells[floor]), quiet: true },
    ]
  })
  return { date, bars }
}

const LABELS_PX = 230
const BAR_PX = 300
const ROW_PX = 22
const NUMBER_PX = 90

/** Draws bars in the colours of the site, which has light and dark ones. It stands on one line, as HTML in Markdown must. */
function plot({ title, unit, mark, bars }: Plot): string {
  const scale = BAR_PX / Math.max(mark ?? 0, ...bars.map(({ value }) => value))
  const height = bars.length * ROW_PX
  const rows = bars.map(({ label, value, quiet = false }, index) => {
    const y = index * ROW_PX
    const width = (value * scale).toFixed(1)
    return [
      `<text x="${LABELS_PX - 8}" y="${y + 15}" text-anchor="end">${label}</text>`,
      `<rect x="${LABELS_PX}" y="${y + 3}" width="${width}" height="${ROW_PX - 6}" fill="${quiet ? 'var(--sl-color-gray-4)' : 'var(--sl-color-accent)'}"/>`,
      `<text x="${LABELS_PX + Number(width) + 6}" y="${y + 15}">${value} ${unit}</text>`,
    ].join('')
  })
  const at = LABELS_PX + (mark ?? 0) * scale
  const line =
    mark === undefined
      ? ''
      : `<line x1="${at}" x2="${at}" y2="${height}" stroke="var(--sl-color-text)" stroke-dasharray="3 3"/>`
  return `<svg viewBox="0 0 ${LABELS_PX + BAR_PX + NUMBER_PX} ${height}" role="img" aria-label="${title}" font-size="13" fill="var(--sl-color-text)" style="width:100%;height:auto">${rows.join('')}${line}</svg>`
}

function table(head: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  const line = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
