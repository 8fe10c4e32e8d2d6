/**
 * Compares figures of the packages with those before, and fails when one is worse.
 *
 *   pnpm figures [--base commit] [--runs call,chat] [--sittings 9] [--rounds 3] [--write [--runtimes]]
 *   pnpm figures --counts [--write]     only what the load of a machine does not change, of the built packages
 *
 * Without `--counts` both states are packed and measured in turns: the working tree, and the last commit on `main` (the one
 * before it, if that is the working tree). `--write` renews `etc/figures.json`. docs/peers.md says what the figures mean.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from '../apps/bench/src/statistics.ts'
import { countFigures } from './figures/counts.ts'
import { countFaults, judge, renewCounts } from './figures/judge.ts'
import { FIGURES, measureFigures, RUN_NAMES, type MeasuredFigures } from './figures/measure.ts'
import { root } from './workspace.ts'

/** The table of the repository. */
interface FiguresTable {
  /** Version of Node, by which allocations and files of imports differ. */
  readonly node: string
  readonly counts: Readonly<Record<string, number>>
  /** Figures of one measurement, which another machine cannot repeat; only ratios can. */
  readonly measured: Readonly<Record<string, unknown>>
}

const FILE = join(root, 'etc/figures.json')
/** Contestants of other projects, to which the table has ratios. */
const PEERS = ['openai', 'undici']

const { values } = parseArgs({
  options: {
    counts: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    base: { type: 'string' },
    runs: { type: 'string', default: RUN_NAMES.join(',') },
    sittings: { type: 'string', default: '9' },
    rounds: { type: 'string', default: '3' },
    runtimes: { type: 'boolean', default: false },
    scratch: { type: 'string', default: join(tmpdir(), 'x-figures') },
  },
})
const table = JSON.parse(readFileSync(FILE, 'utf8')) as FiguresTable
if (values.counts) await compareCounts()
else await compareMeasured()

async function compareCounts(): Promise<void> {
  if (process.version !== table.node && !values.write) {
    console.log(`not compared: the counts of the table are of Node ${table.node}, and this is ${process.version}`)
    return
  }
  const counts = await countFigures()
  const faults = countFaults(counts, table.counts)
  for (const fault of faults) console.log(fault)
  if (values.write) save({ ...table, node: process.version, counts: renewCounts(counts, table.counts) })
  else if (faults.length > 0) {
    console.log(
      `\nKeep what is better, and what is worse if a decision record says what was bought: \`pnpm build\`, \`pnpm figures --counts --write\``,
    )
    process.exitCode = 1
  } else console.log(`${Object.keys(counts).length} counts as in etc/figures.json`)
}

async function compareMeasured(): Promise<void> {
  const runs = values.runs.split(',')
  const unknown = runs.find((name) => !RUN_NAMES.includes(name))
  if (unknown !== undefined) throw new Error(`cannot run \`${unknown}\`: the runs are ${RUN_NAMES.join(', ')}`)
  mkdirSync(values.scratch, { recursive: true })
  const base = baseCommit()
  const before = loadavg()[0]!.toFixed(1)
  const measured = await measureFigures({
    scratch: values.scratch,
    base,
    peers: values.write ? PEERS : [],
    runs,
    sittings: Number(values.sittings),
    rounds: Number(values.rounds),
    log: (line) => console.error(line),
  })
  const load = `${before} at the start, ${loadavg()[0]!.toFixed(1)} at the end`
  console.log(`Beside ${base.slice(0, 8)}; ${cpus()[0]!.model.trim()}, Node ${process.version}; load ${load}\n`)
  report(measured, runs)
  if (!values.write) return
  const runtimes = values.runtimes ? { 'tests of runtimes': timeRuntimes() } : {}
  save({ ...table, measured: { ...table.measured, ...measuredTable(measured), ...runtimes } })
}

/** Runs the tests of runtimes once. */
function timeRuntimes(): FiguresTable['measured'] {
  const started = performance.now()
  const { status } = spawnSync('pnpm', ['test:runtimes'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('cannot time the tests of runtimes: they fail')
  return { value: Math.round((performance.now() - started) / 1000), unit: 's', ...placeOfMeasurement() }
}

function placeOfMeasurement(): FiguresTable['measured'] {
  const machine = `${cpus()[0]!.model.trim()}, ${cpus().length} cores, Node ${process.version}`
  return { date: new Date().toISOString().slice(0, 10), machine, load: Number(loadavg()[0]!.toFixed(1)) }
}

/** Prints a line for each figure, and fails if one is worse, or cannot be measured now. */
function report(measured: MeasuredFigures, runs: readonly string[]): void {
  console.log('| figure | before | now | ratio | interval | no change | |\n|---|---:|---:|---:|---:|---:|---|')
  for (const { name, unit, run } of FIGURES) {
    if (!runs.includes(run)) continue
    const { before = [], again = [], now = [] } = measured.get(name)!
    if (!isMeasured(before) || !isMeasured(now)) {
      console.log(`| ${name} | ${isMeasured(before) ? '' : 'fails'} | ${isMeasured(now) ? '' : 'fails'} | | | | |`)
      if (!isMeasured(now)) process.exitCode = 1
      continue
    }
    const { ratio, low, high, noise, verdict } = judge({ before, again, now })
    const cells = [
      `${short(median(before))} ${unit}`,
      `${short(median(now))} ${unit}`,
      ratio.toFixed(3),
      `${low.toFixed(3)} to ${high.toFixed(3)}`,
      `${noise.low.toFixed(3)} to ${noise.high.toFixed(3)}`,
      verdict,
    ]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
    if (verdict === 'worse') process.exitCode = 1
  }
}

function isMeasured(values: readonly number[]): boolean {
  return values.some((value) => Number.isFinite(value))
}

/** What the table keeps of a measurement: medians, and ratios to the peers of the same sitting. */
function measuredTable(measured: MeasuredFigures): FiguresTable['measured'] {
  const place = placeOfMeasurement()
  return Object.fromEntries(
    FIGURES.flatMap(({ name, unit }) => {
      const { now = [], ...others } = measured.get(name)!
      if (!isMeasured(now)) return []
      const ratios = PEERS.flatMap((peer) => {
        const theirs = others[peer] ?? []
        return isMeasured(theirs)
          ? [[`to ${peer}`, Number(median(now.map((one, at) => one / theirs[at]!)).toFixed(2))]]
          : []
      })
      return [[name, { value: Number(short(median(now))), unit, ...Object.fromEntries(ratios), ...place }]]
    }),
  )
}

/** The commit to compare with: that of `main`, or the one before it if nothing has changed since. */
function baseCommit(): string {
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`cannot find the commit to compare with: ${stderr.trim()}; give it as --base`)
    return stdout.trim()
  }
  if (values.base !== undefined) return git('rev-parse', '--verify', `${values.base}^{commit}`)
  const main = git('rev-parse', '--verify', 'main^{commit}')
  const isSame = main === git('rev-parse', 'HEAD') && git('status', '--porcelain', 'packages') === ''
  return isSame ? git('rev-parse', '--verify', 'main~1^{commit}') : main
}

function save(renewed: FiguresTable): void {
  const unfinished = `${FILE}.unfinished`
  writeFileSync(unfinished, `${JSON.stringify(renewed, null, 2)}\n`)
  renameSync(unfinished, FILE)
}

/** Three digits that count. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}
