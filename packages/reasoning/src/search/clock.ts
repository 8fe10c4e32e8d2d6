/** The time a search goes by. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Calls back after some milliseconds; gives what takes it back. */
  after(ms: number, call: () => void): () => void
}

/** The platform's own time. */
export const platformClock = (): Clock => ({
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
})
