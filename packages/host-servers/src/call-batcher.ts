/** A call that waits for its batch. */
interface PendingCall<I, O> {
  readonly item: I
  readonly resolve: (value: O) => void
  readonly reject: (error: unknown) => void
}

/** Options of a {@link CallBatcher}. */
interface BatchOptions<I> {
  /** Most batches in flight. */
  readonly maxInFlight: number
  /** Most items in a batch. */
  readonly maxItems: number
  /**
   * Returns the length of the texts of an item. A batch with {@link MAX_BATCH_LENGTH} characters takes no further item, as it may
   * take seconds already. Default: items are short.
   */
  readonly lengthOf?: (item: I) => number
  /** Returns the key of an item; items with one key are never in flight at once. Default: items have no keys. */
  readonly keyOf?: (item: I) => string
  /** True if an error was caused by a single item; the items of the batch are then tried one by one. Default: never. */
  readonly isItemError?: (error: unknown) => boolean
}

/** Characters from which a batch takes no further item. */
export const MAX_BATCH_LENGTH = 1_000_000

/**
 * Batches concurrent calls: calls that come while others are in flight share the next batch. No call waits for a timer.
 * Calls with one key are never in flight at once, and keep their order.
 */
export class CallBatcher<I, O> {
  readonly #call: (items: readonly I[]) => Promise<readonly O[]>
  readonly #options: BatchOptions<I>
  readonly #pending: PendingCall<I, O>[] = []
  readonly #keysInFlight = new Set<string>()
  #free: number
  #isScheduled = false

  /** `call` returns a result for every item, in their order. */
  constructor(call: (items: readonly I[]) => Promise<readonly O[]>, options: BatchOptions<I>) {
    this.#call = call
    this.#options = options
    this.#free = options.maxInFlight
  }

  add(item: I): Promise<O> {
    const { promise, resolve, reject } = Promise.withResolvers<O>()
    this.#pending.push({ item, resolve, reject })
    this.#schedule()
    return promise
  }

  /** Starts batches at the end of this turn of the event loop, so that all calls of the turn share one. */
  #schedule(): void {
    if (this.#isScheduled || this.#free === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#free > 0) {
        const batch = this.#takeBatch()
        if (batch.length === 0) return
        void this.#run(batch)
      }
    })
  }

  #takeBatch(): PendingCall<I, O>[] {
    const { maxItems, keyOf, lengthOf } = this.#options
    let length = 0
    const keys = new Set(this.#keysInFlight)
    const batch: PendingCall<I, O>[] = []
    const rest: PendingCall<I, O>[] = []
    for (const call of this.#pending) {
      const key = keyOf?.(call.item)
      const hasRoom = batch.length < maxItems && length < MAX_BATCH_LENGTH
      const fits = hasRoom && (key === undefined || !keys.has(key))
      if (key !== undefined) keys.add(key)
      if (fits) length += lengthOf?.(call.item) ?? 0
      ;(fits ? batch : rest).push(call)
    }
    this.#pending.splice(0, Infinity, ...rest)
    return batch
  }

  async #run(batch: readonly PendingCall<I, O>[]): Promise<void> {
    this.#free--
    const { keyOf } = this.#options
    const keys = keyOf ? batch.map(({ item }) => keyOf(item)) : []
    for (const key of keys) this.#keysInFlight.add(key)
    await this.#settle(batch)
    this.#free++
    for (const key of keys) this.#keysInFlight.delete(key)
    if (this.#pending.length > 0) this.#schedule()
  }

  async #settle(batch: readonly PendingCall<I, O>[]): Promise<void> {
    try {
      const values = await this.#call(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!)
    } catch (error) {
      if (batch.length > 1 && this.#options.isItemError?.(error)) for (const call of batch) await this.#settle([call])
      else for (const { reject } of batch) reject(error)
    }
  }
}
