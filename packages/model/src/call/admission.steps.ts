import type { Limiter, Permit, Reservation } from '@x/interfaces'
import { isThenable, type Steps, wait, XError } from '@x/kernel'
import { promptTokens } from './answer-fields.ts'
import type { CallBudget } from './call-budget.ts'
import { clientOf, type ConfigCall } from './config-call.ts'
import { outputLimit } from '../request/output-limit.ts'
import { DEFAULT_ANSWER_TOKENS } from '../usage/token-estimate.ts'

/** Time limit of a call in seconds, if neither the request nor the config sets one. */
const DEFAULT_TIMEOUT_S = 600

/** Longest time that a timer of the platform can run. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/**
 * Reserves the estimate of a call, and waits if its budget has no headroom. An abort, the end of the run and the time limit
 * of the call end the waiting; a reservation that arrives later is released.
 */
export function* enterBudget(call: ConfigCall, budget: CallBudget): Steps<void, never> {
  const reserving = budget.reserve()
  if (!isThenable(reserving)) return budget.hold(reserving)
  let reservation: Reservation | undefined
  try {
    reservation = yield* waitInTime(call, reserving, budgetTimeout, 'the budget of a call')
    budget.hold(reservation)
  } finally {
    if (!reservation) {
      reserving.then((unused) => unused.release()).then(undefined, () => {})
      budget.leave()
    }
  }
}

const budgetTimeout = (seconds: number): XError =>
  new XError('timeout', `its budget had no headroom for it within ${seconds} s, since other calls were in flight`, {
    kind: 'timeout',
  })

/**
 * Waits for the permit of a request, and notes how long; returns null without a limiter. A blocking call cannot wait: where it
 * would have to, a further request ends in the failure `before` it.
 */
export function* enterLimiter(call: ConfigCall, before: XError | undefined): Steps<Permit | null, never> {
  const { limiter, batch } = call.prepared.extra
  // Vendors count batches apart, and their answers may take hours.
  if (!limiter || batch) return null
  const { now } = call.parts.plan.runtime
  const since = now()
  const { permit, waited } = yield* acquirePermit(call, limitedCall(call), before)
  if (waited) call.waitedMs = (call.waitedMs ?? 0) + now() - since
  return permit
}

function limitedCall(call: ConfigCall): Parameters<Limiter['acquire']>[0] {
  const { params } = call.prepared
  const account = call.slot.account()
  if (call.operation === 'countTokens') return { model: TOKEN_COUNT_MODEL, account, tokens: 0 }
  const model = params.model ?? ''
  if (call.operation === 'embed') return { model, account, tokens: promptTokens(params) }
  const client = clientOf(call)
  const { maxOutput = Infinity } = client.limitsOf?.(model) ?? client.capabilities ?? {}
  const estimate = Math.min(call.parts.memory.ledger?.longestAnswer ?? DEFAULT_ANSWER_TOKENS, maxOutput)
  return { model, account, tokens: promptTokens(params) + (outputLimit(params) ?? estimate) }
}

/** The model name of all token counts of an account in a limiter: providers limit counts apart from answers. */
const TOKEN_COUNT_MODEL = 'countTokens'

/**
 * Waits for a permit. An abort, the end of the run and the time limit of the call end the waiting. A timeout here is not a
 * failure of the model, so no further config is tried. A permit that arrives later is given back.
 */
function* acquirePermit(
  call: ConfigCall,
  limited: Parameters<Limiter['acquire']>[0],
  before: XError | undefined,
): Steps<{ readonly permit: Permit | null; readonly waited: boolean }, never> {
  const { limiter } = call.prepared.extra
  if (!limiter) return { permit: null, waited: false }
  const stop = new AbortController()
  const acquiring = limiter.acquire(limited, { signal: stop.signal })
  if (!isThenable(acquiring)) return { permit: acquiring, waited: false }
  let permit: Permit | undefined
  try {
    if (before && call.run.face === 'sync') throw before
    permit = yield* waitInTime(call, acquiring, limiterTimeout, 'the limiter of a call')
    return { permit, waited: true }
  } finally {
    if (!permit) {
      acquiring.then((unused) => unused.end({ tokens: 0, requests: 0 })).then(undefined, () => {})
      stop.abort()
    }
  }
}

const limiterTimeout = (seconds: number): XError =>
  new XError(
    'timeout',
    `its limiter gave no permit within ${seconds} s: raise the limit, or the \`timeout\` of the call`,
  )

/** Waits for a reservation or a permit until the time limit of the call, and then throws `timeoutError`. */
function* waitInTime<T>(
  { prepared, slot }: ConfigCall,
  entering: PromiseLike<T>,
  timeoutError: (seconds: number) => XError,
  what: string,
): Steps<T, never> {
  const seconds = prepared.extra.timeout ?? slot.client.timeout ?? DEFAULT_TIMEOUT_S
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(timeoutError(seconds)), Math.min(seconds * 1000, MAX_TIMER_MS))
  try {
    return yield* wait(Promise.race([entering, late.promise]), what)
  } finally {
    clearTimeout(timer)
  }
}
