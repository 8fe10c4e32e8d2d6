import type { ChatCount, ChatKind, ChatStore } from '@x/interfaces'
import type { Worker } from '../run/worker.ts'
import type { Metric } from './exposition.ts'
import { chatsMetric } from './store-metrics.ts'
import { withinTime } from './within-time.ts'

/** Seconds within which a store has to count its chats. */
const ANSWERS = 5

/** What a host knows of its store and its workers now. */
export async function hostMetrics(
  store: ChatStore,
  own: readonly ChatKind[],
  workers: readonly Pick<Worker, 'active' | 'concurrency' | 'isEnding'>[],
): Promise<readonly Metric[]> {
  const counts = await openCounts(store)
  const sum = (of: (worker: Pick<Worker, 'active' | 'concurrency'>) => number): number =>
    workers.reduce((all, worker) => all + of(worker), 0)
  const takes = workers.some(({ isEnding }) => !isEnding) ? own : []
  return [
    gauge('hosted_store_up', 'Whether the store of the chats answers: 1 or 0.', counts ? 1 : 0),
    gauge(
      'hosted_worker_chats',
      'Chats that this process works on, without those of programs with a number of their own.',
      sum(({ active }) => active),
    ),
    gauge(
      'hosted_worker_concurrency',
      'Most chats that this process works on, without those of programs with a number of their own.',
      sum(({ concurrency }) => concurrency),
    ),
    {
      name: 'hosted_worker_takes',
      help: 'Programs whose chats this process takes up: 1 for each.',
      type: 'gauge',
      samples: takes.map(({ name, version }) => ({ labels: { chat: name, version }, value: 1 })),
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

/** Undefined when the store does not answer. */
async function openCounts(store: ChatStore): Promise<readonly ChatCount[] | undefined> {
  try {
    return await withinTime(() => store.counts({ open: true }), ANSWERS)
  } catch {
    return undefined
  }
}
