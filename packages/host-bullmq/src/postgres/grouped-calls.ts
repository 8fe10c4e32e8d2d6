/** A call that waits for its group. */
interface WaitingCall<I, O> {
  readonly item: I
  readonly resolve: (value: O) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes one call of many that come at once: those that come while others are under way wait and go together. Nothing waits
 * for a time. Two of one key are never under way at once, and go in the order in which they came.
 */
export class GroupedCalls<I, O> {
  readonly #keyOf: (item: I) => string
  readonly #call: (items: readonly I[]) => Promise<readonly O[]>
  readonly #waiting: WaitingCall<I, O>[] = []
  readonly #most: number
  readonly #active = new Set<string>()
  #free: number
  #isScheduled = false

  /** `call` gives a result for every item, in their order; at most `lanes` calls are under way, of at most `most` items. */
  constructor(
    keyOf: (item: I) => string,
    call: (items: readonly I[]) => Promise<readonly O[]>,
    { lanes, most }: { readonly lanes: number; readonly most: number },
  ) {
    this.#keyOf = keyOf
    this.#call = call
    this.#most = most
    this.#free = lanes
  }

  add(item: I): Promise<O> {
    const { promise, resolve, reject } = Promise.withResolvers<O>()
    this.#waiting.push({ item, resolve, reject })
    this.#schedule()
    return promise
  }

  /** What comes in the same round of the event loop goes together, too. */
  #schedule(): void {
    if (this.#isScheduled || this.#free === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#free > 0) {
        const group = this.#take()
        if (group.length === 0) return
        void this.#run(group)
      }
    })
  }

  #take(): WaitingCall<I, O>[] {
    const keys = new Set(this.#active)
    const group: WaitingCall<I, O>[] = []
    const rest: WaitingCall<I, O>[] = []
    for (const each of this.#waiting) {
      const key = this.#keyOf(each.item)
      const fits = group.length < this.#most && !keys.has(key)
      keys.add(key)
      ;(fits ? group : rest).push(each)
    }
    this.#waiting.splice(0, Infinity, ...rest)
    return group
  }

  async #run(group: readonly WaitingCall<I, O>[]): Promise<void> {
    this.#free--
    const keys = group.map(({ item }) => this.#keyOf(item))
    for (const key of keys) this.#active.add(key)
    try {
      const values = await this.#call(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(values[index]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      this.#free++
      for (const key of keys) this.#active.delete(key)
      if (this.#waiting.length > 0) this.#schedule()
    }
  }
}
