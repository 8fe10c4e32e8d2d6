import type { RoomWaiter } from '@x/interfaces'

/** Interval at which waiting calls are served, in case that other processes have made room. */
const POLL_INTERVAL_MS = 200

/** A waiting call that tries again. */
interface Serving {
  readonly waiter: RoomWaiter
  /** The answer of a shared record that it waits for. */
  answer: Promise<unknown> | undefined
  /** True if it finds no room, and stays in the queue. */
  stays: boolean
}

/** The calls of one process that wait for room in a budget, first come first served. */
export class WaiterQueue {
  readonly #polls: boolean
  readonly #waiters = new Set<RoomWaiter>()
  #serving: Serving | undefined
  /** True if there may be room since the queue was last served. */
  #mayHaveRoom = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor({ polls }: { readonly polls: boolean }) {
    this.#polls = polls
  }

  get size(): number {
    return this.#waiters.size
  }

  /** True if others wait before a call. */
  mustWait(waiter: RoomWaiter): boolean {
    return this.#waiters.size > 0 && waiter !== this.#serving?.waiter
  }

  /** Enqueues a call; a call that is queued keeps its place. */
  add(waiter: RoomWaiter): void {
    if (waiter === this.#serving?.waiter) this.#serving.stays = true
    this.#waiters.add(waiter)
    waiter.onQueued(() => {
      if (this.#waiters.delete(waiter)) this.serve()
    })
    this.#poll()
  }

  /** Notes that a call that tries again waits for the answer of a shared record: the next call is served after it. */
  awaitAnswer(waiter: RoomWaiter, answer: PromiseLike<unknown>): void {
    if (waiter !== this.#serving?.waiter) return
    this.#serving.answer = Promise.resolve(answer).then(undefined, () => {})
  }

  /** Lets the waiting calls try again in their order, until one of them finds no room. */
  serve(): void {
    this.#mayHaveRoom = true
    if (!this.#serving && this.#waiters.size > 0) this.#serveAll()
  }

  /** Serves round after round, while calls that end make room. */
  #serveAll(): void {
    while (this.#mayHaveRoom && this.#waiters.size > 0) {
      this.#mayHaveRoom = false
      if (!this.#serveFrom(this.#waiters.values())) return
    }
    this.#poll()
  }

  /** Serves one call after the other; false if it goes on later, when a shared record has answered. */
  #serveFrom(waiters: SetIterator<RoomWaiter>): boolean {
    for (const waiter of waiters) {
      const serving: Serving = { waiter, answer: undefined, stays: false }
      this.#serving = serving
      waiter.retry()
      if (serving.answer) {
        void serving.answer.then(() => {
          if (!this.#isServed(serving) || this.#serveFrom(this.#waiters.values())) this.#serveAll()
        })
        return false
      }
      if (!this.#isServed(serving)) return true
    }
    return true
  }

  /** Ends the try of a call; false if the call stays. */
  #isServed({ waiter, stays }: Serving): boolean {
    this.#serving = undefined
    if (!stays) this.#waiters.delete(waiter)
    return !stays
  }

  /** Ends all waiting: each call tries once more, and the closed budget refuses it. */
  close(): void {
    clearTimeout(this.#timer)
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.retry()
  }

  #poll(): void {
    if (!this.#polls) return
    clearTimeout(this.#timer)
    if (this.#waiters.size > 0) this.#timer = setTimeout(() => this.serve(), POLL_INTERVAL_MS)
  }
}
