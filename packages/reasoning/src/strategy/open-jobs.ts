import { comparePositions, type SearchJob } from './job.ts'

/** The open jobs of a strategy: asked for and without an outcome. */
export class OpenJobs {
  readonly #jobs = new Map<string, SearchJob>()
  #sorted: readonly SearchJob[] | undefined

  get size(): number {
    return this.#jobs.size
  }

  /** Adds a job. */
  post(job: SearchJob): void {
    this.#jobs.set(job.id, job)
    this.#sorted = undefined
  }

  /** Removes a job; false when it is not open, because it has an outcome or was dropped. */
  close(job: SearchJob): boolean {
    const known = this.#jobs.delete(job.id)
    if (known) this.#sorted = undefined
    return known
  }

  /** Drops all jobs, or those that pass a test. */
  drop(test: (job: SearchJob) => boolean = () => true): void {
    for (const job of this.#jobs.values()) if (test(job)) this.#jobs.delete(job.id)
    this.#sorted = undefined
  }

  /** Lists all open jobs in the serial order. */
  list(): readonly SearchJob[] {
    return (this.#sorted ??= [...this.#jobs.values()].sort((a, b) => comparePositions(a.position, b.position)))
  }
}
