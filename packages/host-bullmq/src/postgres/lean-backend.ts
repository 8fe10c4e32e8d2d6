import type { createPostgresBackend } from 'bullmq'
import { platformNow } from '../platform.ts'

/** Milliseconds for which a worker that finds no job takes it that none was delayed since. */
const LOOK = 250

/** The statements of BullMQ, by their names. */
interface Statements {
  run(
    name: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

/** Makes a backend of BullMQ that asks its database for less. */
export const leanBackend =
  (make: typeof createPostgresBackend): typeof createPostgresBackend =>
  (queueName, ...given) => {
    const backend = make(queueName, ...given)
    const statements = backend as unknown as Partial<Statements>
    if (statements.run) statements.run = lookingLess(statements.run.bind(backend))
    return Object.assign(backend, {
      // As flows without children: for several jobs BullMQ makes tables, which takes milliseconds.
      async addJobs(jobs: Parameters<typeof backend.addJobs>[0]): Promise<string[]> {
        const added = await backend.addFlow(
          jobs.map(({ job, jobId, parentKeyOpts = {} }) => ({
            ...{ jobData: job, jobId, parentKeyOpts, prefix: '', queueName },
          })),
        )
        return added.map(([error, id]) => {
          if (error) throw error
          return String(id)
        })
      },
    })
  }

/**
 * Answers from what it has heard a moment ago when the next delayed job comes: a worker asks that three times for each job
 * that it does not find. It looks again when the moment is over, or the job has come. There are no limits of rates here.
 */
export function lookingLess(run: Statements['run'], now: () => number = platformNow): Statements['run'] {
  let next: number | null = null
  let asked = -Infinity
  const answer = (at: number | null) => ({ rows: [{ rate_limit_ttl: 0, next_delay: at }] })
  return async (name, values) => {
    if (name === 'next_delay') return answer(next)
    if (name !== 'next_signal') return await run(name, values)
    const soon = Math.min(next ?? Infinity, asked + LOOK)
    // A clock may be set back; and a job whose time has come is no longer delayed, or somebody else's.
    if (Math.abs(now() - asked) < LOOK && soon > now()) return answer(soon)
    const { rows } = await run(name, values)
    const found = rows[0]?.['next_delay'] ?? null
    next = found === null ? null : Number(found)
    asked = now()
    return answer(next)
  }
}
