/** Callers that are told apart; beyond them the oldest is forgotten. */
const MOST_CALLERS = 10_000

/** Counts the requests of each caller: as many at once as in a minute, and then as fast as they grow back. */
export class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /** Takes a request; gives the seconds to wait where there are too many, and 0 otherwise. */
  take(caller: string): number {
    const now = this.#now()
    const before = this.#callers.get(caller) ?? { left: this.#perMinute, at: now }
    const left = Math.min(this.#perMinute, before.left + ((now - before.at) / 60_000) * this.#perMinute)
    this.#callers.delete(caller)
    this.#callers.set(caller, { left: left < 1 ? left : left - 1, at: now })
    for (const oldest of this.#callers.keys()) {
      if (this.#callers.size <= MOST_CALLERS) break
      this.#callers.delete(oldest)
    }
    return left < 1 ? Math.ceil(((1 - left) / this.#perMinute) * 60) : 0
  }
}
