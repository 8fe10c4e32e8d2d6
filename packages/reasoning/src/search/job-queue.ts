import { comparePositions, type SearchJob } from '../strategy/job.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { Heap } from '../tree/heap.ts'

/**
 * The jobs of a strategy that a search still has to start, in order. Jobs that an earlier run has done come first: its
 * usage is known before anything new is asked.
 */
export class JobQueue {
  readonly #strategy: Strategy
  readonly #isStored: (job: SearchJob) => boolean
  /** The stored jobs of a strategy with `jobs`, and its others; some may be closed since. */
  readonly #heaps: readonly [stored: Heap<SearchJob>, others: Heap<SearchJob>]
  /** The jobs in flight, and those of them that are stored. */
  readonly #running = new Set<SearchJob>()
  readonly #replays = new Set<SearchJob>()
  /** The ids of all started jobs of a strategy without `jobs`. */
  readonly #started = new Set<string>()
  /** True if the jobs come in the serial order; otherwise the first job of the lowest level is the next. */
  isSerial = false

  /** `isStored` tells whether an earlier run has done a job. */
  constructor(strategy: Strategy, isStored: (job: SearchJob) => boolean = () => false) {
    this.#strategy = strategy
    this.#isStored = isStored
    const compare = (a: SearchJob, b: SearchJob): number =>
      (this.isSerial ? 0 : compareNumbers(a.level, b.level)) || comparePositions(a.position, b.position)
    this.#heaps = [new Heap(compare), new Heap(compare)]
  }

  /** Returns the next job without starting it. */
  peek(): SearchJob | undefined {
    const { jobs } = this.#strategy
    if (!jobs) return this.#peekInList()
    for (const job of jobs.takePosted()) this.#push(job)
    for (const heap of this.#heaps) {
      for (let job = heap.peek(); job; job = heap.peek()) {
        if (jobs.has(job)) return job
        heap.pop()
      }
    }
    return undefined
  }

  #push(job: SearchJob): void {
    this.#heaps[this.#isStored(job) ? 0 : 1].push(job)
  }

  #peekInList(): SearchJob | undefined {
    const open = this.#strategy.ask().filter((job) => !this.#started.has(job.id))
    const stored = open.filter(this.#isStored)
    const [first, ...rest] = stored.length > 0 ? stored : open
    if (this.isSerial || !first) return first
    return rest.reduce((next, job) => (job.level < next.level ? job : next), first)
  }

  /** True while a stored job is in flight. */
  get isReplaying(): boolean {
    return this.#replays.size > 0
  }

  /** Starts the job of the last `peek`. */
  start(job: SearchJob): void {
    this.#running.add(job)
    if (this.#isStored(job)) this.#replays.add(job)
    if (this.#strategy.jobs) this.#heaps.find((heap) => heap.peek() === job)!.pop()
    else this.#started.add(job.id)
  }

  /** Counts a job as finished. */
  end(job: SearchJob): void {
    this.#running.delete(job)
    this.#replays.delete(job)
  }

  /** Enqueues the jobs in flight again, after their calls were stopped. */
  requeue(): void {
    for (const job of this.#running) {
      if (this.#strategy.jobs) this.#push(job)
      else this.#started.delete(job.id)
    }
    this.#running.clear()
    this.#replays.clear()
  }
}

/** Compares two numbers, which may be infinite. */
const compareNumbers = (a: number, b: number): number => Number(a > b) - Number(a < b)
