/** The longest time of a timer, in milliseconds; a longer one ends at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** Waits for a promise, but not longer than a time: undefined then. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: silence, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS), undefined)
  try {
    return await Promise.race([promise, silence])
  } finally {
    clearTimeout(timer)
  }
}
