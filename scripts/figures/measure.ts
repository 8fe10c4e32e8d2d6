/**
 * Measures the packages of the working tree beside those of an earlier commit, both packed, in sittings: each starts new
 * processes, since a process differs from the next one by more than its samples from each other.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ContestantProcess, startServer, type MockServer, type WorkerOptions } from '../../apps/bench/src/host.ts'
import { install } from '../../apps/bench/src/install.ts'
import type { Measured } from '../../apps/bench/src/report.ts'
import { measure, measureSizes, type RunOptions } from '../../apps/bench/src/run.ts'
import { importTime } from '../../apps/bench/src/size.ts'
import { summary, type Sample } from '../../apps/bench/src/statistics.ts'
import type { Params, WorkloadName } from '../../apps/bench/src/workloads.ts'
import type { Hello } from '../../apps/bench/src/worker.ts'
import { readPackages, root } from '../workspace.ts'

/** A figure that is measured. */
export interface Figure {
  readonly name: string
  readonly unit: 'µs' | 'ms' | 'KB'
  /** The run that gives its samples. */
  readonly run: string
  /** Variant of the contestant, as `http`. */
  readonly variant?: string
  readonly metric: string
  /** The number of things that the metric is of; default 1. */
  readonly of?: number
}

/** A run of the bench: a workload, or one of the weights of a process. */
interface Run {
  readonly workload: WorkloadName | 'import' | 'cold'
  readonly params?: Partial<Params>
  /** The variants that run; all when left out. */
  readonly variants?: readonly string[]
  /** Samples of a sitting; default: as many as asked for. */
  readonly rounds?: number
  /** True if peers are left out: their chats of many turns take minutes. */
  readonly isOurs?: true
}

/** Turns of the chats that show whether a turn takes the same time in a long one. */
const LONG_TURNS = [2500, 20_000]

const RUNS: Readonly<Record<string, Run>> = {
  call: { workload: 'call' },
  call64: { workload: 'call64' },
  stream: { workload: 'stream' },
  paced: { workload: 'paced' },
  fallback: { workload: 'fallback' },
  cache: { workload: 'cache' },
  tools: { workload: 'tools' },
  chat: { workload: 'chat', params: { turns: [50, 100, 200, 400] } },
  long: { workload: 'chat', params: { turns: LONG_TURNS, wake: 0 }, variants: ['fake'], rounds: 1, isOurs: true },
  idle: { workload: 'idle', rounds: 1 },
  blocking: { workload: 'blocking' },
  search: { workload: 'search' },
  hosted: { workload: 'hosted' },
  import: { workload: 'import' },
  cold: { workload: 'cold' },
}

/** The run of the imports of each package alone. */
const EACH_IMPORT_RUN = 'imports'

/** Names of all runs. */
export const RUN_NAMES: readonly string[] = [...Object.keys(RUNS), EACH_IMPORT_RUN]

/** All figures that are measured, in the order of the report. */
export const FIGURES: readonly Figure[] = [
  { name: 'a call, processor time', unit: 'µs', run: 'call', metric: 'cpu_us' },
  { name: 'a call of 64 in flight', unit: 'µs', run: 'call64', metric: 'wall_us' },
  { name: 'a stream of 500 chunks, processor time', unit: 'µs', run: 'stream', metric: 'cpu_us' },
  { name: 'a chunk of a paced stream, processor time', unit: 'µs', run: 'paced', metric: 'cpu_us_per_chunk' },
  { name: 'a failover, processor time', unit: 'µs', run: 'fallback', metric: 'cpu_us' },
  { name: 'a memory hit', unit: 'µs', run: 'cache', metric: 'wall_us' },
  { name: 'a turn of a tool loop, processor time', unit: 'µs', run: 'tools', metric: 'cpu_us' },
  {
    name: 'a turn of a chat of 200 over HTTP, processor time',
    unit: 'µs',
    run: 'chat',
    variant: 'http',
    metric: 'cpu_us_200',
    of: 200,
  },
  ...[200, 400].map((turns): Figure => ({
    name: `a turn of a chat of ${turns} in process, processor time`,
    unit: 'µs',
    run: 'chat',
    variant: 'fake',
    metric: `cpu_us_${turns}`,
    of: turns,
  })),
  ...LONG_TURNS.map((turns): Figure => ({
    name: `a turn of a chat of ${turns.toLocaleString('en')} in process, processor time`,
    unit: 'µs',
    run: 'long',
    variant: 'fake',
    metric: `cpu_us_${turns}`,
    of: turns,
  })),
  { name: 'an idle chat of 20 messages, heap', unit: 'KB', run: 'idle', variant: 'chat', metric: 'heap_kb' },
  { name: 'a blocking call, processor time', unit: 'µs', run: 'blocking', metric: 'cpu_us' },
  { name: 'a call of a search, processor time', unit: 'µs', run: 'search', metric: 'cpu_us' },
  { name: 'a hosted chat, processor time', unit: 'µs', run: 'hosted', metric: 'cpu_us' },
  { name: 'import of a first program', unit: 'ms', run: 'import', metric: 'ms' },
  { name: 'import and first answer', unit: 'ms', run: 'cold', metric: 'ms' },
  ...readPackages()
    .filter(({ manifest }) => manifest.exports)
    .map(({ name }): Figure => ({ name: `import of ${name}`, unit: 'ms', run: EACH_IMPORT_RUN, metric: name })),
]

/** Values of each sitting, by figure and contestant; NaN where a contestant fails, or has no such thing. */
export type MeasuredFigures = ReadonlyMap<string, Readonly<Record<string, readonly number[]>>>

/** Options of a measurement. */
export interface MeasureOptions {
  /** Folder of what is packed and installed. */
  readonly scratch: string
  /** The commit beside which the working tree is measured. */
  readonly base: string
  /** Contestants of other projects. */
  readonly peers: readonly string[]
  readonly runs: readonly string[]
  readonly sittings: number
  /** Samples of a run in a sitting. */
  readonly rounds: number
  readonly log: (line: string) => void
}

/** Packs and installs both states, and measures all figures of the runs. */
export async function measureFigures(options: MeasureOptions): Promise<MeasuredFigures> {
  const { scratch, base, peers, sittings, log } = options
  const before = packCommit(scratch, base)
  const now = join(scratch, 'tarballs/now')
  execute('pnpm', ['tarballs', now], root)
  const ours = { before, again: before, now }
  const missing = install(scratch, [
    ...peers.map((name) => ({ name, from: name })),
    ...Object.entries(ours).map(([name, tarballs]) => ({ name, from: 'x', tarballs })),
  ])
  for (const [name, reason] of Object.entries(missing)) {
    if (name in ours) throw new Error(`cannot measure the figures: ${reason}`)
    log(`${name} is left out: ${reason}`)
  }
  const names = [...peers.filter((name) => missing[name] === undefined), ...Object.keys(ours)]
  const server = await startServer(1)
  const values = new Map<string, Record<string, number[]>>(FIGURES.map(({ name }) => [name, {}]))
  try {
    for (let sitting = 0; sitting < sittings; sitting++) {
      const from = sitting % names.length
      const turned = [...names.slice(from), ...names.slice(0, from)]
      const started = performance.now()
      await sit(options, server, { names: sitting % 2 === 1 ? turned.toReversed() : turned, values })
      log(`sitting ${sitting + 1} of ${sittings}: ${((performance.now() - started) / 1000).toFixed(0)} s`)
    }
  } finally {
    server.stop()
  }
  return values
}

/** Measures every run once, and adds its values to those of the earlier sittings. */
async function sit(
  { scratch, peers, runs, rounds, log }: MeasureOptions,
  server: MockServer,
  { names, values }: { readonly names: readonly string[]; readonly values: Map<string, Record<string, number[]>> },
): Promise<void> {
  const worker: WorkerOptions = { scratch, core: 0, baseURL: server.baseURL }
  const all = await hellosOf(names, worker)
  const ours = new Map([...all].filter(([name]) => !peers.includes(name)))
  for (const name of runs) {
    const run = RUNS[name]
    const figures = FIGURES.filter((figure) => figure.run === name)
    const shown = { server, worker, base: 'before', quick: true, log }
    const asked = run && { hellos: run.isOurs ? ours : all, rounds: run.rounds ?? rounds, params: run.params ?? {} }
    const table = asked
      ? (await measureRun({ ...shown, ...asked }, run)).table
      : await measureImports(figures, { names, scratch })
    for (const figure of figures) {
      for (const contestant of names) {
        const row = table[figure.variant === undefined ? contestant : `${contestant}/${figure.variant}`]
        const value = row?.metrics?.[figure.metric]?.median ?? Number.NaN
        const ofFigure = values.get(figure.name)!
        ;(ofFigure[contestant] ??= []).push(value / (figure.of ?? 1))
      }
    }
  }
}

async function hellosOf(names: readonly string[], worker: WorkerOptions): Promise<ReadonlyMap<string, Hello>> {
  const hellos = new Map<string, Hello>()
  for (const name of names) {
    const process = await ContestantProcess.start(name, worker)
    hellos.set(name, process.hello)
    await process.stop()
  }
  return hellos
}

async function measureRun(options: RunOptions, { workload, variants }: Run): Promise<Measured> {
  if (workload === 'import' || workload === 'cold') return await measureSizes(options, workload)
  if (!variants) return (await measure(options, workload)).measured
  const narrow = ({ info, variants: all }: Hello): Hello => ({
    info,
    variants: { ...all, [workload]: all[workload].filter((variant) => variants.includes(variant)) },
  })
  const hellos = new Map([...options.hellos].map(([name, hello]) => [name, narrow(hello)]))
  return (await measure({ ...options, hellos }, workload)).measured
}

/** Measures the import of each package alone, once a sitting, in the contestants of our own. */
async function measureImports(
  figures: readonly Figure[],
  { names, scratch }: { readonly names: readonly string[]; readonly scratch: string },
): Promise<Measured['table']> {
  const times: Record<string, Sample> = {}
  for (const { metric: imported } of figures) {
    for (const name of names) {
      const folder = join(scratch, 'contestants', name)
      if (!existsSync(join(folder, 'node_modules', imported))) continue
      const { ms } = await importTime(folder, [imported], 0)
      times[name] = { ...times[name], [imported]: ms! }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, sample]) => [name, { metrics: summary([sample]) }]))
}

/** Packs the packages of a commit in a worktree of its own, unless they are there, and returns their folder. */
function packCommit(scratch: string, commit: string): string {
  const folder = join(scratch, 'tarballs', commit)
  if (existsSync(folder)) return folder
  const tree = join(scratch, 'tree')
  rmSync(tree, { recursive: true, force: true })
  execute('git', ['worktree', 'prune'], root)
  execute('git', ['worktree', 'add', '--detach', tree, commit], root)
  try {
    execute('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], tree)
    const unfinished = `${folder}-unfinished`
    execute('pnpm', ['tarballs', unfinished], tree)
    renameSync(unfinished, folder)
  } finally {
    execute('git', ['worktree', 'remove', '--force', tree], root)
  }
  return folder
}

function execute(command: string, args: readonly string[], cwd: string): void {
  const shell = process.platform === 'win32'
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', shell })
  if (error || status !== 0)
    throw new Error(`\`${command} ${args.join(' ')}\` failed: ${error?.message ?? `${stdout}${stderr}`}`)
}
