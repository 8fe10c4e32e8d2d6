/** Rounds of samples: every contestant in turns with the others. */
import { join } from 'node:path'
import type { CheckResult, Measured, Row, SizeName } from './report.ts'
import { EMPTY_PROCESS } from './report.ts'
import { ContestantProcess, type MockServer, type WorkerOptions } from './host.ts'
import { bundleSize, firstAnswer, importTime, installSize } from './size.ts'
import { exponent, median, pairedRatio, quantile, type Sample, summary } from './statistics.ts'
import { type Params, type WorkloadName, workloads } from './workloads.ts'
import type { Hello } from './worker.ts'

/** Rounds of a workload, full. */
const ROUNDS = { inTurns: 11, fresh: 5, idle: 3, size: 10 }

/** Rounds of a quick run. */
const QUICK_ROUNDS = { inTurns: 3, fresh: 3, idle: 3, size: 4 }

/** Most samples that take a process each. */
const MAX_FRESH_ROUNDS = 9

/** Seconds that a contestant has for a check. */
const CHECK_TIMEOUT_S = 30

/** The things that a run measures, and its settings. */
export interface RunOptions {
  readonly server: MockServer
  readonly worker: WorkerOptions
  readonly hellos: ReadonlyMap<string, Hello>
  /** The contestant that ratios are to. */
  readonly base: string
  readonly quick: boolean
  readonly rounds?: number | undefined
  /** Parameters over those of the workloads. */
  readonly params: Partial<Params>
  readonly log: (line: string) => void
}

/** One contestant in one variant. */
interface Slot {
  readonly key: string
  readonly name: string
  readonly variant: string
}

type Samples = Map<string, Sample[] | { readonly error: string }>

/** The parameters of a workload in a variant. */
export function paramsOf({ quick, params }: RunOptions, workload: WorkloadName, variant: string): Params {
  const own = workloads[workload]
  return { ...own.params, ...(quick ? own.quick : {}), ...params, variant } as Params
}

/** Measures a workload; noise is the milliseconds of a fixed piece of work before every round. */
export async function measure(
  options: RunOptions,
  workload: WorkloadName,
): Promise<{ measured: Measured; noise: readonly [number, number, number] | undefined }> {
  const slots = slotsOf(options, workload)
  const samples: Samples = new Map(slots.map(({ key }) => [key, []]))
  const times: number[] = []
  if (workloads[workload].fresh) await sampleFresh(options, workload, slots, samples)
  else await sampleInTurns(options, workload, { slots, samples, times })
  const noise = [Math.min(...times), median(times), quantile(times, 0.9)] as const
  return { measured: summarise(options, workload, samples), noise: times.length > 0 ? noise : undefined }
}

function slotsOf({ hellos }: RunOptions, workload: WorkloadName): Slot[] {
  return [...hellos].flatMap(([name, { variants }]) =>
    variants[workload].map((variant) => ({ name, variant, key: variant === '' ? name : `${name}/${variant}` })),
  )
}

function roundsOf({ rounds, quick }: RunOptions, kind: keyof typeof ROUNDS): number {
  return rounds ?? (quick ? QUICK_ROUNDS : ROUNDS)[kind]
}

/** One sample of every contestant a round, in an order that turns from round to round; all others sleep. */
async function sampleInTurns(
  options: RunOptions,
  workload: WorkloadName,
  { slots, samples, times }: { slots: readonly Slot[]; samples: Samples; times: number[] },
): Promise<void> {
  const running = new Map<string, ContestantProcess>()
  const take = async ({ name, variant, key }: Slot, keep: boolean): Promise<void> => {
    const list = samples.get(key)
    if (!Array.isArray(list)) return
    const process = running.get(name)!
    try {
      const sample = await process.ask({ workload, params: paramsOf(options, workload, variant) })
      if (keep) list.push(sample)
    } catch (error) {
      samples.set(key, failure(options, key, error))
    }
    process.pause()
  }
  const clock = await ContestantProcess.start([...options.hellos.keys()][0]!, options.worker)
  clock.pause()
  try {
    for (const slot of slots) {
      if (!running.has(slot.name)) running.set(slot.name, await ContestantProcess.start(slot.name, options.worker))
      await take(slot, false)
      await take(slot, false)
    }
    for (let round = 0; round < roundsOf(options, 'inTurns'); round++) {
      times.push((await clock.ask({ calibrate: true }))['ms']!)
      clock.pause()
      const from = round % slots.length
      const turned = [...slots.slice(from), ...slots.slice(0, from)]
      for (const slot of round % 2 === 1 ? turned.toReversed() : turned) await take(slot, true)
    }
  } finally {
    for (const process of [...running.values(), clock]) await process.stop()
  }
}

/** One sample of every contestant a round, each in a process of its own. */
async function sampleFresh(
  options: RunOptions,
  workload: WorkloadName,
  slots: readonly Slot[],
  samples: Samples,
): Promise<void> {
  const rounds = Math.min(roundsOf(options, workload === 'idle' ? 'idle' : 'fresh'), MAX_FRESH_ROUNDS)
  for (let round = 0; round < rounds; round++) {
    for (const { name, variant, key } of round % 2 === 1 ? slots.toReversed() : slots) {
      const list = samples.get(key)
      if (!Array.isArray(list)) continue
      let process: ContestantProcess | undefined
      try {
        process = await ContestantProcess.start(name, options.worker)
        list.push(await process.ask({ workload, params: paramsOf(options, workload, variant) }))
      } catch (error) {
        samples.set(key, failure(options, key, error))
      }
      await process?.stop()
    }
  }
}

function failure({ log }: RunOptions, key: string, error: unknown): { error: string } {
  const { message } = error as Error
  log(`  ${key}: ${message}`)
  return { error: message.slice(0, 400) }
}

function summarise(options: RunOptions, workload: WorkloadName, samples: Samples): Measured {
  const table: Record<string, Row> = {}
  let rounds = 0
  for (const [key, list] of samples) {
    if (!Array.isArray(list)) {
      table[key] = list
      continue
    }
    rounds = Math.max(rounds, list.length)
    const metrics = summary(list)
    const variant = key.split('/')[1]?.split('+')[0]
    const base = samples.get(variant === undefined ? options.base : `${options.base}/${variant}`)
    const ratios = Array.isArray(base)
      ? Object.keys(metrics).map((metric) => [metric, pairedRatio(valuesOf(list, metric), valuesOf(base, metric))])
      : undefined
    const turns = paramsOf(options, 'chat', '').turns
    const growth = (metric: string): { all: number; last: number } => {
      const times = turns.map((n) => metrics[`${metric}_${n}`]!.median)
      return { all: exponent(turns, times), last: exponent(turns.slice(-2), times.slice(-2)) }
    }
    table[key] = {
      metrics,
      samples: list,
      ...(ratios ? { ratio: Object.fromEntries(ratios) as Record<string, number> } : {}),
      ...(workload === 'chat' ? { exponent: { wall_us: growth('wall_us'), cpu_us: growth('cpu_us') } } : {}),
    }
  }
  const { variant: _, ...params } = paramsOf(options, workload, '')
  return { params, rounds, table }
}

function valuesOf(samples: readonly Sample[], metric: string): number[] {
  return samples.map((sample) => sample[metric] ?? Number.NaN)
}

/** Measures imports, installs or bundles. */
export async function measureSizes(options: RunOptions, kind: SizeName): Promise<Measured> {
  const names = [...options.hellos.keys()]
  const table: Record<string, Row> = {}
  if (kind === 'import' || kind === 'cold') {
    const rounds = roundsOf(options, 'size')
    return { rounds, table: await measureStarts(options, kind, rounds) }
  }
  for (const name of names) {
    const folder = join(options.worker.scratch, 'contestants', name)
    const { info } = options.hellos.get(name)!
    try {
      table[name] =
        kind === 'install' ? { install: installSize(folder, info) } : { bundle: await bundleSize(folder, info) }
    } catch (error) {
      table[name] = failure(options, name, error)
    }
  }
  return { rounds: 1, table }
}

async function measureStarts(
  options: RunOptions,
  kind: 'import' | 'cold',
  rounds: number,
): Promise<Record<string, Row>> {
  const { core, scratch, baseURL } = options.worker
  const names = [...options.hellos.keys()]
  const samples = new Map<string, Sample[]>((kind === 'import' ? [EMPTY_PROCESS, ...names] : names).map((n) => [n, []]))
  for (let round = -1; round < rounds; round++) {
    for (const [name, list] of samples) {
      const folder = join(scratch, 'contestants', options.hellos.has(name) ? name : names[0]!)
      const imports = options.hellos.get(name)?.info.imports ?? []
      try {
        const sample =
          kind === 'cold' ? await firstAnswer(folder, baseURL, core) : await importTime(folder, imports, core)
        if (round >= 0) list.push(sample)
      } catch (error) {
        failure(options, name, error)
      }
    }
  }
  return Object.fromEntries(
    [...samples]
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, { metrics: summary(list), samples: list }]),
  )
}

/** Counts of the server that checks look at. */
type Counted = 'requests' | 'streams' | 'failures' | 'maxMessages'

/** One check: a small sample, and what the server must have seen of it. */
interface Check {
  readonly workload: WorkloadName
  readonly params: Partial<Params>
  readonly expected: (hello: Hello) => Partial<Record<Counted, number>>
}

const CHECKS: Readonly<Record<string, Check>> = {
  call: { workload: 'call', params: { n: 20 }, expected: () => ({ requests: 21, streams: 0 }) },
  call64: { workload: 'call64', params: { n: 64 }, expected: () => ({ requests: 128 }) },
  stream: { workload: 'stream', params: { n: 1 }, expected: () => ({ streams: 1 }) },
  fallback: { workload: 'fallback', params: { n: 20 }, expected: () => ({ failures: 21, requests: 42 }) },
  cache: { workload: 'cache', params: { n: 20 }, expected: () => ({ requests: 1 }) },
  tools: {
    workload: 'tools',
    params: { n: 1 },
    expected: ({ info }) => ({ requests: 11, streams: info.streamsTools ? 11 : 0 }),
  },
  chat: {
    workload: 'chat',
    params: { turns: [10], wake: 0, variant: 'http' },
    expected: ({ info }) => ({ requests: 10, maxMessages: 11 + (info.extraMessages ?? 0), streams: 0 }),
  },
  'chat fake': {
    workload: 'chat',
    params: { turns: [10], wake: 0, variant: 'fake' },
    expected: () => ({ requests: 0 }),
  },
  blocking: { workload: 'blocking', params: { n: 20 }, expected: () => ({ requests: 21 }) },
  'chat prefix': {
    workload: 'chat',
    params: { turns: [10], wake: 0, variant: 'http+prefix' },
    expected: () => ({ requests: 10, maxMessages: 11 }),
  },
}

/** Checks that every contestant does what it says, by what a strict server sees. */
export async function check(options: RunOptions): Promise<Record<string, Record<string, CheckResult>>> {
  const all: Record<string, Record<string, CheckResult>> = {}
  await options.server.strict(true)
  for (const [name, hello] of options.hellos) {
    const found: Record<string, CheckResult> = {}
    const process = await ContestantProcess.start(name, options.worker)
    for (const [label, one] of Object.entries(CHECKS)) {
      if (!hello.variants[one.workload].includes(one.params.variant ?? '')) continue
      found[label] = await checkOne(options.server, process, one)
      if (found[label] !== 'ok') options.log(`  ${name} ${label}: ${JSON.stringify(found[label])}`)
    }
    all[name] = found
    await process.stop()
  }
  await options.server.strict(false)
  return all
}

async function checkOne(
  server: MockServer,
  process: ContestantProcess,
  { workload, params, expected }: Check,
): Promise<CheckResult> {
  await server.stats()
  try {
    const all = { variant: '', ...workloads[workload].params, ...params } as Params
    await process.ask({ workload, params: all }, CHECK_TIMEOUT_S)
  } catch (error) {
    return { bad: [(error as Error).message.slice(0, 600)] }
  }
  const seen = await server.stats()
  const wrong = Object.entries(expected(process.hello)).flatMap(([key, value]) => {
    const got = seen[key as Counted]
    return got === value ? [] : [`${key}: ${got}, expected ${value}`]
  })
  const bad = new Set([...wrong, ...seen.violations, ...(seen.unknown > 0 ? ['unknown route'] : [])])
  return bad.size === 0 ? 'ok' : { bad: [...bad] }
}
