import { comparePlaces, type Job } from './job.ts'

/** The jobs of a strategy that were asked and not yet told. */
export class OpenJobs {
  readonly #jobs = new Map<string, Job>()
  #sorted: readonly Job[] | undefined

  get size(): number {
    return this.#jobs.size
  }

  post(job: Job): void {
    this.#jobs.set(job.id, job)
    this.#sorted = undefined
  }

  /** Takes a job off; false when it is not open, because it was told before or given up. */
  close(job: Job): boolean {
    const known = this.#jobs.delete(job.id)
    if (known) this.#sorted = undefined
    return known
  }

  /** Gives up all of them, or those that a test picks. */
  drop(test: (job: Job) => boolean = () => true): void {
    for (const job of this.#jobs.values()) if (test(job)) this.#jobs.delete(job.id)
    this.#sorted = undefined
  }

  /** All of them in the serial order. */
  list(): readonly Job[] {
    return (this.#sorted ??= [...this.#jobs.values()].sort((a, b) => comparePlaces(a.place, b.place)))
  }
}
