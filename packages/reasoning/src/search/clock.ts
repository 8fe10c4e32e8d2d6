/** The source of time of a search. */
export interface Clock {
  /** Returns the milliseconds of a clock that never goes back. */
  now(): number
  /** Calls back after some milliseconds; returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void
}

/** Makes the clock of the platform. */
export const platformClock = (): Clock => ({
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
})
