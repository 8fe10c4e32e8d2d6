import type { Budget } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { reserveInBoth } from '@x/kernel/budget'

/** The budget of a chat and everything inside it. */
export interface ChatBudget extends Budget {
  /** Whether it has refused a call: what came of the chat then is what could be had for it. */
  readonly usedUp: boolean
}

/** The budget of a chat inside another: a call has to fit into both, and counts in both; null without any. */
export function chatBudget(outer: ChatBudget | null, own: Budget | null | undefined): ChatBudget | null {
  if (!own) return outer
  let usedUp = false
  return {
    get spent() {
      return own.spent
    },
    get usedUp() {
      return usedUp
    },
    reserve(estimate, options) {
      const refuse = (error: unknown): never => {
        usedUp ||= !options?.waiter?.waiting
        throw error
      }
      try {
        const reserving = outer ? reserveInBoth([outer, own], estimate, options) : own.reserve(estimate, options)
        return isThenable(reserving) ? reserving.then(undefined, refuse) : reserving
      } catch (error) {
        return refuse(error)
      }
    },
  }
}
