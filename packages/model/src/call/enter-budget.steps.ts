import type { Reservation } from '@x/interfaces'
import { isThenable, wait, XError, type Steps } from '@x/kernel'
import type { CallBudget } from './call-budget.ts'
import type { ConfigCall } from './config-call.ts'

/** Seconds that a call may take when nothing else is said. */
const USUAL_TIMEOUT = 600

/** Longest time a timer of the platform can run, in milliseconds. */
export const LONGEST_TIMER: number = 2 ** 31 - 1

/**
 * Reserves what a call may use, and waits for room where there is none; an abort, the end of the run and the time limit of
 * the call end the waiting. What a budget gives after that goes back to it.
 */
export function* enterBudget(call: ConfigCall, budget: CallBudget): Steps<void, never> {
  const reserving = budget.reserve()
  if (!isThenable(reserving)) return budget.hold(reserving)
  const seconds = timeoutOf(call)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(lateError(seconds)), Math.min(seconds * 1000, LONGEST_TIMER))
  let reservation: Reservation | undefined
  try {
    reservation = yield* wait(Promise.race([reserving, late.promise]), 'the budget of a call')
    budget.hold(reservation)
  } finally {
    clearTimeout(timer)
    if (!reservation) {
      reserving.then((unused) => unused.release()).then(undefined, () => {})
      budget.leave()
    }
  }
}

/** Seconds that a call may wait before it is made. */
export const timeoutOf = ({ prepared, slot }: Pick<ConfigCall, 'prepared' | 'slot'>): number =>
  prepared.extra.timeout ?? slot.client.timeout ?? USUAL_TIMEOUT

const lateError = (seconds: number): XError =>
  new XError('timeout', `its budget had no room for it within ${seconds} s, since other calls were in flight`, {
    kind: 'timeout',
  })
