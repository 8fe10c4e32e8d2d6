/** Runs at most a number of jobs at once; further jobs wait in the order in which they came. */
export class Semaphore {
  readonly #maxRunning: number
  readonly #waiting: Set<(admitted: boolean) => void> = new Set()
  #running = 0

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  /** Runs work when its turn comes. If its signal aborts while it waits, the work starts at once and sees the signal. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return await work()
    if (this.#running < this.#maxRunning) this.#running++
    else if (!(await this.#admission(signal))) return await work()
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      // The slot passes to the next job directly, so that no newcomer takes it in between.
      if (next) this.#waiting.delete(next)
      else this.#running--
      next?.(true)
    }
  }

  /** Waits for a free slot; resolves to false if the signal aborts first. */
  async #admission(signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const onAbort = (): void => {
      if (this.#waiting.delete(resolve)) resolve(false)
    }
    this.#waiting.add(resolve)
    signal?.addEventListener('abort', onAbort)
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }
}
