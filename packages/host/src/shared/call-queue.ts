import type { RoomWaiter } from '@x/interfaces'

/** Interval at which waiting calls are retried, in case that other processes have made room. */
const POLL_INTERVAL_MS = 200

/** The calls of one process that wait for room in a shared budget, first come first served. */
export class CallQueue {
  readonly #waiters = new Set<RoomWaiter>()
  /** The waiter that is retrying, the answer that it waits for, and whether it is queued again. */
  #retrying: { readonly waiter: RoomWaiter; answer: Promise<unknown> | undefined; isQueued: boolean } | undefined
  /** True if there may be room since the last retry. */
  #mayHaveRoom = false
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#waiters.size
  }

  /** True if a call has to queue, because others wait before it. */
  mustQueue(waiter: RoomWaiter): boolean {
    return this.#waiters.size > 0 && waiter !== this.#retrying?.waiter
  }

  /** Enqueues a call; a call that is queued keeps its place. */
  add(waiter: RoomWaiter): void {
    if (waiter === this.#retrying?.waiter) this.#retrying.isQueued = true
    this.#waiters.add(waiter)
    waiter.onQueued(() => void this.#waiters.delete(waiter))
    this.#schedulePoll()
  }

  /** Notes that a retrying call waits for an answer of the store: the next call is retried after it. */
  awaitAnswer(waiter: RoomWaiter, answer: PromiseLike<unknown>): void {
    if (waiter !== this.#retrying?.waiter) return
    this.#retrying.answer = Promise.resolve(answer).then(undefined, () => {})
  }

  /** Retries the queued calls in their order, until one of them finds no room. */
  retry(): void {
    this.#mayHaveRoom = true
    if (!this.#retrying && this.#waiters.size > 0) void this.#retry()
  }

  async #retry(): Promise<void> {
    while (this.#mayHaveRoom) {
      this.#mayHaveRoom = false
      await this.#retryInOrder()
    }
    this.#schedulePoll()
  }

  async #retryInOrder(): Promise<void> {
    for (const waiter of this.#waiters) {
      const retrying = (this.#retrying = { waiter, answer: undefined as Promise<unknown> | undefined, isQueued: false })
      waiter.retry()
      if (retrying.answer) await retrying.answer
      this.#retrying = undefined
      if (retrying.isQueued) return
      this.#waiters.delete(waiter)
    }
  }

  /** Ends all waiting: each call is retried once, and the closed budget refuses it. */
  close(): void {
    clearTimeout(this.#timer)
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.retry()
  }

  #schedulePoll(): void {
    clearTimeout(this.#timer)
    if (this.#waiters.size > 0) this.#timer = setTimeout(() => this.retry(), POLL_INTERVAL_MS)
  }
}
