import type { ChatCount, ChatKind, ChatStore, HostedChat } from '@x/interfaces'
import { withTimeout } from '../platform.ts'
import type { Worker } from '../run/worker.ts'
import { MAX_LABEL_SETS, OTHER_LABEL } from './counter.ts'
import type { Metric, MetricSample } from './exposition.ts'

/** Time within which a store has to count its chats. */
const COUNTS_TIMEOUT_S = 5

/** States of chats that have not ended. */
const OPEN_STATES: readonly HostedChat['state'][] = ['waiting', 'waiting-to-retry', 'running', 'suspended']

/** Most programs that have label sets of their own. */
const MAX_LABELLED_KINDS = Math.ceil(MAX_LABEL_SETS / OPEN_STATES.length)

/** Reads the present state of a host's store and workers. */
export async function hostMetrics(
  store: ChatStore,
  own: readonly ChatKind[],
  workers: readonly Pick<Worker, 'active' | 'concurrency' | 'isEnding'>[],
): Promise<readonly Metric[]> {
  const counts = await openCounts(store)
  const sum = (valueOf: (worker: Pick<Worker, 'active' | 'concurrency'>) => number): number =>
    workers.reduce((total, worker) => total + valueOf(worker), 0)
  const claimed = workers.some(({ isEnding }) => !isEnding) ? own : []
  return [
    gauge('hosted_store_up', 'Whether the store of the chats answers: 1 or 0.', counts ? 1 : 0),
    gauge(
      'hosted_worker_chats',
      'Chats that this process runs, without those of programs with a `concurrency` of their own.',
      sum(({ active }) => active),
    ),
    gauge(
      'hosted_worker_concurrency',
      'Most chats that this process runs, without those of programs with a `concurrency` of their own.',
      sum(({ concurrency }) => concurrency),
    ),
    {
      name: 'hosted_worker_takes',
      help: 'Programs whose chats this process claims: 1 for each.',
      type: 'gauge',
      samples: claimed.map(({ name, version }) => ({ labels: { chat: name, version }, value: 1 })),
    },
    ...(counts ? [chatsMetric(own, counts)] : []),
  ]
}

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})

/** Counts the chats that have not ended; undefined when the store does not answer. */
async function openCounts(store: ChatStore): Promise<readonly ChatCount[] | undefined> {
  try {
    return await withTimeout(() => store.counts({ open: true }), COUNTS_TIMEOUT_S)
  } catch {
    return undefined
  }
}

/** A program, and its number of chats in each state. */
interface KindCounts extends ChatKind {
  readonly states: Map<HostedChat['state'], number>
}

/**
 * Makes the metric of chats that have not ended, by program and state. Programs of this host are always listed, also with 0;
 * of all others, as many as the bound on label sets admits, and the rest are counted together.
 */
export function chatsMetric(own: readonly ChatKind[], counts: readonly ChatCount[]): Metric {
  const rest: KindCounts = { name: OTHER_LABEL, version: OTHER_LABEL, states: new Map() }
  const kinds = new Map<string, KindCounts>()
  const sorted = counts.toSorted((a, b) => (kindName(a) < kindName(b) ? -1 : 1))
  for (const { name, version } of [...own, ...sorted]) {
    const key = kindName({ name, version })
    if (!kinds.has(key) && kinds.size < MAX_LABELLED_KINDS) kinds.set(key, { name, version, states: new Map() })
  }
  for (const count of counts) {
    const { states } = kinds.get(kindName(count)) ?? rest
    states.set(count.state, (states.get(count.state) ?? 0) + count.count)
  }
  const rows = [...kinds.values(), ...(rest.states.size > 0 ? [rest] : [])]
  return {
    name: 'hosted_chats',
    help: 'Chats of the store that have not ended. Every process reports all of them: take the maximum over processes.',
    type: 'gauge',
    samples: rows.flatMap(({ name, version, states }): MetricSample[] =>
      OPEN_STATES.map((state) => ({ labels: { chat: name, version, state }, value: states.get(state) ?? 0 })),
    ),
  }
}

const kindName = ({ name, version }: ChatKind): string => `${name}@${version}`
