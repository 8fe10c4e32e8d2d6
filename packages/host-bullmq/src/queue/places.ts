/** Takes jobs of one program, for as long as it is not paused. */
interface Source {
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): Promise<void>
}

/**
 * Places of a worker for chats. While all are held nothing more is taken: a chat that waits here for a place would not come
 * to a worker that has one.
 */
export class Places {
  readonly #sources = new Set<Source>()
  #free: number
  /** Places that are held by chats that came in the job of another. */
  #extra = 0
  #isPaused = false

  constructor(most: number) {
    this.#free = most
  }

  /** Whether one more chat could come. */
  get hasFree(): boolean {
    return this.#free > 0
  }

  /** Adds what takes jobs for these places, at most as many at once as there are places. */
  add(source: Source): void {
    this.#sources.add(source)
    if (this.#isPaused) void source.pause(true)
    this.#settle()
  }

  /**
   * Holds a place while something is done; false, and nothing is done, when there is none. `isExtra`: for a chat that came
   * in the job of another.
   */
  async use(act: () => Promise<void>, isExtra: boolean = false): Promise<boolean> {
    if (this.#free === 0) return false
    this.#hold(1, isExtra)
    try {
      await act()
      return true
    } finally {
      this.#hold(-1, isExtra)
    }
  }

  #hold(count: number, isExtra: boolean): void {
    this.#free -= count
    if (isExtra) this.#extra += count
    this.#settle()
  }

  /** One source whose jobs hold all places takes no further one by itself. */
  #settle(): void {
    const isFull = this.#free === 0 && (this.#sources.size > 1 || this.#extra > 0)
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    for (const source of this.#sources) void (isFull ? source.pause(true) : source.resume())
  }
}
