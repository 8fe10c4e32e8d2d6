import type { Budget } from '@x/interfaces'

/** A budget inside another: a call has to fit into both, and counts in both. */
export function bothBudgets(outer: Budget | null, inner: Budget | null | undefined): Budget | null {
  if (!outer || !inner || outer === inner) return inner ?? outer
  return {
    get spent() {
      return inner.spent
    },
    reserve(estimate) {
      const above = outer.reserve(estimate)
      try {
        const own = inner.reserve(estimate)
        return {
          settle(actual) {
            own.settle(actual)
            above.settle(actual)
          },
          release() {
            own.release()
            above.release()
          },
        }
      } catch (error) {
        above.release()
        throw error
      }
    },
  }
}
