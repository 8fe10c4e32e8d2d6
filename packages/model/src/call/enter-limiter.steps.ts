import type { LimitedCall, Permit } from '@x/interfaces'
import { isThenable, wait, XError, type Steps } from '@x/kernel'
import { finite } from '@x/kernel/price'
import { promptTokens, type CountedUsage } from './answer-usage.ts'
import { outputLimit } from './call-budget.ts'
import { clientOf, type ConfigCall } from './config-call.ts'
import { LONGEST_TIMER, timeoutOf } from './enter-budget.steps.ts'
import { isModelFailure } from './failover.ts'
import { USUAL_ANSWER } from '../usage/answer-lengths.ts'

/** Waits for the permit of a call, and counts how long; null without a limiter. */
export function* enterLimiter(call: ConfigCall): Steps<Permit | null, never> {
  if (!call.prepared.extra.limiter) return null
  const { now } = call.parts.plan.runtime
  const since = now()
  const { permit, waited } = yield* acquirePermit(call, limitedCall(call))
  if (waited) call.waitedMs = now() - since
  return permit
}

/** The name under which all counts of tokens of an account ask their limiter: providers limit them apart from answers. */
const COUNTS = 'countTokens'

/** Waits for the permit of a count of tokens; null without a limiter. */
export function* enterLimiterToCount(call: LimitedTurn): Steps<Permit | null, never> {
  return (yield* acquirePermit(call, { model: COUNTS, account: call.slot.account(), tokens: 0 })).permit
}

/** One config's turn in a call that a limiter may hold up. */
type LimitedTurn = Pick<ConfigCall, 'slot' | 'prepared'>

/**
 * Waits for a permit. An abort, the end of the run and the time limit of the call end the waiting, which is no failure of
 * the model: no further config is tried for it. A permit that comes too late is given back.
 */
function* acquirePermit(
  call: LimitedTurn,
  asked: LimitedCall,
): Steps<{ readonly permit: Permit | null; readonly waited: boolean }, never> {
  const { limiter } = call.prepared.extra
  if (!limiter) return { permit: null, waited: false }
  const stop = new AbortController()
  const acquiring = limiter.acquire(asked, { signal: stop.signal })
  if (!isThenable(acquiring)) return { permit: acquiring, waited: false }
  const seconds = timeoutOf(call)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(lateError(seconds)), Math.min(seconds * 1000, LONGEST_TIMER))
  let permit: Permit | undefined
  try {
    permit = yield* wait(Promise.race([acquiring, late.promise]), 'the limiter of a call')
    return { permit, waited: true }
  } finally {
    clearTimeout(timer)
    if (!permit) {
      acquiring.then((unused) => unused.end({ tokens: 0, requests: 0 })).then(undefined, () => {})
      stop.abort()
    }
  }
}

const lateError = (seconds: number): XError =>
  new XError(
    'timeout',
    `its limiter had no room for a call within ${seconds} s: raise the limit, or the \`timeout\` of the call`,
  )

/** Gives a permit back, with what the call has used; undefined where that is not known. */
export function endPermit(
  permit: Permit | null,
  {
    counted,
    failure,
    sent,
  }: { readonly counted: CountedUsage | undefined; readonly failure: unknown; readonly sent: number },
): void {
  if (!permit) return
  const requests = Math.max(1, sent)
  if (counted) {
    const { promptTokens: input, completionTokens: output, totalTokens: total } = counted.usage
    return permit.end({ tokens: Math.max(finite(total), finite(input) + finite(output)), requests })
  }
  // A call that was refused has used no tokens; what one that was stopped has used is not known.
  const isRefused = isModelFailure(failure) && failure.kind !== 'timeout' && failure.kind !== 'truncated'
  permit.end({ requests, tokens: isRefused ? 0 : undefined, retryAfterMs: retryAfterMsOf(failure) })
}

/** Gives the permit of a count back. */
export function endPermitToCount(
  permit: Permit | null,
  { failure, sent }: { readonly failure: unknown; readonly sent: number },
): void {
  permit?.end({ requests: Math.max(1, sent), tokens: 0, retryAfterMs: retryAfterMsOf(failure) })
}

/** How long a provider that refused a call asks everybody to wait. */
const retryAfterMsOf = (failure: unknown): number | undefined =>
  isModelFailure(failure) && failure.kind === 'rate-limit' ? failure.retryAfterMs : undefined

function limitedCall(call: ConfigCall): LimitedCall {
  const { params } = call.prepared
  const model = params.model ?? ''
  const client = clientOf(call)
  const { maxOutput = Infinity } = client.limitsOf?.(model) ?? client.capabilities ?? {}
  const usual = Math.min(call.parts.memory.ledger?.longestAnswer ?? USUAL_ANSWER, maxOutput)
  return { model, account: call.slot.account(), tokens: promptTokens(params) + (outputLimit(params) ?? usual) }
}
