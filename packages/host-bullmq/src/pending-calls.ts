/** Tracks the calls in flight on a connection, so that the connection can be closed after them. */
export class PendingCalls {
  readonly #calls = new Set<Promise<unknown>>()

  /** Makes a call and returns its result. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const running = call()
    this.#calls.add(running)
    try {
      return await running
    } finally {
      this.#calls.delete(running)
    }
  }

  /** Resolves when all calls have settled, also those that callers make at once after a result. */
  async settled(): Promise<void> {
    do {
      await Promise.allSettled(this.#calls)
      await new Promise(setImmediate)
    } while (this.#calls.size > 0)
  }
}
