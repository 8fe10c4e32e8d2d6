import type { createPostgresBackend } from 'bullmq'
import { platformNow } from '../platform.ts'

/** Interval at which the time of the next delayed job is queried again. */
const DELAY_QUERY_INTERVAL_MS = 250

/** The statements of a BullMQ backend, by their names. */
interface Statements {
  run(
    name: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

/** Makes a backend of BullMQ that queries its database less often. */
export const throttledBackend =
  (create: typeof createPostgresBackend): typeof createPostgresBackend =>
  (queueName, ...options) => {
    const backend = create(queueName, ...options)
    const statements = backend as unknown as Partial<Statements>
    if (statements.run) statements.run = throttleDelayQueries(statements.run.bind(backend))
    return Object.assign(backend, {
      // Adds several jobs as flows without children, because for `addJobs` BullMQ creates temporary tables, which takes milliseconds.
      async addJobs(jobs: Parameters<typeof backend.addJobs>[0]): Promise<string[]> {
        const results = await backend.addFlow(
          jobs.map(({ job, jobId, parentKeyOpts = {} }) => ({
            ...{ jobData: job, jobId, parentKeyOpts, prefix: '', queueName },
          })),
        )
        return results.map(([error, id]) => {
          if (error) throw error
          return String(id)
        })
      },
    })
  }

/**
 * Caches the time of the next delayed job for an interval, because a worker without a job queries it three times. The query is
 * repeated after the interval, or when that job has become due. These queues have no rate limits.
 */
export function throttleDelayQueries(run: Statements['run'], now: () => number = platformNow): Statements['run'] {
  let nextDue: number | null = null
  let queriedAt = -Infinity
  const answer = (at: number | null) => ({ rows: [{ rate_limit_ttl: 0, next_delay: at }] })
  return async (name, values) => {
    if (name === 'next_delay') return answer(nextDue)
    if (name !== 'next_signal') return await run(name, values)
    const repeatAt = Math.min(nextDue ?? Infinity, queriedAt + DELAY_QUERY_INTERVAL_MS)
    // `abs`: the clock may be set back. A job that has become due is no longer delayed, or another worker has it.
    if (Math.abs(now() - queriedAt) < DELAY_QUERY_INTERVAL_MS && repeatAt > now()) return answer(repeatAt)
    const { rows } = await run(name, values)
    const delay = rows[0]?.['next_delay'] ?? null
    nextDue = delay === null ? null : Number(delay)
    queriedAt = now()
    return answer(nextDue)
  }
}
