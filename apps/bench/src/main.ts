/** Runs the contestants side by side: `pnpm bench:peers`. `docs/peers.md` has the options and the meaning of the figures. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { canPin, ContestantProcess, contestantNames, type MockServer, startServer, type WorkerOptions } from './host.ts'
import { entriesOf, install, readManifest } from './install.ts'
import { markdown, type Measured, type Results, type SizeName } from './report.ts'
import { check, measure, measureSizes, paramsOf, type RunOptions } from './run.ts'
import { type Params, type WorkloadName, workloads } from './workloads.ts'
import type { Hello } from './worker.ts'

const BASE = 'openai'
const ORDER = [
  'fetch',
  'http',
  'undici',
  'openai',
  'ai',
  'langchain',
  'langgraph',
  'openai-agents',
  'mastra',
  'voltagent',
  'llamaindex',
  'dbos',
  'x',
]
const SIZES: readonly SizeName[] = ['import', 'cold', 'install', 'bundle']

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    workloads: { type: 'string' },
    rounds: { type: 'string' },
    params: { type: 'string', default: '{}' },
    tarballs: { type: 'string', default: '.cache/tarballs' },
    beside: { type: 'string', multiple: true, default: [] },
    scratch: { type: 'string', default: join(tmpdir(), 'x-bench') },
    out: { type: 'string' },
    md: { type: 'string' },
    merge: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    profile: { type: 'string' },
    postgres: { type: 'string' },
    'client-core': { type: 'string', default: '0' },
    'server-core': { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})
const scratch = resolve(values.scratch)
const out = resolve(values.out ?? join(scratch, 'results/peers.json'))

// The contestants read it: they have conversations on Postgres only with it.
if (values.postgres !== undefined) process.env['BENCH_POSTGRES'] = values.postgres

if (values.report) writeReport(JSON.parse(readFileSync(out, 'utf8')) as Results)
else await main()

async function main(): Promise<void> {
  const beside = Object.fromEntries(
    values.beside.map((each) => each.split('=')).map(([name = '', folder = '']) => [name, resolve(folder)] as const),
  )
  const names = [...(values.only?.split(',') ?? contestantNames()), ...Object.keys(beside)].toSorted(
    (a, b) => rankOf(a) - rankOf(b),
  )
  const missing = install(scratch, entriesOf(names, resolve(values.tarballs), beside))
  const server = await startServer(Number(values['server-core']))
  try {
    const worker: WorkerOptions = {
      scratch,
      core: Number(values['client-core']),
      baseURL: server.baseURL,
      verbose: values.verbose,
    }
    const hellos = new Map<string, Hello>()
    for (const name of names.filter((each) => missing[each] === undefined)) {
      try {
        const process = await ContestantProcess.start(name, worker)
        hellos.set(name, process.hello)
        await process.stop()
      } catch (error) {
        missing[name] = (error as Error).message.split('\n').slice(0, 3).join(' ')
      }
    }
    for (const [name, reason] of Object.entries(missing)) log(`- ${name} left out: ${reason}`)
    await run(optionsOf(server, worker, hellos), missing)
  } finally {
    server.stop()
  }
}

function optionsOf(server: MockServer, worker: WorkerOptions, hellos: ReadonlyMap<string, Hello>): RunOptions {
  const params = JSON.parse(values.params) as Partial<Params>
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  return { server, worker, hellos, base: BASE, quick: values.quick, rounds, params, log }
}

async function run(options: RunOptions, missing: Readonly<Record<string, string>>): Promise<void> {
  if (options.hellos.size === 0) throw new Error('cannot measure: no contestant could be installed and loaded')
  if (values.profile !== undefined) return await profile(options, values.profile)
  const checks = await check(options)
  if (values.check) {
    console.log(JSON.stringify(checks, null, 1))
    if (Object.values(checks).some((found) => Object.values(found).some((one) => one !== 'ok'))) process.exitCode = 1
    return
  }
  const earlier = values.merge && existsSync(out) ? (JSON.parse(readFileSync(out, 'utf8')) as Results) : undefined
  let results = withEarlier(startOf(options, missing, checks), earlier)
  for (const workload of values.workloads?.split(',') ?? [...Object.keys(workloads), ...SIZES]) {
    const start = performance.now()
    const { measured, noise } = SIZES.includes(workload as SizeName)
      ? { measured: await measureSizes(options, workload as SizeName), noise: undefined }
      : await measure(options, nameOf(workload))
    results = withMeasured(results, workload, { measured, noise })
    save(results)
    log(`${workload}: ${((performance.now() - start) / 1000).toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}`)
  }
  console.log(markdown(results))
}

function withMeasured(
  results: Results,
  workload: string,
  { measured, noise }: { measured: Measured; noise: Results['noise'][string] | undefined },
): Results {
  return {
    ...results,
    machine: { ...results.machine, load_at_end: loadavg()[0]! },
    workloads: { ...results.workloads, [workload]: measured },
    noise: noise ? { ...results.noise, [workload]: noise } : results.noise,
  }
}

function nameOf(workload: string): WorkloadName {
  if (!(workload in workloads))
    throw new Error(
      `cannot measure \`${workload}\`: the workloads are ${[...Object.keys(workloads), ...SIZES].join(', ')}`,
    )
  return workload as WorkloadName
}

/** Writes a CPU profile of one workload of one contestant, `name:workload[:variant]`, into the scratch folder. */
async function profile(options: RunOptions, asked: string): Promise<void> {
  const [name = '', workload = '', variant = ''] = asked.split(':')
  const folder = join(scratch, 'profiles')
  mkdirSync(folder, { recursive: true })
  const file = `${[name, workload, ...(variant ? [variant] : [])].join('-')}.cpuprofile`
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${file}`]
  const process = await ContestantProcess.start(name, { ...options.worker, execArgv })
  for (let i = 0; i < (options.rounds ?? 5); i++) {
    const params = paramsOf(options, nameOf(workload), variant)
    log(JSON.stringify(await process.ask({ workload: nameOf(workload), params })))
  }
  await process.stop()
  log(join(folder, file))
}

function startOf(options: RunOptions, missing: Results['missing'], checks: Results['checks']): Results {
  const names = [...options.hellos.keys()]
  const { core } = options.worker
  const [processor] = cpus()
  return {
    machine: {
      cpu: processor!.model.trim(),
      cores: cpus().length,
      memory_gb: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
      node: process.version,
      pinned: canPin ? `contestants on core ${core}, server on core ${values['server-core']}` : 'not pinned',
      load_at_start: loadavg()[0]!,
      date: new Date().toISOString().slice(0, 10),
    },
    command: ['pnpm bench:peers', ...process.argv.slice(2)].join(' '),
    mode: values.quick ? 'quick' : 'full',
    base: BASE,
    names,
    versions: Object.fromEntries(names.map((name) => [name, versionsOf(name)])),
    infos: Object.fromEntries(
      [...options.hellos].map(([name, { info }]) => [
        name,
        { title: info.title, kinds: info.kinds, ...(info.notes ? { notes: info.notes } : {}) },
      ]),
    ),
    missing,
    checks,
    workloads: {},
    noise: {},
  }
}

/** The versions of a contestant; of a tarball the name of its file. */
function versionsOf(name: string): Record<string, string> {
  const { dependencies = {} } = readManifest(join(scratch, 'contestants', name))
  return Object.fromEntries(
    Object.entries(dependencies)
      .filter(([, version]) => !version.startsWith('file:'))
      .concat(Object.values(dependencies).some((version) => version.startsWith('file:')) ? [['@x/*', 'packed']] : []),
  )
}

/** With the results of an earlier run for what this run does not measure. */
function withEarlier(results: Results, earlier: Results | undefined): Results {
  if (!earlier) return results
  return {
    ...results,
    names: [...new Set([...earlier.names, ...results.names])].toSorted((a, b) => rankOf(a) - rankOf(b)),
    versions: { ...earlier.versions, ...results.versions },
    infos: { ...earlier.infos, ...results.infos },
    checks: { ...earlier.checks, ...results.checks },
    workloads: earlier.workloads,
    noise: earlier.noise,
  }
}

function save(results: Results): void {
  mkdirSync(dirname(out), { recursive: true })
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
  writeFileSync(out, `${JSON.stringify(results, rounded, 1)}\n`)
  writeReport(results)
}

function writeReport(results: Results): void {
  if (values.md !== undefined) writeFileSync(resolve(values.md), markdown(results))
  else if (values.report) console.log(markdown(results))
}

function rankOf(name: string): number {
  return ORDER.indexOf(name) + 1 || ORDER.length + 1
}

function log(line: string): void {
  console.error(line)
}
