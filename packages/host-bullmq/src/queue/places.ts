/** Takes chats of one program, for as long as it is not paused. */
interface Source {
  pause(doNotWaitActive: boolean): Promise<void>
  resume(): Promise<void>
}

/**
 * Places of a worker for chats of several programs. While all are held nothing more is taken: a chat that waits here for a
 * place would not come to a worker that has one.
 */
export class Places {
  readonly #sources = new Set<Source>()
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  /** Adds what takes chats for these places. */
  add(source: Source): void {
    this.#sources.add(source)
    if (this.#free === 0) void source.pause(true)
  }

  /** Holds a place while something is done; false, and nothing is done, when there is none. */
  async use(act: () => Promise<void>): Promise<boolean> {
    if (this.#free === 0) return false
    this.#free--
    if (this.#free === 0) for (const source of this.#sources) void source.pause(true)
    try {
      await act()
      return true
    } finally {
      this.#free++
      if (this.#free === 1) for (const source of this.#sources) void source.resume()
    }
  }
}
