import { setTimeout as delay } from 'node:timers/promises'
import { createHost, type DefinedChat, type Host } from '../../packages/host/src/index.ts'
import type { HostBackend } from '../../packages/interfaces/src/index.ts'
import { noDeeds, shopProgram } from './programs.ts'

/** Milliseconds between two looks at a store. */
const POLL_INTERVAL_MS = 5

const IDS = ['asks', 'listens', 'ended'] as const

const BUDGET = { calls: 100, tokens: 10_000 } as const

/** A host of the golden files, with a worker until the test has ended. */
export async function withWorker<T>(
  at: HostBackend,
  program: DefinedChat,
  use: (host: Host, failures: unknown[]) => Promise<T>,
): Promise<T> {
  const host = createHost({ chats: [program], at })
  const stop = new AbortController()
  const failures: unknown[] = []
  const work = host.work({ signal: stop.signal, lease: 30, onError: (error) => void failures.push(error) })
  try {
    const value = await use(host, failures)
    if (failures.length > 0) throw failures[0]
    return value
  } finally {
    stop.abort()
    await work.catch(() => {})
    await host.close()
  }
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(POLL_INTERVAL_MS)
}

const isSuspended = async (host: Host, id: string): Promise<boolean> => (await host.get(id))?.state === 'suspended'

/** Allows what a chat waits for. */
async function allow(host: Host, id: string): Promise<void> {
  for await (const { chat, pending } of host.pending()) {
    if (chat === id) await host.decide(id, pending.id, { allow: true, by: 'ann' })
  }
}

/** Leaves a chat that asks, one that listens and one that has ended in a store, with a budget that was used. */
export async function runHost(at: HostBackend): Promise<void> {
  const deeds = noDeeds()
  await withWorker(at, shopProgram(deeds) as never, async (host) => {
    for (const id of IDS) await host.submit(shopProgram(deeds), { what: `Order ${id}` }, { id })
    for (const id of IDS) await until(async () => await isSuspended(host, id))
    for (const id of IDS.slice(1)) {
      await allow(host, id)
      await until(async () => deeds.paid.length === IDS.indexOf(id) && (await isSuspended(host, id)))
    }
    await host.send('ended', 'Thank you.')
    await host.result('ended')
    const reservation = await host.budget('golden', BUDGET).reserve({ cost: 0, tokens: 60, calls: 1 })
    reservation.settle({ cost: 0, tokens: 20, calls: 1 })
  })
}

/** How a store with a damaged row of the chat `asks` went on. */
export interface AfterDamage {
  /** Outcome of the damaged chat: `refused` where every error was `invalid-state` with its name, else its result or errors. */
  readonly asks: unknown
  /** Results of the chats beside it. */
  readonly others: readonly unknown[]
  readonly paid: number
}

/** Goes on with what {@link runHost} left, where a row of the chat `asks` is damaged. */
export async function goOnWithDamage(at: HostBackend): Promise<AfterDamage> {
  const deeds = noDeeds()
  return await withWorker(at, shopProgram(deeds) as never, async (host, failures) => {
    const refusals: unknown[] = []
    const refuse = (error: unknown): void => void refusals.push(error)
    await allow(host, 'asks').catch(refuse)
    await host.send('asks', 'Thanks of asks').catch(refuse)
    await host.send('listens', 'Thanks of listens')
    const others = await Promise.all(IDS.slice(1).map(async (id) => await host.result(id)))
    const stop = new AbortController()
    const ended = host.result('asks', { signal: stop.signal }).catch(refuse)
    const isRefused = until(async () => {
      refusals.push(...failures.splice(0))
      return stop.signal.aborted || refusals.length > 0
    })
    const result = await Promise.race([ended, isRefused])
    stop.abort()
    const isNamed = (error: unknown): boolean => {
      const { code, message } = error as { code?: string; message: string }
      return code === 'invalid-state' && message.includes('`asks`')
    }
    const asks = refusals.length === 0 ? result : refusals.every(isNamed) ? 'refused' : refusals
    return { asks, others, paid: deeds.paid.length }
  })
}

/** Goes on with what {@link runHost} left, to its end; returns what came out. */
export async function goOnWithHost(at: HostBackend): Promise<Readonly<Record<string, unknown>>> {
  const deeds = noDeeds()
  return await withWorker(at, shopProgram(deeds) as never, async (host) => {
    const before = await Promise.all(IDS.map(async (id) => (await host.get(id))?.state))
    const { used } = await host.budget('golden', BUDGET).state()
    const pending: unknown[] = []
    for await (const { chat, pending: each } of host.pending()) pending.push([chat, each.id, each.action])
    const decisions = await host.decisions('listens')
    await allow(host, 'asks')
    for (const id of IDS.slice(0, 2)) await host.send(id, `Thanks of ${id}`)
    const results = await Promise.all(IDS.map(async (id) => await host.result(id)))
    const types: Record<string, number> = {}
    for await (const { event } of host.events('ended')) types[event.type] = (types[event.type] ?? 0) + 1
    const deciders = decisions.map(({ by }) => by)
    return JSON.parse(
      JSON.stringify({
        before,
        used,
        pending,
        deciders,
        results,
        types,
        asked: deeds.asked.count,
        paid: deeds.paid.length,
      }),
    ) as Readonly<Record<string, unknown>>
  })
}
