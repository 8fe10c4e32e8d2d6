/** Takes jobs of one program from its queue while it is not paused. */
interface JobSource {
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): Promise<void>
}

/**
 * The slots of a worker for chats. While all are taken, the worker takes no further job: a job that waited here for a slot
 * would not reach a worker with a free one.
 */
export class Slots {
  readonly #sources = new Set<JobSource>()
  #free: number
  /** Number of slots held by chats that came in the job of another chat. */
  #extra = 0
  #isPaused = false

  constructor(count: number) {
    this.#free = count
  }

  /** True if there is a free slot. */
  get hasFree(): boolean {
    return this.#free > 0
  }

  /** Adds a source of jobs for these slots; by itself it takes at most as many jobs as there are slots. */
  add(source: JobSource): void {
    this.#sources.add(source)
    if (this.#isPaused) void source.pause(true)
    this.#pauseOrResume()
  }

  /**
   * Runs a task in a slot; false, without running it, when no slot is free. `isExtra`: the task is a chat that came in the
   * job of another.
   */
  async use(task: () => Promise<void>, isExtra: boolean = false): Promise<boolean> {
    if (this.#free === 0) return false
    this.#take(1, isExtra)
    try {
      await task()
      return true
    } finally {
      this.#take(-1, isExtra)
    }
  }

  #take(count: number, isExtra: boolean): void {
    this.#free -= count
    if (isExtra) this.#extra += count
    this.#pauseOrResume()
  }

  /** Pauses the sources while all slots are taken. A single source without extra chats need not be paused: its jobs hold all slots. */
  #pauseOrResume(): void {
    const isFull = this.#free === 0 && (this.#sources.size > 1 || this.#extra > 0)
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    for (const source of this.#sources) void (isFull ? source.pause(true) : source.resume())
  }
}
