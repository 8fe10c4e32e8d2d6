/** Results as markdown. Times are medians over the rounds; × is the median of the ratios to the base in the same round. */
import type { ContestantInfo } from './contestant.ts'
import type { BundleSize, InstallSize } from './size.ts'
import type { Sample, Spread } from './statistics.ts'
import type { Params } from './workloads.ts'

/** Workloads that run outside a contestant's process. */
export type SizeName = 'import' | 'cold' | 'install' | 'bundle'

/** The measurements of one contestant, or the reason why there are none. */
export interface Row {
  readonly error?: string
  readonly metrics?: Readonly<Record<string, Spread>>
  /** Ratios to the base, by metric. */
  readonly ratio?: Readonly<Record<string, number>>
  /** Growth of the time of a chat with its length, by metric. */
  readonly exponent?: Readonly<Record<string, { readonly all: number; readonly last: number }>>
  readonly samples?: readonly Sample[]
  readonly install?: InstallSize
  readonly bundle?: BundleSize
}

/** The measurements of a workload: rows by contestant and variant. */
export interface Measured {
  readonly params?: Partial<Params>
  readonly rounds: number
  readonly table: Readonly<Record<string, Row>>
}

/** The result of a check against the strict server: `ok`, or what was wrong. */
export type CheckResult = 'ok' | { readonly bad: readonly string[] }

/** All results of a run. */
export interface Results {
  readonly machine: Readonly<Record<string, string | number>>
  /** The command that started the run. */
  readonly command: string
  readonly mode: 'quick' | 'full'
  readonly base: string
  readonly names: readonly string[]
  readonly versions: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly infos: Readonly<Record<string, Pick<ContestantInfo, 'title' | 'kinds' | 'notes'>>>
  readonly missing: Readonly<Record<string, string>>
  readonly checks: Readonly<Record<string, Readonly<Record<string, CheckResult>>>>
  readonly workloads: Readonly<Record<string, Measured>>
  /** Milliseconds of a fixed piece of work before every round, by workload. */
  readonly noise: Readonly<Record<string, readonly [min: number, median: number, p90: number]>>
}

type Cell = string

/** A column: its title and what a row shows in it. */
type Column = readonly [title: string, cell: (row: Row, name: string) => Cell]

/** Writes the report. */
export function markdown(results: Results): string {
  const sections = [
    heading(results),
    callSection(results),
    streamSection(results),
    fallbackSection(results),
    cacheSection(results),
    toolsSection(results),
    chatSection(results, 'over HTTP', (variant) => variant.startsWith('http')),
    chatSection(results, 'model in the process', (variant) => !variant.startsWith('http')),
    sizeSection(results),
    idleSection(results),
    talkSection(results),
    noiseSection(results),
    notesSection(results),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function heading({ machine: m, command, mode, base, names, versions, checks, missing }: Results): string {
  const failed = Object.entries(checks).flatMap(([name, found]) =>
    Object.entries(found).flatMap(([label, check]) =>
      check === 'ok' ? [] : [`${name} ${label}: ${check.bad.join('; ')}`],
    ),
  )
  const versionsOf = (name: string): string =>
    Object.entries(versions[name] ?? {})
      .map(([key, value]) => `${key} ${value}`)
      .join(', ') || 'built in'
  return [
    '# Peers, side by side',
    `Machine: ${m['cpu']}, ${m['cores']} cores, ${m['memory_gb']} GiB, ${m['system']}, Node ${m['node']}; ${m['pinned']}; load ${show(Number(m['load_at_start']), 1)} at start, ${show(Number(m['load_at_end']), 1)} at end; ${m['date']}; mode ${mode}; \`${command}\`.`,
    `Medians. cpu = user and system time of the contestant's process, all its threads: the figure to trust on a noisy machine. × = median over the rounds of the ratio to \`${base}\` in the same round. Every contestant was first checked against a strict server, which counted requests, messages and tool calls.`,
    [
      '| contestant | versions |',
      '|---|---|',
      ...names.map((name) => `| ${name} | ${versionsOf(name)} |`),
      ...Object.entries(missing).map(([name, reason]) => `| ${name} | left out: ${reason} |`),
    ].join('\n'),
    failed.length > 0 ? `Checks that failed: ${failed.join(' · ')}` : 'All checks passed.',
  ].join('\n\n')
}

function callSection(results: Results): string {
  const wide = tableOf(results, 'call64')
  return section(results, 'call', '1. One call, not streamed', {
    columns: [
      ['kind', (_, name) => kindOf(results, name, 'call')],
      ['µs/call', (row) => middle(row, 'wall_us')],
      ['×', (row) => ratio(row, 'wall_us')],
      ['cpu µs/call', (row) => middle(row, 'cpu_us')],
      ['cpu ×', (row) => ratio(row, 'cpu_us')],
      ['calls/s, 64 in flight', (_, name) => middle(wide[name], 'calls_per_s')],
      ['×', (_, name) => ratio(wide[name], 'calls_per_s')],
      ['cpu µs/call, 64', (_, name) => middle(wide[name], 'cpu_us')],
    ],
  })
}

function streamSection(results: Results): string {
  const paced = tableOf(results, 'paced')
  const about = `As fast as the server writes: ${paramsOf(results, 'stream')}; paced: ${paramsOf(results, 'paced')}`
  return section(results, 'stream', '2. Stream of 500 chunks', {
    columns: [
      ['total ms', (row) => middle(row, 'wall_us', 1, 1000)],
      ['×', (row) => ratio(row, 'wall_us')],
      ['first text ms', (row) => middle(row, 'ttft_us', 2, 1000)],
      ['×', (row) => ratio(row, 'ttft_us')],
      ['cpu ms', (row) => middle(row, 'cpu_us', 1, 1000)],
      ['cpu ×', (row) => ratio(row, 'cpu_us')],
      ['paced: cpu µs/chunk', (_, name) => middle(paced[name], 'cpu_us_per_chunk')],
      ['×', (_, name) => ratio(paced[name], 'cpu_us_per_chunk')],
    ],
    about,
  })
}

function fallbackSection(results: Results): string {
  return section(results, 'fallback', '3. Fallback: the first configuration answers 500', {
    columns: [
      ['kind', (_, name) => kindOf(results, name, 'fallback')],
      ['µs', (row) => middle(row, 'wall_us')],
      ['×', (row) => ratio(row, 'wall_us')],
      ['cpu µs', (row) => middle(row, 'cpu_us')],
      ['cpu ×', (row) => ratio(row, 'cpu_us')],
      ['cpu µs over two own calls', (row, name) => show(valueOf(row, 'cpu_us') - 2 * callOf(results, name))],
    ],
  })
}

function cacheSection(results: Results): string {
  return section(results, 'cache', '4. Cache hit', {
    columns: [
      ['kind', (_, name) => kindOf(results, name, 'cache')],
      ['µs/hit', (row) => middle(row, 'wall_us', 1)],
      ['cpu µs/hit', (row) => middle(row, 'cpu_us', 1)],
      ['×', (row) => ratio(row, 'cpu_us')],
    ],
  })
}

function toolsSection(results: Results): string {
  const about = `µs a turn (one call of the model and the tool): ${paramsOf(results, 'tools')}`
  return section(results, 'tools', '5. Tool loop', {
    columns: [
      ['kind', (_, name) => kindOf(results, name, 'tools')],
      ['µs/turn', (row) => middle(row, 'wall_us')],
      ['×', (row) => ratio(row, 'wall_us')],
      ['cpu µs/turn', (row) => middle(row, 'cpu_us')],
      ['cpu ×', (row) => ratio(row, 'cpu_us')],
      ['cpu µs/turn over one own call', (row, name) => show(valueOf(row, 'cpu_us') - callOf(results, name))],
    ],
    about,
  })
}

function chatSection(results: Results, title: string, isOf: (variant: string) => boolean): string {
  const turns = results.workloads['chat']?.params?.turns ?? []
  const [last = 0, beforeLast = 0] = turns.toReversed()
  const compared = turns.includes(200) ? 200 : last
  const peaks = tableOf(results, 'rss')
  const keys = Object.keys(tableOf(results, 'chat')).filter((key) => isOf(key.split('/')[1]!))
  const columns: Column[] = [
    ...turns.map((n): Column => [`N=${n} ms`, (row) => middle(row, `wall_us_${n}`, 1, 1000)]),
    [`× at ${compared}`, (row) => ratio(row, `wall_us_${compared}`)],
    [`cpu × at ${compared}`, (row) => ratio(row, `cpu_us_${compared}`)],
    [`cpu µs/turn at ${last}`, (row) => middle(row, `cpu_us_${last}`, 0, last)],
    ['exponent', (row) => short(row.exponent?.['cpu_us']?.all)],
    [`exponent ${beforeLast}→${last}`, (row) => short(row.exponent?.['cpu_us']?.last)],
    ['peak RSS MB', (_, key) => middle(peaks[key], 'peak_mb')],
    ['of which growth', (_, key) => middle(peaks[key], 'growth_mb')],
  ]
  const about = `${paramsOf(results, 'chat')}\n\nexponent = slope of log time over log N, all N and the last two`
  return section(results, 'chat', `6. Two-agent chat, ${title}`, { columns, about, keys })
}

function sizeSection(results: Results): string {
  const { import: imports, cold, install, bundle } = results.workloads
  if (!imports && !cold && !install && !bundle) return ''
  const columns: Column[] = [
    ['import ms, min', (_, name) => show(imports?.table[name]?.metrics?.['ms']?.min)],
    ['median', (_, name) => middle(imports?.table[name], 'ms')],
    ['process ms, median', (_, name) => middle(imports?.table[name], 'process_ms')],
    ['RSS after import MB', (_, name) => middle(imports?.table[name], 'rss_mb')],
    ['import and first answer ms', (_, name) => middle(cold?.table[name], 'ms')],
    ['packages', (_, name) => show(install?.table[name]?.install?.packages)],
    ['MB of files', (_, name) => show(install?.table[name]?.install?.mb, 1)],
    ['files', (_, name) => show(install?.table[name]?.install?.files)],
    ['bundle KB', (_, name) => show(bundle?.table[name]?.bundle?.kb)],
    ['gzip KB', (_, name) => show(bundle?.table[name]?.bundle?.gzip_kb)],
    ['heaviest in the bundle (KB)', (_, name) => heaviest(bundle?.table[name])],
  ]
  const rows = [EMPTY_PROCESS, ...results.names].map((name) => [name, ...columns.map(([, cell]) => cell({}, name))])
  return `## 7. Import, install, bundle\n\n${tableText(columns, rows)}`
}

/** The row of a process that imports nothing. */
export const EMPTY_PROCESS = '(empty process)'

function heaviest(row: Row | undefined): Cell {
  if (row?.error) return 'failed'
  return Object.entries(row?.bundle?.top_kb ?? {})
    .slice(0, 3)
    .map(([name, share]) => `${name} ${share}`)
    .join(', ')
}

function idleSection(results: Results): string {
  const { chats = 0, messages = 0 } = results.workloads['idle']?.params ?? {}
  const about =
    'heap = heap and external memory that stay after a full collection; RSS includes heap that the engine has not given back'
  const columns: Column[] = [
    ['heap KB/chat', (row) => middle(row, 'heap_kb', 1)],
    ['×', (row) => ratio(row, 'heap_kb')],
    ['RSS KB/chat', (row) => middle(row, 'rss_kb')],
    ['×', (row) => ratio(row, 'rss_kb')],
    ['RSS of the process MB', (row) => middle(row, 'total_rss_mb')],
    ['µs to make one', (row) => middle(row, 'make_us')],
  ]
  const keys = Object.keys(tableOf(results, 'idle'))
  return section(results, 'idle', `8. ${chats} idle chats of ${messages} messages`, { columns, about, keys })
}

function talkSection(results: Results): string {
  const turns = results.workloads['talk']?.params?.turns ?? []
  const columns: Column[] = turns.flatMap((n): Column[] => [
    [`${n} messages: cpu µs a message`, (row) => middle(row, `cpu_us_${n}`)],
    ['µs', (row) => middle(row, `wall_us_${n}`)],
  ])
  const about = 'a message and its answer, of a conversation that a database keeps; the model answers in the process'
  const keys = Object.keys(tableOf(results, 'talk'))
  return section(results, 'talk', '9. Conversations in a database', { columns, about, keys })
}

function noiseSection({ noise }: Results): string {
  const lines = Object.entries(noise).map(
    ([name, times]) => `${name} ${times.map((time) => show(time, 1)).join(' / ')}`,
  )
  if (lines.length === 0) return ''
  return `## Noise\n\nA fixed piece of work on the core of the contestants before every round, ms: min / median / 90th percentile\n\n${lines.join(' · ')}`
}

function notesSection({ names, infos }: Results): string {
  const lines = names.flatMap((name) => {
    const notes = Object.entries(infos[name]?.notes ?? {}).map(([key, note]) => `${key}: ${note}`)
    return notes.length > 0 ? [`- **${name}**: ${notes.join('; ')}`] : []
  })
  return lines.length > 0 ? `## How each contestant does it\n\n${lines.join('\n')}` : ''
}

/** Parts of a section besides its columns. */
interface SectionParts {
  readonly columns: readonly Column[]
  /** A sentence above the table; the parameters when left out. */
  readonly about?: string
  /** Keys of the rows; the contestants when left out. */
  readonly keys?: readonly string[]
}

function section(
  results: Results,
  workload: string,
  title: string,
  { columns, about = paramsOf(results, workload), keys = results.names }: SectionParts,
): string {
  if (!results.workloads[workload] || keys.length === 0) return ''
  const table = tableOf(results, workload)
  const rows = keys.map((key) => {
    const row = table[key]
    if (row === undefined) return [key, ...columns.map(() => 'n/a')]
    if (row.error) return [key, `failed: ${row.error}`, ...columns.slice(1).map(() => '')]
    return [key, ...columns.map(([, cell]) => cell(row, key))]
  })
  return `## ${title}\n\n${about}\n\n${tableText(columns, rows)}`
}

function tableText(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const titles = ['contestant', ...columns.map(([title]) => title)]
  const rule = titles.map((_, i) => (i === 0 ? '---' : '---:'))
  return [`| ${titles.join(' | ')} |`, `|${rule.join('|')}|`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')
}

function tableOf({ workloads }: Results, name: string): Measured['table'] {
  return workloads[name]?.table ?? {}
}

function paramsOf({ workloads }: Results, name: string): string {
  const measured = workloads[name]
  return measured ? `${measured.rounds} rounds, ${JSON.stringify(measured.params).replaceAll('"', '')}` : '–'
}

function kindOf({ infos }: Results, name: string, feature: string): Cell {
  return infos[name]?.kinds[feature] ?? ''
}

function callOf(results: Results, name: string): number {
  return valueOf(tableOf(results, 'call')[name], 'cpu_us')
}

function valueOf(row: Row | undefined, metric: string): number {
  return row?.metrics?.[metric]?.median ?? Number.NaN
}

function middle(row: Row | undefined, metric: string, digits = 0, divisor = 1): Cell {
  return show(valueOf(row, metric) / divisor, digits)
}

function ratio(row: Row | undefined, metric: string): Cell {
  return short(row?.ratio?.[metric])
}

function show(value: number | undefined, digits = 0): Cell {
  if (value === undefined || Number.isNaN(value)) return '–'
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}

function short(value: number | undefined): Cell {
  if (value === undefined || Number.isNaN(value)) return '–'
  return value.toFixed(value >= 10 ? 0 : 2)
}
