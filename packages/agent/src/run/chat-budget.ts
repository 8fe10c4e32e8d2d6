import type { Budget, Reservation } from '@x/interfaces'

/** The budget of a chat and everything inside it. */
export interface ChatBudget extends Budget {
  /** Whether it has refused a call: what came of the chat then is what could be had for it. */
  readonly usedUp: boolean
}

/** The budget of a chat inside another: a call has to fit into both, and counts in both; null without any. */
export function chatBudget(outer: ChatBudget | null, own: Budget | null | undefined): ChatBudget | null {
  if (!own) return outer
  let usedUp = false
  const reserved = (estimate: Parameters<Budget['reserve']>[0]): Reservation[] => {
    const above = outer?.reserve(estimate)
    try {
      return above ? [own.reserve(estimate), above] : [own.reserve(estimate)]
    } catch (error) {
      above?.release()
      throw error
    }
  }
  return {
    get spent() {
      return own.spent
    },
    get usedUp() {
      return usedUp
    },
    reserve(estimate) {
      try {
        const open = reserved(estimate)
        return {
          settle: (actual) => open.forEach((each) => each.settle(actual)),
          release: () => open.forEach((each) => each.release()),
        }
      } catch (error) {
        usedUp = true
        throw error
      }
    },
  }
}
