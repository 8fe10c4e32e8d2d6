/** What is under way on a connection, which ends behind it. */
export class UnderWay {
  readonly #calls = new Set<Promise<unknown>>()

  /** Makes a call; gives what it gives. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const running = call()
    this.#calls.add(running)
    try {
      return await running
    } finally {
      this.#calls.delete(running)
    }
  }

  /** Resolves when nothing is under way, whatever came of it, and nothing has followed at once. */
  async ended(): Promise<void> {
    do {
      await Promise.allSettled(this.#calls)
      await new Promise(setImmediate)
    } while (this.#calls.size > 0)
  }
}
