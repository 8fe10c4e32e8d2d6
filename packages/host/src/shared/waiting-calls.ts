import type { RoomWaiter } from '@x/interfaces'

/** Milliseconds after which those who wait look whether other processes have made room. */
const LOOK = 200

/** The calls of one process that wait for room in a shared budget, first come first served. */
export class WaitingCalls {
  readonly #waiting = new Set<RoomWaiter>()
  /** The one of them that tries again, what it waits for, and whether there was no room for it. */
  #serving: { readonly waiter: RoomWaiter; done: Promise<unknown> | undefined; stays: boolean } | undefined
  /** Whether there may be room again since the last of them has tried. */
  #again = false
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#waiting.size
  }

  /** Whether others come before a call. */
  isBehind(waiter: RoomWaiter): boolean {
    return this.#waiting.size > 0 && waiter !== this.#serving?.waiter
  }

  /** Lets a call wait; one that waits already keeps its place. */
  add(waiter: RoomWaiter): void {
    if (waiter === this.#serving?.waiter) this.#serving.stays = true
    this.#waiting.add(waiter)
    waiter.onQueued(() => void this.#waiting.delete(waiter))
    this.#look()
  }

  /** Notes that the call that tries again waits for an answer. */
  hears(waiter: RoomWaiter, answer: PromiseLike<unknown>): void {
    if (waiter !== this.#serving?.waiter) return
    this.#serving.done = Promise.resolve(answer).then(undefined, () => {})
  }

  /** Lets those who wait try again, in their order, until there is no room for the next. */
  serve(): void {
    this.#again = true
    if (!this.#serving && this.#waiting.size > 0) void this.#serve()
  }

  async #serve(): Promise<void> {
    while (this.#again) {
      this.#again = false
      await this.#serveOnce()
    }
    this.#look()
  }

  async #serveOnce(): Promise<void> {
    for (const waiter of this.#waiting) {
      const serving = (this.#serving = { waiter, done: undefined as Promise<unknown> | undefined, stays: false })
      waiter.retry()
      if (serving.done) await serving.done
      this.#serving = undefined
      if (serving.stays) return
      this.#waiting.delete(waiter)
    }
  }

  /** Ends all waiting: those who wait try again, once, and are refused by a budget that is closed. */
  close(): void {
    clearTimeout(this.#timer)
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const waiter of waiting) waiter.retry()
  }

  #look(): void {
    clearTimeout(this.#timer)
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.serve(), LOOK)
  }
}
