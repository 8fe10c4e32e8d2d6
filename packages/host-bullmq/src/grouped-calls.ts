/** A call that waits for its group. */
interface WaitingCall<I, O> {
  readonly item: I
  readonly resolve: (value: O) => void
  readonly reject: (error: unknown) => void
}

/** How calls are grouped. */
interface Grouping<I> {
  /** Most calls under way at once. */
  readonly lanes: number
  /** Most items of a call. */
  readonly most: number
  /** Names what must not be under way twice; default: nothing. */
  readonly keyOf?: (item: I) => string
  /** Whether an error comes of one item: then they are called for one by one. Default: no error does. */
  readonly isOfOne?: (error: unknown) => boolean
}

/**
 * Makes one call of many that come at once: those that come while others are under way wait and go together. Nothing waits
 * for a time. Two of one key are never under way at once, and go in the order in which they came.
 */
export class GroupedCalls<I, O> {
  readonly #call: (items: readonly I[]) => Promise<readonly O[]>
  readonly #grouping: Grouping<I>
  readonly #waiting: WaitingCall<I, O>[] = []
  readonly #active = new Set<string>()
  #free: number
  #isScheduled = false

  /** `call` gives a result for every item, in their order. */
  constructor(call: (items: readonly I[]) => Promise<readonly O[]>, grouping: Grouping<I>) {
    this.#call = call
    this.#grouping = grouping
    this.#free = grouping.lanes
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
    const { most, keyOf } = this.#grouping
    const keys = new Set(this.#active)
    const group: WaitingCall<I, O>[] = []
    const rest: WaitingCall<I, O>[] = []
    for (const each of this.#waiting) {
      const key = keyOf?.(each.item)
      const fits = group.length < most && (key === undefined || !keys.has(key))
      if (key !== undefined) keys.add(key)
      ;(fits ? group : rest).push(each)
    }
    this.#waiting.splice(0, Infinity, ...rest)
    return group
  }

  async #run(group: readonly WaitingCall<I, O>[]): Promise<void> {
    this.#free--
    const { keyOf } = this.#grouping
    const keys = keyOf ? group.map(({ item }) => keyOf(item)) : []
    for (const key of keys) this.#active.add(key)
    await this.#settle(group)
    this.#free++
    for (const key of keys) this.#active.delete(key)
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #settle(group: readonly WaitingCall<I, O>[]): Promise<void> {
    try {
      const values = await this.#call(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(values[index]!)
    } catch (error) {
      if (group.length > 1 && this.#grouping.isOfOne?.(error)) for (const each of group) await this.#settle([each])
      else for (const { reject } of group) reject(error)
    }
  }
}
