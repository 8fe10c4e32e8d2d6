import { seededRandom } from '@x/reasoning'
import { chaos } from '@x/testing/hosting'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Host } from '@x/host'
import { startBank, type Bank } from './bank.ts'
import { startProvider, type FailingProvider } from './provider.ts'
import { HELD_STAGES, STAGES, valueOf, type Order, type Stage } from './script.ts'
import { outageHost, type OutageSettings } from './outage-host.ts'

/** Options of {@link runOutage}. */
export interface OutageOptions {
  /** URL of the store, or the path of a file, which one worker has. */
  readonly store: string
  readonly chats: number
  readonly workers: number
  /** Seconds for which the provider is down. */
  readonly outage: number
  /** How many seconds of an hour of 503s a second stands for: delays are divided by it. */
  readonly scale: number
  /** Number of signals that hit workers. */
  readonly blows: number
  /** Seed of the moments at which they hit, and of their kinds. */
  readonly seed: number
  /** Returns the number of commands that the store has had; null if it does not count them. */
  readonly commands: () => Promise<number | null>
  /** Receives a line for each stage of the run. */
  readonly log?: ((line: string) => void) | undefined
}

/** The ends of the chats of an outage, with its counts. */
export interface OutageReport {
  readonly byStage: Readonly<Record<Stage, { readonly chats: number; readonly right: number }>>
  /** Values and errors of chats that are not right, each with the first identifier and their number. */
  readonly wrong: readonly { readonly end: string; readonly id: string; readonly count: number }[]
  readonly payments: {
    /** Chats that have not paid. */
    readonly missing: number
    /** Chats that have paid with two keys. */
    readonly doubled: number
    /** Calls that were repeated with their key. */
    readonly repeated: number
  }
  readonly requests: {
    readonly all: number
    readonly refused: number
    /** Requests in each second of the outage from its second quarter on, on average. */
    readonly whileDown: number
    /** Most requests in a second after the provider was back. */
    readonly mostAfter: number
  }
  /** Commands, or transactions, of the store while the provider was down, for each request; null if it does not count them. */
  readonly commandsPerRequest: number | null
  /** Most resident memory of each worker, in MB. */
  readonly memoryMB: readonly number[]
  /** Seconds from the end of the outage to the end of the last chat. */
  readonly lastEnd: number
  readonly chaos: Awaited<ReturnType<typeof chaos>>
}

const WORKER_PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url))
/** US dollars for a chat: several times as much as it costs, and less than its refused requests would if they were paid for. */
const CHAT_BUDGET = 0.02
/** Seconds for which the provider sometimes asks, of the real time. */
const RETRY_AFTER_S = 20
const POLL_INTERVAL_MS = 200
const SUBMISSIONS_AT_ONCE = 50
/** Seconds for which all of it may take, beside the outage. */
const PATIENCE_S = 600

/** Takes a provider down while chats are at all of their stages, kills workers meanwhile, and reports how the chats end. */
export async function runOutage(options: OutageOptions): Promise<OutageReport> {
  const { store, scale, workers, outage, blows, seed } = options
  const random = seededRandom(seed)
  let numbers = 0
  await using provider = await startProvider((RETRY_AFTER_S / scale) * 1000)
  await using bank = await startBank()
  const settings: OutageSettings = {
    ...{ store, scale, provider: provider.url, bank: bank.url, chatBudget: CHAT_BUDGET },
  }
  const { host, chats } = outageHost(settings)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(async () => await host.close())
  const memory = new Map<number, number>()
  const processes = new Map<number, ChildProcess>()
  const start = (worker: number): ChildProcess => {
    const child = spawn(
      process.execPath,
      ['--conditions=@x/source', '--disable-warning=ExperimentalWarning', WORKER_PROGRAM, JSON.stringify(settings)],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    processes.set(worker, child)
    return child
  }
  const timer = setInterval(() => {
    for (const [worker, { pid }] of processes) {
      memory.set(worker, Math.max(memory.get(worker) ?? 0, residentMB(pid)))
    }
  }, 500)
  cleanup.defer(() => clearInterval(timer))
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  const world: World = { host, order: chats[0], provider, bank, options, stop: stop.signal, onDown: ready.resolve }
  const driving = drive(world)
  let driven: Driven | undefined
  let failure: unknown
  driving.then(
    (value) => (driven = value),
    (error: unknown) => {
      failure = error
      ready.resolve()
    },
  )
  try {
    const report = await chaos({
      ...{
        start,
        workers,
        random: () => random(String(numbers++)),
        most: blows,
        every: (1.6 * outage) / Math.max(blows, 1),
        stopped: outage / 20,
      },
      timeout: PATIENCE_S + outage,
      async isDone() {
        // Nobody is hit before the provider is down.
        await ready.promise
        if (failure !== undefined) throw failure
        await setTimeout(50)
        return driven !== undefined
      },
    })
    return await reportOn(world, { ...driven!, chaos: report, memoryMB: [...memory.values()] })
  } finally {
    stop.abort()
    await driving.catch(() => {})
  }
}

interface World {
  readonly host: Host
  readonly order: ReturnType<typeof outageHost>['chats'][0]
  readonly provider: FailingProvider
  readonly bank: Bank
  readonly options: OutageOptions
  readonly stop: AbortSignal
  /** Called when the provider goes down. */
  readonly onDown: () => void
}

/** Times and counts of a run. */
interface Driven {
  readonly downAt: number
  readonly upAt: number
  readonly endAt: number
  readonly requestsWhileDown: number
  readonly commandsWhileDown: number | null
}

const orderOf = (order: number): Order => ({ order, stage: STAGES[order % STAGES.length]! })
const idOf = (order: number): string => `order-${order}`

/** Brings the chats to their stages, takes the provider down and up again, and waits until all chats have ended. */
async function drive({ host, order, provider, options, stop, onDown }: World): Promise<Driven> {
  const { chats, outage, commands, log = () => {} } = options
  const orders = Array.from({ length: chats }, (_, number) => orderOf(number))
  const submit = async (input: Order): Promise<void> => {
    await host.submit(order, input, { id: idOf(input.order) })
  }
  const [late, early] = [orders.filter(isNew), orders.filter((each) => !isNew(each))]
  await inBatches(early, SUBMISSIONS_AT_ONCE, submit)
  const toHold = early.filter(({ stage }) => HELD_STAGES.includes(stage)).length
  const toApprove = early.filter(({ stage }) => stage === 'approval').length
  const isReady = async (): Promise<boolean> =>
    provider.held.size === toHold && ((await countStates(host)).get('suspended') ?? 0) === toApprove
  await until(isReady, stop)
  log(`${toHold} chats have a request under way, ${toApprove} wait for an approval: the provider goes down`)

  const [downAt, requestsBefore, commandsBefore] = [performance.now(), provider.times.length, await commands()]
  provider.goDown()
  onDown()
  // What begins or is decided during the outage does so in its first half.
  const spread = (outage * 500) / Math.max(1, late.length)
  const approving = approveAll(host, toApprove, spread, stop)
  for (const input of late) {
    await submit(input)
    await setTimeout(spread, undefined, { signal: stop })
  }
  await approving
  while (performance.now() < downAt + outage * 1000) {
    log(`${provider.times.length} ${JSON.stringify(Object.fromEntries(await countStates(host)))}`)
    await setTimeout(3000)
  }
  await setTimeout(Math.max(0, downAt + outage * 1000 - performance.now()), undefined, { signal: stop })
  const [requestsAfter, commandsAfter] = [provider.times.length, await commands()]
  const states = await countStates(host)
  log(`after ${outage} s and ${provider.refused} refused requests: ${JSON.stringify(Object.fromEntries(states))}`)

  const upAt = performance.now()
  provider.comeBack()
  await until(async () => {
    const now = await countStates(host)
    return [...now.keys()].every((state) => ['done', 'failed', 'cancelled'].includes(state))
  }, stop)
  return {
    ...{ downAt, upAt, endAt: performance.now(), requestsWhileDown: requestsAfter - requestsBefore },
    commandsWhileDown: commandsBefore === null ? null : commandsAfter! - commandsBefore,
  }
}

const isNew = ({ stage }: Order): boolean => stage === 'new'

/** Decides on all approvals, one after the other. */
async function approveAll(host: Host, count: number, everyMs: number, stop: AbortSignal): Promise<void> {
  const decided = new Set<string>()
  while (decided.size < count) {
    for await (const { chat, pending } of host.pending()) {
      if (decided.has(chat)) continue
      await host.decide(chat, pending.id, { allow: true })
      decided.add(chat)
      await setTimeout(everyMs, undefined, { signal: stop })
    }
    await setTimeout(POLL_INTERVAL_MS, undefined, { signal: stop })
  }
}

/** Counts the chats by their states, without those of no chat. */
async function countStates(host: Host): Promise<Map<string, number>> {
  const states = new Map<string, number>()
  for (const { state, count } of await host.counts()) if (count > 0) states.set(state, (states.get(state) ?? 0) + count)
  return states
}

async function until(isTrue: () => Promise<boolean>, stop: AbortSignal): Promise<void> {
  while (!(await isTrue())) await setTimeout(POLL_INTERVAL_MS, undefined, { signal: stop })
}

async function inBatches<T>(all: readonly T[], size: number, act: (each: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += size) await Promise.all(all.slice(from, from + size).map(act))
}

async function reportOn(
  { host, provider, bank, options }: World,
  run: Driven & Pick<OutageReport, 'chaos' | 'memoryMB'>,
): Promise<OutageReport> {
  const { chats, outage } = options
  const byStage = Object.fromEntries(STAGES.map((stage) => [stage, { chats: 0, right: 0 }])) as Record<
    Stage,
    { chats: number; right: number }
  >
  const wrong = new Map<string, { end: string; id: string; count: number }>()
  const payments = { missing: 0, doubled: 0, repeated: bank.repeated }
  for (let order = 0; order < chats; order++) {
    const stage = byStage[orderOf(order).stage]
    const outcome = (await host.get(idOf(order)))?.outcome
    const end = outcome?.state === 'done' ? String(outcome.value) : JSON.stringify(outcome)
    stage.chats++
    if (end === valueOf(order)) stage.right++
    else {
      const known = wrong.get(end) ?? { end, id: idOf(order), count: 0 }
      known.count++
      wrong.set(end, known)
    }
    const keys = bank.keysByOrder.get(order)?.size ?? 0
    if (keys === 0) payments.missing++
    if (keys > 1) payments.doubled++
  }
  const { downAt, upAt, endAt, requestsWhileDown, commandsWhileDown } = run
  const settled = provider.times.filter((time) => time >= downAt + outage * 250 && time < upAt)
  return {
    ...{ byStage, wrong: [...wrong.values()], payments },
    requests: {
      ...{ all: provider.times.length, refused: provider.refused },
      whileDown: settled.length / (outage * 0.75),
      mostAfter: mostInSecond(provider.times.filter((time) => time >= upAt)),
    },
    commandsPerRequest: commandsWhileDown === null ? null : commandsWhileDown / requestsWhileDown,
    ...{ memoryMB: run.memoryMB, lastEnd: (endAt - upAt) / 1000, chaos: run.chaos },
  }
}

function mostInSecond(times: readonly number[]): number {
  let [first, most] = [0, 0]
  for (const [last, time] of times.entries()) {
    while (time - times[first]! >= 1000) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** Returns the resident memory of a process, in MB; 0 where the system does not tell. */
function residentMB(pid: number | undefined): number {
  const file = `/proc/${pid}/status`
  try {
    return existsSync(file) ? Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024 : 0
  } catch {
    // It has ended between the two.
    return 0
  }
}
