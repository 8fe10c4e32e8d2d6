import { comparePositions, type Job } from './job.ts'

/** The open jobs of a strategy: asked for and without an outcome. */
export class OpenJobs {
  readonly #jobs = new Map<string, Job>()
  #sorted: readonly Job[] | undefined

  get size(): number {
    return this.#jobs.size
  }

  /** Adds a job. */
  post(job: Job): void {
    this.#jobs.set(job.id, job)
    this.#sorted = undefined
  }

  /** Removes a job; false when it is not open, because it has an outcome or was dropped. */
  close(job: Job): boolean {
    const known = this.#jobs.delete(job.id)
    if (known) this.#sorted = undefined
    return known
  }

  /** Drops all jobs, or those that pass a test. */
  drop(test: (job: Job) => boolean = () => true): void {
    for (const job of this.#jobs.values()) if (test(job)) this.#jobs.delete(job.id)
    this.#sorted = undefined
  }

  /** Lists all open jobs in the serial order. */
  list(): readonly Job[] {
    return (this.#sorted ??= [...this.#jobs.values()].sort((a, b) => comparePositions(a.position, b.position)))
  }
}
