/** Lets at most a number of jobs in at once; the others wait, in the order in which they came. */
export class Semaphore {
  readonly #most: number
  readonly #waiting: Set<(admitted: boolean) => void> = new Set()
  #inside = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Does work when its turn comes. Work that is stopped while it waits starts at once: it looks at its signal itself. */
  async pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return await work()
    if (this.#inside < this.#most) this.#inside++
    else if (!(await this.#turn(signal))) return await work()
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      // The place passes to the next one, so that nobody who comes meanwhile takes it.
      if (next) this.#waiting.delete(next)
      else this.#inside--
      next?.(true)
    }
  }

  /** Waits for the turn; gives false when the work was stopped before. */
  async #turn(signal: AbortSignal | undefined): Promise<boolean> {
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
