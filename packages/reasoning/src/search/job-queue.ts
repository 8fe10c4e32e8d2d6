import { comparePositions, type SearchJob } from '../strategy/job.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { Heap } from '../tree/heap.ts'

/** The jobs of a strategy that a search has not started yet, in the order in which to start them. */
export class JobQueue {
  readonly #strategy: Strategy
  /** The jobs of a strategy with `jobs`; some may be closed since. */
  readonly #heap: Heap<SearchJob>
  /** The jobs in flight. */
  readonly #running = new Set<SearchJob>()
  /** The ids of all started jobs of a strategy without `jobs`. */
  readonly #started = new Set<string>()
  /** True if the jobs come in the serial order; otherwise the first job of the lowest level is the next. */
  isSerial = false

  constructor(strategy: Strategy) {
    this.#strategy = strategy
    this.#heap = new Heap(
      (a, b) => (this.isSerial ? 0 : compareNumbers(a.level, b.level)) || comparePositions(a.position, b.position),
    )
  }

  /** Returns the next job without starting it. */
  peek(): SearchJob | undefined {
    const { jobs } = this.#strategy
    if (!jobs) return this.#peekInList()
    for (const job of jobs.takePosted()) this.#heap.push(job)
    for (;;) {
      const job = this.#heap.peek()
      if (!job || jobs.has(job)) return job
      this.#heap.pop()
    }
  }

  #peekInList(): SearchJob | undefined {
    let next: SearchJob | undefined
    for (const job of this.#strategy.ask()) {
      if (this.#started.has(job.id)) continue
      if (this.isSerial) return job
      if (!next || job.level < next.level) next = job
    }
    return next
  }

  /** Starts the job of the last `peek`. */
  start(job: SearchJob): void {
    this.#running.add(job)
    if (this.#strategy.jobs) this.#heap.pop()
    else this.#started.add(job.id)
  }

  /** Counts a job as finished. */
  end(job: SearchJob): void {
    this.#running.delete(job)
  }

  /** Enqueues the jobs in flight again, after their calls were stopped. */
  requeue(): void {
    for (const job of this.#running) {
      if (this.#strategy.jobs) this.#heap.push(job)
      else this.#started.delete(job.id)
    }
    this.#running.clear()
  }
}

/** Compares two numbers, which may be infinite. */
const compareNumbers = (a: number, b: number): number => Number(a > b) - Number(a < b)
