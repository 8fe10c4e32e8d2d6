/** Lets at most a number of jobs in at once; the others wait, in the order in which they came. */
export class Gate {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Does work once there is room; also when nobody wants it any more, so the work itself looks at its signal. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#inside++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The place is handed on, so that nobody who comes meanwhile takes it.
      if (next) next()
      else this.#inside--
    }
  }
}
